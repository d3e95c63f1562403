#include "palimpsest/stat/delong.h"

#include <cmath>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/internal/normal.h"

namespace palimpsest::stat {
namespace {

// Each item's share of the other class that it stands on the right side of.
std::vector<double> shares(std::span<const double> of, std::span<const double> among) {
  std::vector<double> result;
  result.reserve(of.size());
  const double scale = 2.0 * static_cast<double>(among.size());
  for (int64_t doubled : doubled_placements(of, among)) {
    result.push_back(static_cast<double>(doubled) / scale);
  }
  return result;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double sample_covariance(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum / static_cast<double>(a.size() - 1);
}

// From these, DeLong's variance is computed.
struct AucPlacements {
  std::optional<double> auc;
  std::vector<double> positives;  // V10: [m]
  std::vector<double> negatives;  // V01: [n]
};

AucPlacements placements_of(const ScoresView& scores) {
  AucPlacements placements{auc(scores), shares(scores.positives, scores.negatives),
                           shares(scores.negatives, scores.positives)};
  for (double& share : placements.negatives) share = 1 - share;
  return placements;
}

double auc_covariance(const AucPlacements& a, const AucPlacements& b) {
  return sample_covariance(a.positives, b.positives) / static_cast<double>(a.positives.size()) +
         sample_covariance(a.negatives, b.negatives) / static_cast<double>(a.negatives.size());
}

bool has_variance(const AucPlacements& placements) {
  return placements.positives.size() >= 2 && placements.negatives.size() >= 2;
}

}  // namespace

std::optional<AucEstimate> delong(const ScoresView& scores) {
  const AucPlacements placements = placements_of(scores);
  if (!has_variance(placements)) return std::nullopt;
  return AucEstimate{.auc = *placements.auc, .variance = auc_covariance(placements, placements)};
}

std::optional<Interval> delong_interval(const ScoresView& scores, double confidence) {
  const double z = two_sided_z(confidence);
  const std::optional<double> area = auc(scores);
  if (!area) return std::nullopt;
  if (*area == 0 || *area == 1) return separated_auc_interval(*area, scores, confidence);
  const std::optional<AucEstimate> estimate = delong(scores);
  if (!estimate || estimate->variance <= 0) return std::nullopt;
  const double center = logit(estimate->auc);
  const double half_width =
      z * std::sqrt(estimate->variance) / (estimate->auc * (1 - estimate->auc));
  return Interval{logistic(center - half_width), logistic(center + half_width)};
}

std::optional<DelongTest> delong_test(const ScoresView& scores_a, const ScoresView& scores_b,
                                      double confidence) {
  const AucPlacements a = placements_of(scores_a);
  const AucPlacements b = placements_of(scores_b);
  if (a.positives.size() != b.positives.size() || a.negatives.size() != b.negatives.size()) {
    throw Error("a paired test needs two scores of the same items");
  }
  const double z = two_sided_z(confidence);
  if (!has_variance(a)) return std::nullopt;
  const double variance = auc_covariance(a, a) + auc_covariance(b, b) - 2 * auc_covariance(a, b);
  DelongTest test{.auc_a = *a.auc, .auc_b = *b.auc, .difference = {}, .p_value = {}};
  const double difference = test.auc_a - test.auc_b;
  // The variance of a difference of equal scores may come out as a rounding error below zero.
  const double se = std::sqrt(std::max(variance, 0.0));
  test.difference = {difference - z * se, difference + z * se};
  if (difference == 0) {
    test.p_value = 1;
  } else if (se > 0) {
    test.p_value = 2 * normal_cdf(-std::abs(difference) / se);
  }
  return test;
}

}  // namespace palimpsest::stat
