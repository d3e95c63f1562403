#include "palimpsest/attack/internal/mia/comparison.h"

#include <fmt/format.h>

#include <unordered_map>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/base/error.h"
#include "palimpsest/stat/multiple_testing.h"

namespace palimpsest::attack {
namespace {

bool same_gaps(std::span<const std::optional<double>> a, std::span<const std::optional<double>> b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].has_value() != b[i].has_value()) return false;
  }
  return true;
}

std::optional<PairedAuc> paired_auc(const stat::ClusteredAuc& a, const stat::ClusteredAuc& b,
                                    double confidence) {
  const std::optional<stat::AucDifference> difference = stat::auc_difference(a, b);
  if (!difference) return std::nullopt;
  return PairedAuc{.auc_a = difference->auc_a,
                   .auc_b = difference->auc_b,
                   .difference = stat::difference_interval(*difference, confidence),
                   .p_value = stat::difference_p_value(*difference)};
}

// Attacks that leave different examples undefined are placed anew on their common ones.
std::optional<PairedAuc> compare(const EstimatedColumns& a, const EstimatedColumns& b,
                                 const ExampleClusters& clusters, double confidence) {
  if (same_gaps(a.scores.forget, b.scores.forget) && same_gaps(a.scores.holdout, b.scores.holdout))
    return a.estimate && b.estimate ? paired_auc(*a.estimate, *b.estimate, confidence)
                                    : std::nullopt;
  const stat::ClusteredScores of_a = to_clustered(a.scores, clusters, &b.scores);
  const stat::ClusteredScores of_b = to_clustered(b.scores, clusters, &a.scores);
  const auto auc_a = stat::clustered_auc(of_a.scores, of_a.clusters);
  const auto auc_b = stat::clustered_auc(of_b.scores, of_b.clusters);
  return auc_a && auc_b ? paired_auc(*auc_a, *auc_b, confidence) : std::nullopt;
}

}  // namespace

std::vector<AttackComparison> compare_attacks(std::span<const EstimatedColumns> attacks,
                                              const ExampleClusters& clusters, double confidence) {
  std::vector<AttackComparison> comparisons;
  std::vector<double> p_values;
  for (size_t a = 0; a < attacks.size(); ++a) {
    for (size_t b = a + 1; b < attacks.size(); ++b) {
      std::optional<PairedAuc> test = compare(attacks[a], attacks[b], clusters, confidence);
      if (test) p_values.push_back(test->p_value);
      comparisons.push_back({.a = a, .b = b, .test = test, .holm_p_value = {}});
    }
  }
  const std::vector<double> corrected = stat::holm(p_values);
  size_t next = 0;
  for (AttackComparison& comparison : comparisons) {
    if (comparison.test) comparison.holm_p_value = corrected[next++];
  }
  return comparisons;
}

std::vector<size_t> match_examples(const TraceScores& to, const TraceScores& from,
                                   const std::string& what) {
  std::unordered_map<std::string, size_t> index_of;
  for (size_t i = 0; i < from.examples.size(); ++i) index_of.emplace(from.examples[i].key(), i);
  std::vector<size_t> matches;
  for (size_t i = 0; i < to.examples.size(); ++i) {
    const std::string key = to.examples[i].key();
    const auto found = index_of.find(key);
    if (found == index_of.end()) {
      throw Error({.what = fmt::format("{} lack the example '{}'", what, key),
                   .hint = "trace both models on the same data"});
    }
    const ExampleFacts& facts = to.facts[i];
    const ExampleFacts& other = from.facts[found->second];
    if (has_text(facts) && has_text(other) && exact_content(facts) != exact_content(other)) {
      throw Error({.what = fmt::format("{} have a different text for the example '{}'", what, key),
                   .hint = "trace both models on the same data"});
    }
    matches.push_back(found->second);
  }
  return matches;
}

}  // namespace palimpsest::attack
