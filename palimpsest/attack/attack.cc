#include "palimpsest/attack/attack.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/base/error.h"

namespace palimpsest::attack {
namespace {

const double* find_value(const ParameterValues& values, std::string_view name) {
  const auto found = std::ranges::find(values, name, &ParameterValues::value_type::first);
  return found == values.end() ? nullptr : &found->second;
}

void require_usable_name(const Attack& attack) {
  const std::string& name = attack.row_name();
  constexpr std::string_view kReserved[] = {"all", "audit"};
  const bool reserved = std::ranges::find(kReserved, name) != std::end(kReserved);
  if (!reserved && !name.empty() && name.find_first_of(",:= ") == std::string::npos) return;
  throw Error({.what = fmt::format("an attack cannot be called '{}'", attack.name),
               .expected = reserved ? fmt::format("a name other than {}, which have a meaning of "
                                                  "their own on the command line and in mia.json",
                                                  fmt::join(kReserved, " and "))
                                    : "a name without commas, colons, equals signs and spaces"});
}

void require_valid_parameters(const Attack& attack) {
  for (auto one = attack.parameters.begin(); one != attack.parameters.end(); ++one) {
    const bool again = std::any_of(attack.parameters.begin(), one,
                                   [&](const AttackParameter& p) { return p.name == one->name; });
    if (again)
      throw Error(fmt::format("the attack {} has two parameters '{}'", attack.name, one->name));
    require_in_range(*one, one->default_value, attack.name);
    for (const double value : one->sweep) require_in_range(*one, value, attack.name);
  }
}

}  // namespace

double parameter_value(const ParameterValues& values, std::string_view name) {
  if (const double* value = find_value(values, name)) return *value;
  throw Error({.what = fmt::format("an attack reads the parameter '{}', which has no value", name),
               .hint = "declare it among the attack's parameters, and pass the attack's values()"});
}

ParameterValues Attack::values() const {
  ParameterValues all;
  for (const AttackParameter& parameter : parameters) {
    const double* set = find_value(given, parameter.name);
    all.emplace_back(parameter.name, set != nullptr ? *set : parameter.default_value);
  }
  return all;
}

std::optional<double> Attack::score_of(const trace::Trace& trace, const trace::Trace* reference,
                                       const ParameterValues& values) const {
  if (!needs_reference()) return score(trace, values);
  PALIMPSEST_CHECK(reference != nullptr);
  return compare(trace, *reference, values);
}

void require_in_range(const AttackParameter& parameter, double value, std::string_view owner) {
  if (!parameter.range.contains || parameter.range.contains(value)) return;
  const std::string name =
      parameter.is_common ? parameter.name : fmt::format("{}'s {}", owner, parameter.name);
  throw Error({.what = fmt::format("{} is {}", name, value), .expected = parameter.range.expected});
}

void require_valid(const AttackTable& table) {
  for (auto attack = table.begin(); attack != table.end(); ++attack) {
    require_usable_name(*attack);
    if (std::any_of(table.begin(), attack,
                    [&](const Attack& other) { return other.name == attack->name; }))
      throw Error(fmt::format("two attacks are called '{}'", attack->name));
    if ((attack->score == nullptr) == (attack->compare == nullptr)) {
      throw Error({.what = fmt::format("the attack {} does not say how it scores", attack->name),
                   .expected = "one of score and compare"});
    }
    require_valid_parameters(*attack);
  }
  for (const CommonParameter& common : common_parameters(table)) {
    for (const Attack& attack : table) {
      for (const AttackParameter& parameter : attack.parameters) {
        if (!parameter.is_common || parameter.name != common.parameter.name) continue;
        if (parameter.default_value == common.parameter.default_value) continue;
        throw Error({.what = fmt::format("{} and {} have the common parameter '{}' with different "
                                         "defaults",
                                         common.attacks.front(), attack.name, parameter.name),
                     .hint = "make it common in neither, or give it the same default in both"});
      }
    }
  }
}

std::vector<CommonParameter> common_parameters(const AttackTable& table) {
  std::vector<CommonParameter> common;
  for (const Attack& attack : table) {
    for (const AttackParameter& parameter : attack.parameters) {
      if (!parameter.is_common) continue;
      const auto known = std::ranges::find_if(
          common, [&](const CommonParameter& one) { return one.parameter.name == parameter.name; });
      if (known == common.end()) {
        common.push_back({.parameter = parameter, .attacks = {attack.name}});
      } else {
        known->attacks.push_back(attack.name);
      }
    }
  }
  return common;
}

}  // namespace palimpsest::attack
