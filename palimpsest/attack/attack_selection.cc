#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/gradnorm.h"
#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

void require_share(double share, const char* name) {
  if (share > 0 && share <= 1) return;
  throw Error({.what = fmt::format("{} is {}", name, share),
               .expected = "a share of the tokens: greater than 0, at most 1"});
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

const Attack& find_attack(const AttackTable& table, std::string_view name) {
  std::vector<std::string_view> known;
  for (const Attack& attack : table) {
    if (attack.name == name) return attack;
    known.push_back(attack.name);
  }
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
        const bool again =
            std::any_of(attack.given.begin(), attack.given.end(),
                        [&](const auto& given) { return given.first == parameter.field; });
        if (again) throw Error(fmt::format("'{}' is set twice", parameter.name));
        attack.name += fmt::format(":{}={}", parameter.name, value);
        attack.given.emplace_back(parameter.field, value);
        require_valid(attack.own_options({}));
        further.push_back(std::move(attack));
      }
    }
    variants = std::move(further);
  }
  return variants;
}

}  // namespace

AttackOptions Attack::own_options(AttackOptions options) const {
  for (const auto& [field, value] : given) options.*field = value;
  return options;
}

AttackTable select_attacks(const AttackTable& table, std::string_view names) {
  if (names == "all") return table;
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

std::vector<std::string> gradient_norms_of(const AttackTable& attacks,
                                           const AttackOptions& options) {
  std::vector<std::string> keys;
  for (const Attack& attack : attacks) {
    const bool reads_norm = std::ranges::any_of(
        attack.needs, [](const TraceNeed& need) { return need.name == kNeedsGradNorm.name; });
    if (!reads_norm) continue;
    std::string key = grad_norm_key(attack.own_options(options).p);
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
  }
  return keys;
}

void require_valid(const AttackOptions& options) {
  require_share(options.k, "k");
  require_share(options.surp_k, "surp's k");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (options.p != 1 && options.p != 2 && options.p != kInfinity) {
    throw Error({.what = fmt::format("p is {}", options.p), .expected = "a norm: 1, 2 or inf"});
  }
  if (!(options.surp_entropy > 0)) {
    throw Error({.what = fmt::format("surp's entropy is {}", options.surp_entropy),
                 .expected = "a number of nats greater than 0"});
  }
}

}  // namespace palimpsest
