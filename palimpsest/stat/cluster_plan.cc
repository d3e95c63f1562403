#include "palimpsest/stat/internal/cluster_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/student_t.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {
namespace {

constexpr double kPlannedPower = 0.8;
constexpr double kClearingLevel = 0.05;  // of each of the two one-sided tests
constexpr int64_t kMinClusters = 5;      // with fewer no audit has a verdict

void require_plan_range(bool holds, const char* what, double found, const char* expected) {
  if (holds) return;
  throw Error(
      {.what = fmt::format("the {} {} is out of range", what, found), .expected = expected});
}

// Variance and Satterthwaite's degrees of freedom of two classes together.
struct PlannedVariance {
  double total = 0;
  double degrees_of_freedom = 0;
};

// From each class's part of the variance and its number of clusters.
PlannedVariance join_classes(double part_positives, double positives, double part_negatives,
                             double negatives) {
  const double total = part_positives + part_negatives;
  const double squares = part_positives * part_positives / (positives - 1) +
                         part_negatives * part_negatives / (negatives - 1);
  return {.total = total, .degrees_of_freedom = total * total / squares};
}

// What one attack asks for.
class AttackPlan {
 public:
  AttackPlan(const ClusteredAuc& attack, const PlanOptions& options, double attacks)
      : options_(options),
        attacks_(attacks),
        ratio_(static_cast<double>(attack.clusters.negatives) /
               static_cast<double>(attack.clusters.positives)),
        per_positive_(static_cast<double>(attack.clusters.positives) * attack.variance_positives),
        per_negative_(static_cast<double>(attack.clusters.negatives) * attack.variance_negatives) {}

  ClusterPlan smallest() const {
    constexpr int64_t kMaxSearched = int64_t{1} << 50;
    int64_t high = kMinClusters;
    while (!decides(high) && high < kMaxSearched) high *= 2;
    int64_t low = high == kMinClusters ? high - 1 : high / 2;  // not enough, or not allowed
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      (decides(middle) ? high : low) = middle;
    }
    return {.positives = high, .negatives = static_cast<int64_t>(std::ceil(negatives_for(high)))};
  }

 private:
  double negatives_for(int64_t positives) const {
    return std::max(ratio_ * static_cast<double>(positives), static_cast<double>(kMinClusters));
  }

  // Whether so many would both detect ½ ± margin and clear a model that is at ½.
  bool decides(int64_t count) const {
    const auto positives = static_cast<double>(count);
    const double negatives = negatives_for(count);
    const PlannedVariance variance =
        join_classes(per_positive_ / positives, positives, per_negative_ / negatives, negatives);
    const double df = variance.degrees_of_freedom;
    const double detect = options_.multiple_ratio * two_sided_t(options_.confidence, df) +
                          student_t_quantile(kPlannedPower, df);
    // All attacks must clear it, and each may fail on either side.
    const double clear = student_t_quantile(1 - kClearingLevel, df) +
                         student_t_quantile(1 - (1 - kPlannedPower) / 2 / attacks_, df);
    return std::max(detect, clear) * std::sqrt(variance.total) <= options_.margin;
  }

  const PlanOptions& options_;
  double attacks_;
  double ratio_;
  double per_positive_;  // variance that one cluster would leave
  double per_negative_;
};

double designed_variance(const PlannedSet& set, double intraclass_correlation) {
  require_plan_range(set.mean_size >= 1, "mean cluster size", set.mean_size, "at least 1");
  require_plan_range(set.size_ratio >= 1, "ratio of cluster sizes", set.size_ratio, "at least 1");
  const double items = static_cast<double>(set.clusters) * set.mean_size;
  const double effect = 1 + (set.size_ratio * set.mean_size - 1) * intraclass_correlation;
  return effect / (12 * items);
}

}  // namespace

std::optional<ClusterPlan> clusters_needed(std::span<const ClusteredAuc> family,
                                           const PlanOptions& options) {
  require_confidence(options.confidence);
  require_plan_range(options.margin > 0 && options.margin < 0.5, "margin", options.margin,
                     "a number between 0 and 0.5");
  require_plan_range(options.multiple_ratio >= 1, "ratio of multiples", options.multiple_ratio,
                     "at least 1");
  const auto varies = [](const ClusteredAuc& attack) { return attack.variance > 0; };
  const auto attacks = std::count_if(family.begin(), family.end(), varies);
  if (attacks == 0) return std::nullopt;
  ClusterPlan plan;
  for (const ClusteredAuc& attack : family) {
    if (!varies(attack)) continue;
    const ClusterPlan one = AttackPlan(attack, options, static_cast<double>(attacks)).smallest();
    plan.positives = std::max(plan.positives, one.positives);
    plan.negatives = std::max(plan.negatives, one.negatives);
  }
  return plan;
}

double would_detect(const ClusteredAuc& estimate, double multiple, double power) {
  require_plan_range(power > 0 && power < 1, "power", power, "a number between 0 and 1");
  if (estimate.variance == 0) return 1;
  const double distance = (multiple + student_t_quantile(power, estimate.degrees_of_freedom)) *
                          estimate.standard_error();
  return std::min(0.5 + distance, 1.0);
}

std::optional<double> would_detect_planned(const PlannedSet& positives, const PlannedSet& negatives,
                                           double intraclass_correlation, double confidence,
                                           double power) {
  require_confidence(confidence);
  require_plan_range(power > 0 && power < 1, "power", power, "a number between 0 and 1");
  require_plan_range(intraclass_correlation >= 0 && intraclass_correlation <= 1,
                     "intraclass correlation", intraclass_correlation, "a number from 0 to 1");
  if (positives.clusters < 2 || negatives.clusters < 2) return std::nullopt;
  const PlannedVariance variance = join_classes(
      designed_variance(positives, intraclass_correlation), static_cast<double>(positives.clusters),
      designed_variance(negatives, intraclass_correlation),
      static_cast<double>(negatives.clusters));
  const double multiple = two_sided_t(confidence, variance.degrees_of_freedom) +
                          student_t_quantile(power, variance.degrees_of_freedom);
  return std::min(0.5 + multiple * std::sqrt(variance.total), 1.0);
}

}  // namespace palimpsest::stat
