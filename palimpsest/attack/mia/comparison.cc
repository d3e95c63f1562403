#include "palimpsest/attack/mia/comparison.h"

#include <fmt/format.h>

#include <unordered_map>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/multiple_testing.h"

namespace palimpsest {
namespace {

bool same_gaps(std::span<const std::optional<double>> a, std::span<const std::optional<double>> b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].has_value() != b[i].has_value()) return false;
  }
  return true;
}

}  // namespace

std::optional<DelongTest> compare(const ScoreColumns& a, const ScoreColumns& b, double confidence) {
  const auto [of_a, of_b] = to_paired(a, b);
  return delong_test(of_a, of_b, confidence);
}

std::vector<AttackComparison> compare_attacks(const std::vector<ScoreColumns>& attacks,
                                              double confidence) {
  // Placing the scores is the expensive part, so each attack's are placed once; only where two
  // attacks leave different examples undefined their common ones have to be placed anew.
  std::vector<AucPlacements> placed;
  for (const ScoreColumns& attack : attacks) placed.push_back(place(to_labelled(attack)));
  std::vector<AttackComparison> comparisons;
  std::vector<double> p_values;
  for (size_t a = 0; a < attacks.size(); ++a) {
    for (size_t b = a + 1; b < attacks.size(); ++b) {
      const bool aligned = same_gaps(attacks[a].forget, attacks[b].forget) &&
                           same_gaps(attacks[a].holdout, attacks[b].holdout);
      auto test = aligned ? delong_test(placed[a], placed[b], confidence)
                          : compare(attacks[a], attacks[b], confidence);
      if (test && test->p_value) p_values.push_back(*test->p_value);
      comparisons.push_back({.a = a, .b = b, .test = std::move(test), .holm_p_value = {}});
    }
  }
  const std::vector<double> corrected = holm(p_values);
  size_t next = 0;
  for (AttackComparison& comparison : comparisons) {
    if (comparison.test && comparison.test->p_value) comparison.holm_p_value = corrected[next++];
  }
  return comparisons;
}

std::vector<size_t> match_examples(const TraceScores& to, const TraceScores& from,
                                   const std::string& what) {
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < from.examples.size(); ++i) places.emplace(from.examples[i].key(), i);
  std::vector<size_t> matches;
  for (size_t i = 0; i < to.examples.size(); ++i) {
    const std::string key = to.examples[i].key();
    const auto found = places.find(key);
    if (found == places.end()) {
      throw Error({.what = fmt::format("{} lack the example '{}'", what, key),
                   .hint = "trace both models on the same data"});
    }
    const auto& text = to.facts[i].text;
    const auto& other = from.facts[found->second].text;
    if (text && other && *text != *other) {
      throw Error({.what = fmt::format("{} have another text for the example '{}'", what, key),
                   .hint = "trace both models on the same data"});
    }
    matches.push_back(found->second);
  }
  return matches;
}

}  // namespace palimpsest
