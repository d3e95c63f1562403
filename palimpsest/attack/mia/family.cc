#include "palimpsest/attack/internal/mia/family.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/attack/internal/mia/picked_out.h"
#include "palimpsest/base/error.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/internal/simultaneous.h"

namespace palimpsest::attack {
namespace {

constexpr double kEquivalenceConfidence = 0.90;  // two one-sided tests at 5%

bool is_constant(const stat::LabelledScores& scores) {
  if (!scores.has_both_classes()) return false;
  const double first = scores.positives.front();
  auto equals = [&](double score) { return score == first; };
  return std::ranges::all_of(scores.positives, equals) &&
         std::ranges::all_of(scores.negatives, equals);
}

// The influence of one estimate over all cluster numbers of the audit: an estimate on fewer
// examples may know fewer numbers.
std::vector<double> padded(const std::vector<double>& influence, int64_t clusters) {
  std::vector<double> result = influence;
  result.resize(static_cast<size_t>(clusters), 0.0);
  return result;
}

// The multiple of the standard errors for the estimates of a family, and how much larger it is than
// that of a single estimate.
struct FamilyMultiple {
  double multiple = 0;
  double over_single = 1;
};

template <class Estimate>
FamilyMultiple family_multiple(const std::vector<const Estimate*>& estimates, int64_t clusters,
                               const FamilyOptions& options) {
  std::vector<std::vector<double>> rows;
  std::vector<stat::EstimateInfluence> influences;
  rows.reserve(estimates.size());
  const Estimate* weakest = nullptr;
  for (const Estimate* estimate : estimates) {
    if (estimate->variance <= 0) continue;
    rows.push_back(padded(estimate->influence, clusters));
    influences.push_back(
        {.influence = rows.back(), .degrees_of_freedom = estimate->degrees_of_freedom});
    if (weakest == nullptr || estimate->degrees_of_freedom < weakest->degrees_of_freedom)
      weakest = estimate;
  }
  const stat::MultiplierOptions how{.confidence = 1 - kFamilyLevel,
                                    .draws = options.multiplier_draws,
                                    .seed = options.seed,
                                    .threads = options.threads};
  FamilyMultiple result{.multiple = stat::simultaneous_multiple(influences, how)};
  if (weakest == nullptr) return result;
  const stat::EstimateInfluence single{.influence = weakest->influence,
                                       .degrees_of_freedom = weakest->degrees_of_freedom};
  result.over_single =
      std::max(1.0, result.multiple / stat::simultaneous_multiple({&single, 1}, how));
  return result;
}

MemberInference infer_member(const FamilyMember& member, const ExampleClusters& clusters,
                             const FamilyOptions& options) {
  const stat::ClusteredScores scored = to_clustered(member.scores, clusters);
  MemberInference result{.attack = member.attack,
                         .name = member.name,
                         .auc = stat::auc(scored.scores),
                         .constant = is_constant(scored.scores),
                         .in_family = member.in_family};
  result.estimate = stat::clustered_auc(scored.scores, scored.clusters);
  if (result.estimate) {
    result.interval = stat::auc_interval(*result.estimate, options.confidence);
    result.equivalence = stat::auc_interval(*result.estimate, kEquivalenceConfidence);
  }
  if (!member.baseline) return result;
  const stat::ClusteredScores of_model = to_clustered(member.scores, clusters, &*member.baseline);
  const stat::ClusteredScores of_baseline =
      to_clustered(*member.baseline, clusters, &member.scores);
  const auto a = stat::clustered_auc(of_model.scores, of_model.clusters);
  const auto b = stat::clustered_auc(of_baseline.scores, of_baseline.clusters);
  if (!a || !b) return result;
  result.difference = stat::auc_difference(*a, *b);
  // Two models with the very same scores leave nothing to infer from.
  if (result.difference && result.difference->variance <= 0) result.difference.reset();
  if (!result.difference) return result;
  result.difference_interval = stat::difference_interval(*result.difference, options.confidence);
  result.difference_equivalence =
      stat::difference_interval(*result.difference, kEquivalenceConfidence);
  return result;
}

// Score of the model minus score of the baseline, where both are defined.
ScoreColumn differences(std::span<const std::optional<double>> a,
                        std::span<const std::optional<double>> b) {
  ScoreColumn result(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] && b[i]) result[i] = *a[i] - *b[i];
  }
  return result;
}

stat::FamilyPermutation permute(std::span<const FamilyMember> members,
                                const ExampleClusters& clusters, bool against_baseline,
                                const FamilyOptions& options) {
  std::vector<stat::ClusteredScores> family;
  std::vector<size_t> attacks;
  for (size_t i = 0; i < members.size(); ++i) {
    const FamilyMember& member = members[i];
    if (!member.in_family) continue;
    attacks.push_back(i);
    if (!against_baseline) {
      family.push_back(to_clustered(member.scores, clusters));
      continue;
    }
    const ScoreColumn forget = differences(member.scores.forget, member.baseline->forget);
    const ScoreColumn holdout = differences(member.scores.holdout, member.baseline->holdout);
    family.push_back(to_clustered({forget, holdout}, clusters));
  }
  stat::FamilyPermutation result =
      stat::permute_family(family, {.permutations = options.permutations,
                                    .tail_fpr = kTailFpr,
                                    .tail_permutations = options.tail_permutations,
                                    .seed = options.seed,
                                    .threads = options.threads,
                                    .stop = options.stop});
  if (result.tail_attack) result.tail_attack = attacks[*result.tail_attack];
  if (against_baseline) result.p_value.reset();
  return result;
}

// A difference in the form that plans are made from: it varies like an AUC around ½.
stat::ClusteredAuc as_auc(const stat::AucDifference& difference,
                          const std::vector<stat::ClusterStratum>& strata) {
  stat::ClusteredAuc result{.auc = 0.5,
                            .variance = difference.variance,
                            .degrees_of_freedom = difference.degrees_of_freedom,
                            .influence = difference.influence,
                            .strata = strata,
                            .clusters = difference.clusters};
  for (size_t g = 0; g < std::min(strata.size(), difference.influence.size()); ++g) {
    const double square = difference.influence[g] * difference.influence[g];
    const double share = strata[g] == stat::ClusterStratum::kBoth ? 0.5 : 1;
    if (strata[g] != stat::ClusterStratum::kNegatives) result.variance_positives += share * square;
    if (strata[g] != stat::ClusterStratum::kPositives) result.variance_negatives += share * square;
  }
  return result;
}

// The simultaneous intervals of the AUCs and of the differences, and what they could have seen.
void add_simultaneous(FamilyInference& family, int64_t clusters) {
  std::vector<const stat::ClusteredAuc*> estimates;
  std::vector<const stat::AucDifference*> differences;
  int64_t size = 0;
  for (const MemberInference& member : family.members) {
    if (!member.in_family) continue;
    ++size;
    if (member.estimate) estimates.push_back(&*member.estimate);
    if (member.difference) differences.push_back(&*member.difference);
  }
  const FamilyMultiple of_aucs = family_multiple(estimates, clusters, family.options);
  // An AUC of 0 or 1 has an exact bound, which Bonferroni makes one of the family.
  const double exact = 1 - kFamilyLevel / static_cast<double>(std::max<int64_t>(size, 1));
  for (MemberInference& member : family.members) {
    if (!member.in_family || !member.estimate) continue;
    member.simultaneous = stat::auc_interval_with(*member.estimate, of_aucs.multiple, exact);
    if (member.estimate->variance <= 0 || family.has_baseline) continue;
    const double detected = stat::would_detect(*member.estimate, of_aucs.multiple);
    family.would_detect = std::max(family.would_detect.value_or(detected), detected);
  }
  std::vector<stat::ClusteredAuc> varying;
  for (const stat::ClusteredAuc* estimate : estimates) {
    if (estimate->variance > 0) varying.push_back(*estimate);
  }
  if (!family.has_baseline) {
    family.needed = stat::clusters_needed(varying, {.margin = family.options.margin,
                                                    .confidence = 1 - kFamilyLevel,
                                                    .multiple_ratio = of_aucs.over_single});
    return;
  }
  const FamilyMultiple of_differences = family_multiple(differences, clusters, family.options);
  std::vector<stat::ClusteredAuc> planned_differences;
  for (MemberInference& member : family.members) {
    if (!member.in_family || !member.difference) continue;
    const double reach = of_differences.multiple * member.difference->standard_error();
    const double center = member.difference->difference();
    member.difference_simultaneous =
        stat::Interval{std::max(-1.0, center - reach), std::min(1.0, center + reach)};
    const stat::ClusteredAuc planned = as_auc(*member.difference, member.estimate->strata);
    const double detected = stat::would_detect(planned, of_differences.multiple) - 0.5;
    family.would_detect = std::max(family.would_detect.value_or(detected), detected);
    planned_differences.push_back(planned);
  }
  family.needed =
      stat::clusters_needed(planned_differences, {.margin = family.options.margin,
                                                  .confidence = 1 - kFamilyLevel,
                                                  .multiple_ratio = of_differences.over_single});
}

std::optional<double> distance_from(const std::optional<stat::Interval>& interval, double center) {
  if (!interval) return std::nullopt;
  return std::max(std::abs(interval->low - center), std::abs(interval->high - center));
}

// The margin that the family supports; undefined as soon as one member is.
std::optional<double> smallest_margin(const FamilyInference& family) {
  std::optional<double> largest;
  for (const MemberInference& member : family.members) {
    if (!member.in_family) continue;
    const auto distance = family.has_baseline ? distance_from(member.difference_equivalence, 0)
                                              : distance_from(member.equivalence, 0.5);
    if (!distance) return std::nullopt;
    largest = std::max(largest.value_or(0), *distance);
  }
  return largest;
}

// Kish's effective number of clusters, (sum of sizes)² / (sum of their squares), over their number.
double evenness(const std::vector<int64_t>& cluster_of_example) {
  std::map<int64_t, double> sizes;
  for (const int64_t cluster : cluster_of_example) ++sizes[cluster];
  if (sizes.empty()) return 1;
  double squares = 0;
  for (const auto& [cluster, size] : sizes) squares += size * size;
  const auto examples = static_cast<double>(cluster_of_example.size());
  return examples * examples / squares / static_cast<double>(sizes.size());
}

void describe_clusters(std::span<const FamilyMember> members, const ExampleClusters& clusters,
                       FamilyInference& family) {
  family.cluster_name = clusters.name;
  family.cluster_evenness = std::min(evenness(clusters.forget), evenness(clusters.holdout));
  for (const FamilyMember& member : members) {
    const stat::ClusteredScores scored = to_clustered(member.scores, clusters);
    const stat::ClusterCounts counts = stat::count_clusters(scored.clusters);
    family.clusters.positives = std::max(family.clusters.positives, counts.positives);
    family.clusters.negatives = std::max(family.clusters.negatives, counts.negatives);
    family.clusters.both = std::max(family.clusters.both, counts.both);
    if (!clusters.is_given() || !member.in_family) continue;
    const auto larger = [](std::optional<double>& known, const std::optional<double>& value) {
      if (value) known = std::max(known.value_or(*value), *value);
    };
    larger(family.icc, stat::rank_intraclass_correlation(scored.scores, scored.clusters));
    larger(family.design_effect, stat::design_effect(scored.scores, scored.clusters));
  }
}

}  // namespace

void require_valid(const FamilyOptions& options) {
  stat::require_confidence(options.confidence);
  if (!(options.margin > 0 && options.margin < 0.5)) {
    throw Error({.what = "the margin is a distance of an AUC from 0.5, greater than 0 and less "
                         "than 0.5",
                 .found = std::to_string(options.margin)});
  }
}

FamilyInference infer_family(std::span<const FamilyMember> members, const ExampleClusters& clusters,
                             const FamilyOptions& options) {
  require_valid(options);
  FamilyInference family{.options = options};
  family.has_baseline = std::ranges::any_of(members, &FamilyMember::in_family);
  for (const FamilyMember& member : members) {
    if (options.stop.stop_requested()) throw Stopped();
    family.members.push_back(infer_member(member, clusters, options));
    if (member.in_family && !member.baseline) family.has_baseline = false;
  }
  describe_clusters(members, clusters, family);
  add_simultaneous(family, clusters.count());
  family.permutation = permute(members, clusters, family.has_baseline, options);
  family.smallest_margin = smallest_margin(family);
  PickOptions picking{.validation_split = options.validation_split,
                      .seed = options.seed,
                      .confidence = options.confidence,
                      .against_baseline = family.has_baseline};
  family.familiar = pick_out(members, clusters, picking);
  picking.reversed = true;
  family.unfamiliar = pick_out(members, clusters, picking);
  return family;
}

}  // namespace palimpsest::attack
