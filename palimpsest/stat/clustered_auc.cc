#include "palimpsest/stat/clustered_auc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/internal/normal.h"
#include "palimpsest/stat/internal/student_t.h"

namespace palimpsest::stat {
namespace {

// Twice the pairs that are in order, ties counted once. Integers, so that a jackknife deviation is
// exact up to its last division: where nothing changes it is 0 and not a rounding error.
struct DoubledWins {
  std::vector<int64_t> of_positives;  // negatives below each positive
  std::vector<int64_t> of_negatives;  // positives above each negative
  int64_t total = 0;
};

DoubledWins count_doubled_wins(const ScoresView& scores) {
  DoubledWins wins{.of_positives = doubled_placements(scores.positives, scores.negatives),
                   .of_negatives = doubled_placements(scores.negatives, scores.positives)};
  for (int64_t& doubled : wins.of_negatives) doubled = 2 * scores.positive_count() - doubled;
  wins.total = std::accumulate(wins.of_positives.begin(), wins.of_positives.end(), int64_t{0});
  return wins;
}

// What goes when a cluster goes.
struct RemovedCluster {
  int64_t positives = 0;
  int64_t negatives = 0;
  int64_t doubled_wins = 0;
};

// Pairs inside a cluster were counted from both of their ends.
void subtract_inner_wins(const ScoresView& scores, const ScoreClusters& clusters,
                         std::vector<RemovedCluster>& removed) {
  std::vector<LabelledScores> inner(removed.size());
  auto gather = [&](std::span<const double> from, const std::vector<int64_t>& numbers,
                    std::vector<double> LabelledScores::*into) {
    for (size_t i = 0; i < from.size(); ++i) {
      const auto g = static_cast<size_t>(numbers[i]);
      if (removed[g].positives > 0 && removed[g].negatives > 0) {
        (inner[g].*into).push_back(from[i]);
      }
    }
  };
  gather(scores.positives, clusters.positives, &LabelledScores::positives);
  gather(scores.negatives, clusters.negatives, &LabelledScores::negatives);
  for (size_t g = 0; g < removed.size(); ++g) {
    if (!inner[g].has_both_classes()) continue;
    for (int64_t doubled : doubled_placements(inner[g].positives, inner[g].negatives)) {
      removed[g].doubled_wins -= doubled;
    }
  }
}

std::vector<RemovedCluster> removed_clusters(const ScoresView& scores,
                                             const ScoreClusters& clusters, const DoubledWins& wins,
                                             bool any_in_both) {
  std::vector<RemovedCluster> removed(static_cast<size_t>(clusters.count()));
  for (size_t i = 0; i < scores.positives.size(); ++i) {
    RemovedCluster& cluster = removed[static_cast<size_t>(clusters.positives[i])];
    ++cluster.positives;
    cluster.doubled_wins += wins.of_positives[i];
  }
  for (size_t i = 0; i < scores.negatives.size(); ++i) {
    RemovedCluster& cluster = removed[static_cast<size_t>(clusters.negatives[i])];
    ++cluster.negatives;
    cluster.doubled_wins += wins.of_negatives[i];
  }
  if (any_in_both) subtract_inner_wins(scores, clusters, removed);
  return removed;
}

// A_(-g) - A over the common denominator. The numerator is exact: 128 bits hold it for classes of
// up to two thousand million items.
double auc_change_without(const RemovedCluster& cluster, int64_t m, int64_t n, int64_t total) {
  using Wide = __int128;
  const int64_t m_left = m - cluster.positives;
  const int64_t n_left = n - cluster.negatives;
  const Wide numerator = Wide{total - cluster.doubled_wins} * m * n - Wide{total} * m_left * n_left;
  return static_cast<double>(numerator) /
         (2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(m_left) *
          static_cast<double>(n_left));
}

constexpr size_t kStrata = 4;  // of ClusterStratum, kNone included

std::array<int64_t, kStrata> count_strata(const std::vector<ClusterStratum>& strata) {
  std::array<int64_t, kStrata> counts{};
  for (ClusterStratum stratum : strata) ++counts[static_cast<size_t>(stratum)];
  return counts;
}

struct StrataVariance {
  std::array<double, kStrata> parts{};
  double total = 0;
  double degrees_of_freedom = 0;  // Satterthwaite's
};

StrataVariance sum_over_strata(const std::vector<double>& influence,
                               const std::vector<ClusterStratum>& strata) {
  StrataVariance sum;
  for (size_t g = 0; g < influence.size(); ++g) {
    sum.parts[static_cast<size_t>(strata[g])] += influence[g] * influence[g];
  }
  const std::array<int64_t, kStrata> counts = count_strata(strata);
  double squares = 0;
  for (size_t s = 0; s < kStrata; ++s) {
    const auto degrees = static_cast<double>(std::max<int64_t>(counts[s] - 1, 1));
    sum.total += sum.parts[s];
    squares += sum.parts[s] * sum.parts[s] / degrees;
  }
  if (squares > 0) sum.degrees_of_freedom = sum.total * sum.total / squares;
  return sum;
}

// √((G_s - 1)/G_s) per stratum; 1 for a stratum of one cluster.
std::array<double, kStrata> jackknife_factors(const std::vector<ClusterStratum>& strata) {
  std::array<double, kStrata> factors{};
  const std::array<int64_t, kStrata> counts = count_strata(strata);
  for (size_t s = 0; s < kStrata; ++s) {
    const auto count = static_cast<double>(counts[s]);
    factors[s] = counts[s] > 1 ? std::sqrt((count - 1) / count) : 1;
  }
  return factors;
}

std::optional<ClusteredAuc> jackknife_auc(const ScoresView& scores, const ScoreClusters& clusters,
                                          const DoubledWins& wins) {
  const int64_t m = scores.positive_count();
  const int64_t n = scores.negative_count();
  ClusteredAuc estimate;
  estimate.clusters = count_clusters(clusters);
  // A cluster that holds all items of a class is the only one that has any.
  if (estimate.clusters.positives < 2 || estimate.clusters.negatives < 2) return std::nullopt;
  estimate.auc =
      static_cast<double>(wins.total) / (2.0 * static_cast<double>(m) * static_cast<double>(n));
  estimate.strata = strata_of(clusters);
  const std::array<double, kStrata> factors = jackknife_factors(estimate.strata);
  const std::vector<RemovedCluster> removed =
      removed_clusters(scores, clusters, wins, estimate.clusters.both > 0);
  estimate.influence.resize(removed.size());
  for (size_t g = 0; g < removed.size(); ++g) {
    estimate.influence[g] = factors[static_cast<size_t>(estimate.strata[g])] *
                            auc_change_without(removed[g], m, n, wins.total);
  }
  const StrataVariance variance = sum_over_strata(estimate.influence, estimate.strata);
  const bool separated = estimate.auc == 0 || estimate.auc == 1;
  if (variance.total == 0 && !separated) return std::nullopt;
  estimate.variance = variance.total;
  estimate.degrees_of_freedom = variance.degrees_of_freedom;
  const double both = variance.parts[static_cast<size_t>(ClusterStratum::kBoth)];
  estimate.variance_positives =
      variance.parts[static_cast<size_t>(ClusterStratum::kPositives)] + both / 2;
  estimate.variance_negatives =
      variance.parts[static_cast<size_t>(ClusterStratum::kNegatives)] + both / 2;
  return estimate;
}

// One class's part of DeLong's variance, from its doubled placements among `others` items.
double placement_variance(const std::vector<int64_t>& doubled, int64_t total, int64_t others) {
  const auto count = static_cast<double>(doubled.size());
  const double mean = static_cast<double>(total) / count;
  double sum = 0;
  for (int64_t value : doubled) {
    const double deviation = static_cast<double>(value) - mean;
    sum += deviation * deviation;
  }
  const double scale = 2.0 * static_cast<double>(others);
  return sum / (count - 1) / count / (scale * scale);
}

// The sums of a one-way analysis of variance within classes, one class added after the other.
struct RankAnova {
  double between = 0;  // sum of squares of cluster means around their class mean
  double within = 0;   // and of items around their cluster mean
  double size = 0;     // Σ (items - Σm_g²/items), whose share per degree of freedom is k0
  int64_t between_degrees = 0;
  int64_t within_degrees = 0;

  void add_class(const std::vector<int64_t>& doubled_ranks, const std::vector<int64_t>& numbers,
                 int64_t clusters);
};

void RankAnova::add_class(const std::vector<int64_t>& doubled_ranks,
                          const std::vector<int64_t>& numbers, int64_t clusters) {
  std::vector<double> sums(static_cast<size_t>(clusters));
  std::vector<int64_t> sizes(static_cast<size_t>(clusters));
  double total = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto rank = static_cast<double>(doubled_ranks[i]);
    sums[static_cast<size_t>(numbers[i])] += rank;
    ++sizes[static_cast<size_t>(numbers[i])];
    total += rank;
  }
  const auto items = static_cast<double>(numbers.size());
  double squared_sizes = 0;
  int64_t groups = 0;
  for (size_t g = 0; g < sums.size(); ++g) {
    if (sizes[g] == 0) continue;
    const auto count = static_cast<double>(sizes[g]);
    const double deviation = sums[g] / count - total / items;
    between += count * deviation * deviation;
    squared_sizes += count * count;
    ++groups;
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto g = static_cast<size_t>(numbers[i]);
    const double deviation =
        static_cast<double>(doubled_ranks[i]) - sums[g] / static_cast<double>(sizes[g]);
    within += deviation * deviation;
  }
  size += items - squared_sizes / items;
  between_degrees += groups - 1;
  within_degrees += static_cast<int64_t>(numbers.size()) - groups;
}

ClusterStratum joined_stratum(ClusterStratum a, ClusterStratum b) {
  if (a == b || b == ClusterStratum::kNone) return a;
  return a == ClusterStratum::kNone ? b : ClusterStratum::kBoth;
}

}  // namespace

std::optional<ClusteredAuc> clustered_auc(const ScoresView& scores, const ScoreClusters& clusters) {
  require_matching(clusters, scores);
  return jackknife_auc(scores, clusters, count_doubled_wins(scores));
}

Interval auc_interval(const ClusteredAuc& estimate, double confidence) {
  require_confidence(confidence);
  const bool separated = estimate.variance == 0;
  const double multiple = separated ? 0 : two_sided_t(confidence, estimate.degrees_of_freedom);
  return auc_interval_with(estimate, multiple, confidence);
}

Interval auc_interval_with(const ClusteredAuc& estimate, double multiple, double confidence) {
  require_confidence(confidence);
  const double area = estimate.auc;
  if (area == 0 || area == 1) {
    const int64_t pairs = std::min(estimate.clusters.positives, estimate.clusters.negatives);
    return clopper_pearson(area == 1 ? pairs : 0, pairs, confidence);
  }
  const double half_width = multiple * estimate.standard_error() / (area * (1 - area));
  return {logistic(logit(area) - half_width), logistic(logit(area) + half_width)};
}

std::optional<AucDifference> auc_difference(const ClusteredAuc& a, const ClusteredAuc& b) {
  if (a.influence.size() != b.influence.size()) {
    throw Error({.what = "a difference needs two scores of the same items in the same clusters",
                 .expected = fmt::format("{} clusters", a.influence.size()),
                 .found = std::to_string(b.influence.size())});
  }
  AucDifference result{.auc_a = a.auc, .auc_b = b.auc};
  std::vector<ClusterStratum> strata(a.strata.size());
  for (size_t g = 0; g < strata.size(); ++g) {
    strata[g] = joined_stratum(a.strata[g], b.strata[g]);
    result.influence.push_back(a.influence[g] - b.influence[g]);
  }
  const StrataVariance variance = sum_over_strata(result.influence, strata);
  if (variance.total == 0 && result.difference() != 0) return std::nullopt;
  result.variance = variance.total;
  result.degrees_of_freedom = variance.degrees_of_freedom;
  result.clusters = {.positives = std::max(a.clusters.positives, b.clusters.positives),
                     .negatives = std::max(a.clusters.negatives, b.clusters.negatives),
                     .both = std::max(a.clusters.both, b.clusters.both)};
  return result;
}

Interval difference_interval(const AucDifference& estimate, double confidence) {
  require_confidence(confidence);
  const double center = estimate.difference();
  if (estimate.variance == 0) return {center, center};
  const double half_width =
      two_sided_t(confidence, estimate.degrees_of_freedom) * estimate.standard_error();
  return {std::max(center - half_width, -1.0), std::min(center + half_width, 1.0)};
}

double difference_p_value(const AucDifference& estimate) {
  if (estimate.difference() == 0 || estimate.variance == 0) return 1;
  return two_sided_t_p_value(estimate.difference() / estimate.standard_error(),
                             estimate.degrees_of_freedom);
}

std::optional<double> design_effect(const ScoresView& scores, const ScoreClusters& clusters) {
  require_matching(clusters, scores);
  if (!scores.has_both_classes()) return std::nullopt;
  const DoubledWins wins = count_doubled_wins(scores);
  const std::optional<ClusteredAuc> estimate = jackknife_auc(scores, clusters, wins);
  if (!estimate || estimate->variance == 0) return std::nullopt;
  const double independent =
      placement_variance(wins.of_positives, wins.total, scores.negative_count()) +
      placement_variance(wins.of_negatives, wins.total, scores.positive_count());
  if (independent == 0) return std::nullopt;
  return estimate->variance / independent;
}

std::optional<double> rank_intraclass_correlation(const ScoresView& scores,
                                                  const ScoreClusters& clusters) {
  require_matching(clusters, scores);
  const ClusterCounts counts = count_clusters(clusters);
  const int64_t items_in_all = scores.positive_count() + scores.negative_count();
  if (counts.positives + counts.negatives == items_in_all) return std::nullopt;
  std::vector<double> pooled(scores.positives.begin(), scores.positives.end());
  pooled.insert(pooled.end(), scores.negatives.begin(), scores.negatives.end());
  RankAnova anova;
  for (const bool positive : {true, false}) {
    const std::span<const double> items = positive ? scores.positives : scores.negatives;
    if (items.empty()) continue;
    // Twice the midrank less one: as good as the midrank here.
    anova.add_class(doubled_placements(items, pooled),
                    positive ? clusters.positives : clusters.negatives, clusters.count());
  }
  if (anova.between_degrees == 0) return std::nullopt;
  const auto between_degrees = static_cast<double>(anova.between_degrees);
  const double between = anova.between / between_degrees;
  const double within = anova.within / static_cast<double>(anova.within_degrees);
  const double denominator = between + (anova.size / between_degrees - 1) * within;
  if (!(denominator > 0)) return std::nullopt;
  return std::max((between - within) / denominator, 0.0);
}

}  // namespace palimpsest::stat
