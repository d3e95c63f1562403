#include "palimpsest/attack/scored_attack.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <unordered_map>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/auc.h"

namespace palimpsest::attack {

const std::vector<std::string>& ExampleKeys::list() const {
  static const std::vector<std::string> none;
  return list_ ? *list_ : none;
}

SetScores set_scores(ExampleKeys keys, ScoreColumn scores) {
  SetScores set{.keys = std::move(keys), .scores = std::move(scores)};
  if (!set.has_keys()) {
    throw Error(
        {.what = "every score needs the key of its example",
         .expected = "one key per score",
         .found = fmt::format("{} keys and {} scores", set.keys.size(), set.scores.size())});
  }
  double sum = 0;
  for (const std::optional<double>& score : set.scores) {
    if (!score) ++set.undefined;
    sum += score.value_or(0);
  }
  if (set.defined() > 0) set.mean = sum / static_cast<double>(set.defined());
  return set;
}

std::optional<SetScores> in_order(const SetScores& set, const ExampleKeys& keys) {
  if (!set.has_keys()) return std::nullopt;
  std::unordered_map<std::string_view, std::optional<double>> by_key;
  for (size_t i = 0; i < set.scores.size(); ++i) by_key.emplace(set.keys[i], set.scores[i]);
  ScoreColumn scores;
  for (const std::string& key : keys.list()) {
    const auto found = by_key.find(key);
    if (found == by_key.end()) return std::nullopt;
    scores.push_back(found->second);
  }
  return set_scores(keys, std::move(scores));
}

std::string with_parameters(const std::string& name, const ParameterValues& parameters) {
  if (parameters.empty()) return name;
  std::vector<std::string> parts;
  for (const auto& [key, value] : parameters) parts.push_back(fmt::format("{}={:g}", key, value));
  return fmt::format("{} ({})", name, fmt::join(parts, ", "));
}

std::optional<double> auc_of(const ScoredAttack& scored) {
  return stat::auc(to_labelled(scored.columns()));
}

}  // namespace palimpsest::attack
