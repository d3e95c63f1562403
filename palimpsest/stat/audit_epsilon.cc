#include "palimpsest/stat/audit_epsilon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/internal/normal.h"
#include "palimpsest/stat/internal/root.h"

namespace palimpsest::stat {
namespace {

struct ErrorBounds {
  double fnr = 1;
  double fpr = 1;
};

ErrorBounds error_bounds(const Confusion& counts, double alpha) {
  return {clopper_pearson_upper(counts.false_negatives, counts.positives(), alpha / 2),
          clopper_pearson_upper(counts.false_positives, counts.negatives(), alpha / 2)};
}

void require_thresholds(std::span<const double> thresholds) {
  if (thresholds.empty()) throw Error("an audit over thresholds needs at least one threshold");
}

// Φ(-ε/mu + mu/2) - e^ε Φ(-ε/mu - mu/2), the second term through its logarithm since e^ε overflows.
double gaussian_dp_delta(double mu, double epsilon) {
  const double tail = normal_cdf(-epsilon / mu - mu / 2);
  const double second = tail > 0 ? std::exp(epsilon + std::log(tail)) : 0;
  return normal_cdf(-epsilon / mu + mu / 2) - second;
}

}  // namespace

void require_valid(const AuditOptions& options) {
  if (!(options.alpha > 0 && options.alpha < 1)) {
    throw Error({.what = fmt::format("the error rate alpha {} is out of range", options.alpha),
                 .expected = "a number between 0 and 1"});
  }
  if (!(options.delta >= 0 && options.delta < 1)) {
    throw Error({.what = fmt::format("delta {} is out of range", options.delta),
                 .expected = "a number in [0, 1)"});
  }
}

std::optional<double> clopper_pearson_epsilon(const Confusion& counts,
                                              const AuditOptions& options) {
  require_valid(options);
  if (counts.positives() == 0 || counts.negatives() == 0) return std::nullopt;
  const auto [fnr, fpr] = error_bounds(counts, options.alpha);
  double largest = 0;
  for (const auto& [numerator, denominator] :
       {std::pair(1 - options.delta - fnr, fpr), std::pair(1 - options.delta - fpr, fnr)}) {
    if (numerator > 0) largest = std::max(largest, std::log(numerator / denominator));
  }
  return largest;
}

std::optional<double> bonferroni_epsilon(const ScoresView& scores,
                                         std::span<const double> thresholds,
                                         const AuditOptions& options) {
  require_thresholds(thresholds);
  if (!scores.has_both_classes()) return std::nullopt;
  AuditOptions each = options;
  each.alpha = options.alpha / static_cast<double>(thresholds.size());
  double largest = 0;
  for (double threshold : thresholds) {
    largest = std::max(largest, *clopper_pearson_epsilon(confusion_at(scores, threshold), each));
  }
  return largest;
}

double gaussian_dp_epsilon(double mu, double delta) {
  if (!(delta > 0 && delta < 1)) {
    throw Error({.what = fmt::format("a Gaussian mechanism has no epsilon for delta {}", delta),
                 .expected = "a number between 0 and 1"});
  }
  if (mu <= 0 || gaussian_dp_delta(mu, 0) <= delta) return 0;
  return root_of_decreasing([&](double epsilon) { return gaussian_dp_delta(mu, epsilon) - delta; });
}

std::optional<GaussianAudit> gaussian_audit(const ScoresView& scores,
                                            std::span<const double> thresholds,
                                            const AuditOptions& options) {
  require_valid(options);
  require_thresholds(thresholds);
  if (!scores.has_both_classes()) return std::nullopt;
  GaussianAudit audit;
  for (double threshold : thresholds) {
    const auto [fnr, fpr] = error_bounds(confusion_at(scores, threshold),
                                         options.alpha / static_cast<double>(thresholds.size()));
    // A bound of 1 on either error rate leaves mu without a positive lower bound.
    if (fnr < 1 && fpr < 1) {
      audit.mu = std::max(audit.mu, -normal_quantile(fpr) - normal_quantile(fnr));
    }
  }
  audit.epsilon = gaussian_dp_epsilon(audit.mu, options.delta);
  return audit;
}

}  // namespace palimpsest::stat
