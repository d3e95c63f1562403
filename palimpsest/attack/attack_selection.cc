#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "palimpsest/attack/attack.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/name_key.h"
#include "palimpsest/base/internal/strings.h"

namespace palimpsest::attack {
namespace {

// What others call an attack: without "mia_", as in the metrics of `eval`, without "Attack", as in
// class names, and the attacks of MIMIR and open-unlearning that have other names than ours.
std::string our_name(std::string_view name) {
  constexpr std::string_view kPrefix = "mia";
  constexpr std::string_view kSuffix = "attack";
  std::string key = name_key(name);
  if (key.starts_with(kPrefix)) key.erase(0, kPrefix.size());
  if (key.ends_with(kSuffix)) key.resize(key.size() - kSuffix.size());
  if (key == "ref" || key == "referencebased") return "reference";
  return key == "minkprob" ? "min_k" : key;
}

const Attack& find_attack(const AttackTable& table, std::string_view name) {
  if (const Attack* found = find_by_name(table, name)) return *found;
  if (const Attack* found = find_by_name(table, our_name(name))) return *found;
  std::vector<std::string_view> known;
  for (const Attack& attack : table) known.push_back(attack.name);
  throw Error({.what = fmt::format("unknown attack '{}'", name),
               .expected = fmt::format("all or some of {}", fmt::join(known, ", ")),
               .hint = name.find('=') == std::string_view::npos
                           ? ""
                           : "an attack's parameters follow its name: surp:k=0.5:entropy=1"});
}

const AttackParameter& find_parameter(const Attack& attack, std::string_view name) {
  std::vector<std::string_view> known;
  for (const AttackParameter& parameter : attack.parameters) {
    if (parameter.name == name) return parameter;
    known.push_back(parameter.name);
  }
  throw Error({.what = fmt::format("the attack {} has no parameter '{}'", attack.name, name),
               .expected = known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))});
}

double parse_value(std::string_view text, std::string_view setting) {
  double value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc() && stop == text.data() + text.size()) return value;
  throw Error({.what = fmt::format("'{}' does not set a number", setting),
               .expected = "parameter=number, as in min_k:k=0.3, or parameter=sweep"});
}

// The values that "k=0.3" or "k=sweep" gives to the parameter.
std::vector<double> values_of(const AttackParameter& parameter, std::string_view setting) {
  const size_t equals = setting.find('=');
  const std::string_view text = equals == std::string_view::npos ? "" : setting.substr(equals + 1);
  if (text != "sweep") return {parse_value(text, setting)};
  if (!parameter.sweep.empty()) return parameter.sweep;
  throw Error({.what = fmt::format("'{}' has no sweep", parameter.name), .expected = "a number"});
}

bool is_given(const Attack& attack, const std::string& parameter) {
  return std::ranges::find(attack.given, parameter, &ParameterValues::value_type::first) !=
         attack.given.end();
}

// Every attack that "surp:k=sweep:entropy=1" asks for: one for each combination of values.
AttackTable with_settings(const Attack& plain, const std::vector<std::string_view>& settings) {
  AttackTable variants = {plain};
  for (std::string_view setting : settings) {
    const AttackParameter& parameter = find_parameter(plain, setting.substr(0, setting.find('=')));
    const std::vector<double> values = values_of(parameter, setting);
    AttackTable further;
    for (const Attack& variant : variants) {
      for (double value : values) {
        Attack attack = variant;
        if (is_given(attack, parameter.name))
          throw Error(fmt::format("'{}' is set twice", parameter.name));
        require_in_range(parameter, value, plain.name);
        attack.selected_from = plain.row_name();
        attack.name = with_setting(attack.name, parameter.name, value);
        attack.given.emplace_back(parameter.name, value);
        further.push_back(std::move(attack));
      }
    }
    variants = std::move(further);
  }
  return variants;
}

// Found before anything is selected: a value that no attack could take is wrong whoever would read
// it. Attacks that share a parameter need not share its range.
void require_common(const AttackTable& table, const ParameterValues& common) {
  const std::vector<CommonParameter> known = common_parameters(table);
  for (const auto& [name, value] : common) {
    const auto found = std::ranges::find(
        known, name, [](const CommonParameter& one) { return one.parameter.name; });
    if (found == known.end())
      throw Error(fmt::format("'{}' is not a parameter that can be set for all attacks", name));
    const auto takes = [&setting = name, &number = value](const AttackParameter& parameter) {
      return parameter.is_common && parameter.name == setting &&
             (!parameter.range.contains || parameter.range.contains(number));
    };
    const bool is_taken = std::ranges::any_of(
        table, [&](const Attack& attack) { return std::ranges::any_of(attack.parameters, takes); });
    if (!is_taken) require_in_range(found->parameter, value, found->attacks.front());
  }
}

void set_common(const ParameterValues& common, Attack& attack) {
  for (const AttackParameter& parameter : attack.parameters) {
    if (!parameter.is_common || is_given(attack, parameter.name)) continue;
    for (const auto& [name, value] : common) {
      if (name != parameter.name) continue;
      try {
        require_in_range(parameter, value, attack.name);
      } catch (const Error& error) {
        throw error.located(fmt::format("the attack {}", attack.name));
      }
      attack.given.emplace_back(name, value);
    }
  }
}

// Those that the text asks for, in its order, each once.
AttackTable selected_by_name(const AttackTable& table, std::string_view names) {
  AttackTable selected;
  for (std::string_view piece : split(names, ',')) {
    std::vector<std::string_view> settings = split(piece, ':');
    const Attack& plain = find_attack(table, settings.front());
    settings.erase(settings.begin());
    for (Attack& attack : with_settings(plain, settings)) {
      const bool again = std::any_of(selected.begin(), selected.end(),
                                     [&](const Attack& a) { return a.name == attack.name; });
      if (!again) selected.push_back(std::move(attack));
    }
  }
  return selected;
}

}  // namespace

AttackTable select_attacks(const AttackTable& table, std::string_view names,
                           const ParameterValues& common) {
  require_valid(table);
  require_common(table, common);
  AttackTable selected = names == "all" ? table : selected_by_name(table, names);
  for (Attack& attack : selected) set_common(common, attack);
  return selected;
}

std::string with_setting(std::string_view name, std::string_view parameter, double value) {
  return fmt::format("{}:{}={}", name, parameter, value);
}

std::string row_named_in(std::string_view selected) {
  return std::string(selected.substr(0, selected.find(':')));
}

std::vector<std::string> gradient_norms_of(const AttackTable& attacks) {
  std::vector<std::string> keys;
  for (const Attack& attack : attacks) {
    for (const TraceNeed& need : attack.needs) {
      if (!need.gradient_norm) continue;
      std::string key = need.gradient_norm(attack.values());
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
    }
  }
  return keys;
}

}  // namespace palimpsest::attack
