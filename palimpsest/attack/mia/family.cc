#include "palimpsest/attack/mia/family.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/simultaneous.h"

namespace palimpsest {
namespace {

constexpr double kEquivalenceConfidence = 0.90;  // two one-sided tests at 5%

bool is_constant(const LabelledScores& scores) {
  if (!scores.has_both_classes()) return false;
  const double first = scores.positives.front();
  auto equals = [&](double score) { return score == first; };
  return std::ranges::all_of(scores.positives, equals) &&
         std::ranges::all_of(scores.negatives, equals);
}

// The influence of one estimate over all cluster numbers of the audit: an estimate on fewer examples
// may know fewer numbers.
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
  std::vector<EstimateInfluence> influences;
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
  const MultiplierOptions how{.confidence = 1 - kFamilyLevel,
                              .draws = options.multiplier_draws,
                              .seed = options.seed,
                              .threads = options.threads};
  FamilyMultiple result{.multiple = simultaneous_multiple(influences, how)};
  if (weakest == nullptr) return result;
  const EstimateInfluence single{.influence = weakest->influence,
                                 .degrees_of_freedom = weakest->degrees_of_freedom};
  result.over_single = std::max(1.0, result.multiple / simultaneous_multiple({&single, 1}, how));
  return result;
}

MemberInference infer_member(const FamilyMember& member, const ExampleClusters& clusters,
                             const FamilyOptions& options) {
  const ClusteredScores scored = to_clustered(member.scores, clusters);
  MemberInference result{.attack = member.attack,
                         .auc = auc(scored.scores),
                         .constant = is_constant(scored.scores),
                         .in_family = member.in_family};
  result.estimate = clustered_auc(scored.scores, scored.clusters);
  if (result.estimate) {
    result.interval = auc_interval(*result.estimate, options.confidence);
    result.equivalence = auc_interval(*result.estimate, kEquivalenceConfidence);
  }
  if (!member.baseline) return result;
  const ClusteredScores of_model = to_clustered(member.scores, clusters, &*member.baseline);
  const ClusteredScores of_baseline = to_clustered(*member.baseline, clusters, &member.scores);
  const auto a = clustered_auc(of_model.scores, of_model.clusters);
  const auto b = clustered_auc(of_baseline.scores, of_baseline.clusters);
  if (!a || !b) return result;
  result.difference = auc_difference(*a, *b);
  // Two models with the very same scores leave nothing to infer from.
  if (result.difference && result.difference->variance <= 0) result.difference.reset();
  if (!result.difference) return result;
  result.difference_interval = difference_interval(*result.difference, options.confidence);
  result.difference_equivalence = difference_interval(*result.difference, kEquivalenceConfidence);
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

FamilyPermutation permute(std::span<const FamilyMember> members, const ExampleClusters& clusters,
                          bool against_baseline, const FamilyOptions& options) {
  std::vector<ClusteredScores> family;
  std::vector<size_t> places;
  for (size_t i = 0; i < members.size(); ++i) {
    const FamilyMember& member = members[i];
    if (!member.in_family) continue;
    places.push_back(i);
    if (!against_baseline) {
      family.push_back(to_clustered(member.scores, clusters));
      continue;
    }
    const ScoreColumn forget = differences(member.scores.forget, member.baseline->forget);
    const ScoreColumn holdout = differences(member.scores.holdout, member.baseline->holdout);
    family.push_back(to_clustered({forget, holdout}, clusters));
  }
  FamilyPermutation result = permute_family(family, {.permutations = options.permutations,
                                                     .tail_fpr = kTailFpr,
                                                     .tail_permutations = options.tail_permutations,
                                                     .seed = options.seed,
                                                     .threads = options.threads});
  if (result.tail_attack) result.tail_attack = places[*result.tail_attack];
  if (against_baseline) result.p_value.reset();
  return result;
}

// A difference in the form that plans are made from: it varies like an AUC around ½.
ClusteredAuc as_auc(const AucDifference& difference, const std::vector<ClusterStratum>& strata) {
  ClusteredAuc result{.auc = 0.5,
                      .variance = difference.variance,
                      .degrees_of_freedom = difference.degrees_of_freedom,
                      .influence = difference.influence,
                      .strata = strata,
                      .clusters = difference.clusters};
  for (size_t g = 0; g < std::min(strata.size(), difference.influence.size()); ++g) {
    const double square = difference.influence[g] * difference.influence[g];
    const double share = strata[g] == ClusterStratum::kBoth ? 0.5 : 1;
    if (strata[g] != ClusterStratum::kNegatives) result.variance_positives += share * square;
    if (strata[g] != ClusterStratum::kPositives) result.variance_negatives += share * square;
  }
  return result;
}

// The simultaneous intervals of the AUCs and of the differences, and what they could have seen.
void add_simultaneous(FamilyInference& family, int64_t clusters) {
  std::vector<const ClusteredAuc*> estimates;
  std::vector<const AucDifference*> differences;
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
    member.simultaneous = auc_interval_with(*member.estimate, of_aucs.multiple, exact);
    if (member.estimate->variance <= 0 || family.has_baseline) continue;
    const double detected = would_detect(*member.estimate, of_aucs.multiple);
    family.would_detect = std::max(family.would_detect.value_or(detected), detected);
  }
  std::vector<ClusteredAuc> varying;
  for (const ClusteredAuc* estimate : estimates) {
    if (estimate->variance > 0) varying.push_back(*estimate);
  }
  if (!family.has_baseline) {
    family.needed = clusters_needed(varying, {.margin = family.options.margin,
                                              .confidence = 1 - kFamilyLevel,
                                              .multiple_ratio = of_aucs.over_single});
    return;
  }
  const FamilyMultiple of_differences = family_multiple(differences, clusters, family.options);
  std::vector<ClusteredAuc> planned_differences;
  for (MemberInference& member : family.members) {
    if (!member.in_family || !member.difference) continue;
    const double reach = of_differences.multiple * member.difference->standard_error();
    const double center = member.difference->difference();
    member.difference_simultaneous =
        Interval{std::max(-1.0, center - reach), std::min(1.0, center + reach)};
    const ClusteredAuc planned = as_auc(*member.difference, member.estimate->strata);
    const double detected = would_detect(planned, of_differences.multiple) - 0.5;
    family.would_detect = std::max(family.would_detect.value_or(detected), detected);
    planned_differences.push_back(planned);
  }
  family.needed =
      clusters_needed(planned_differences, {.margin = family.options.margin,
                                            .confidence = 1 - kFamilyLevel,
                                            .multiple_ratio = of_differences.over_single});
}

std::optional<double> distance_from(const std::optional<Interval>& interval, double center) {
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

void describe_clusters(std::span<const FamilyMember> members, const ExampleClusters& clusters,
                       FamilyInference& family) {
  family.cluster_name = clusters.name;
  for (const FamilyMember& member : members) {
    const ClusteredScores scored = to_clustered(member.scores, clusters);
    const ClusterCounts counts = count_clusters(scored.clusters);
    family.clusters.positives = std::max(family.clusters.positives, counts.positives);
    family.clusters.negatives = std::max(family.clusters.negatives, counts.negatives);
    family.clusters.both = std::max(family.clusters.both, counts.both);
    if (!clusters.is_given() || !member.in_family) continue;
    const auto larger = [](std::optional<double>& known, const std::optional<double>& value) {
      if (value) known = std::max(known.value_or(*value), *value);
    };
    larger(family.icc, rank_intraclass_correlation(scored.scores, scored.clusters));
    larger(family.design_effect, design_effect(scored.scores, scored.clusters));
  }
}

}  // namespace

void require_valid(const FamilyOptions& options) {
  require_confidence(options.confidence);
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
    family.members.push_back(infer_member(member, clusters, options));
    if (member.in_family && !member.baseline) family.has_baseline = false;
  }
  describe_clusters(members, clusters, family);
  add_simultaneous(family, clusters.count());
  family.permutation = permute(members, clusters, family.has_baseline, options);
  family.smallest_margin = smallest_margin(family);
  return family;
}

}  // namespace palimpsest
