#include "tests/stat/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/stat/bootstrap.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/internal/normal.h"

namespace palimpsest::stat {
namespace {

constexpr uint64_t kIntervalSeed = 20250601;
constexpr double kGrain = 0.5;  // of tied scores

// The shift of the positives that gives an AUC: P(N(shift, 1) > N(0, 1)) = Φ(shift/√2).
double shift_for(double auc) {
  return std::numbers::sqrt2 * normal_quantile(auc);
}

LabelledScores draw_scores(const AucCase& setting, Random& random) {
  const double shift = shift_for(setting.auc);
  auto draw = [&](double center) {
    const double score = random.normal() + center;
    return setting.tied ? std::floor(score / kGrain) * kGrain : score;
  };
  LabelledScores scores;
  for (int64_t i = 0; i < setting.positives; ++i) scores.positives.push_back(draw(shift));
  for (int64_t i = 0; i < setting.negatives; ++i) scores.negatives.push_back(draw(0));
  return scores;
}

Interval bootstrap_95(const LabelledScores& scores, uint64_t seed, BootstrapMethod method) {
  // One thread: the simulations themselves run in parallel.
  return bootstrap_auc(scores, {.method = method, .seed = seed, .threads = 1})->interval;
}

double share_of(int64_t simulations, const std::function<bool(uint64_t)>& holds) {
  std::vector<char> held(static_cast<size_t>(simulations));
  parallel_for(simulations, 0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      held[static_cast<size_t>(i)] = holds(static_cast<uint64_t>(i)) ? 1 : 0;
    }
  });
  return static_cast<double>(std::count(held.begin(), held.end(), 1)) /
         static_cast<double>(simulations);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const AucCase& setting) {
  return out << fmt::format("{} + {}, AUC {}{}", setting.positives, setting.negatives, setting.auc,
                            setting.tied ? ", tied" : "");
}

double true_auc(const AucCase& setting) {
  if (!setting.tied) return setting.auc;
  const double shift = shift_for(setting.auc);
  double sum = 0;
  constexpr double kFarAway = 20;
  for (int i = 0; i < static_cast<int>(2 * kFarAway / kGrain); ++i) {
    const double low = -kFarAway + i * kGrain;
    const double positive = normal_cdf(low + kGrain - shift) - normal_cdf(low - shift);
    const double negative = normal_cdf(low + kGrain) - normal_cdf(low);
    sum += positive * (normal_cdf(low) + negative / 2);
  }
  return sum;
}

Interval delong_95(const LabelledScores& scores, uint64_t) {
  return *delong_interval(scores);
}

Interval bca_95(const LabelledScores& scores, uint64_t seed) {
  return bootstrap_95(scores, seed, BootstrapMethod::kBca);
}

Interval percentile_95(const LabelledScores& scores, uint64_t seed) {
  return bootstrap_95(scores, seed, BootstrapMethod::kPercentile);
}

double auc_coverage(const AucCase& setting, const AucInterval& interval, int64_t simulations) {
  const double truth = true_auc(setting);
  const Random root(kIntervalSeed);
  return share_of(simulations, [&](uint64_t i) {
    Random random = root.split(i);
    return interval(draw_scores(setting, random), i).contains(truth);
  });
}

std::vector<double> rate_coverage(int64_t trials, const std::vector<double>& rates,
                                  const RateInterval& interval) {
  std::vector<double> coverage(rates.size(), 0);
  const auto n = static_cast<double>(trials);
  for (int64_t successes = 0; successes <= trials; ++successes) {
    const Interval found = interval(successes, trials);
    const auto k = static_cast<double>(successes);
    const double ways = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
    for (size_t i = 0; i < rates.size(); ++i) {
      if (!found.contains(rates[i])) continue;
      coverage[i] += std::exp(ways + k * std::log(rates[i]) + (n - k) * std::log1p(-rates[i]));
    }
  }
  return coverage;
}

double BoundRuns::share_above_truth() const {
  const auto above =
      std::count_if(bounds.begin(), bounds.end(), [&](double bound) { return bound > truth; });
  return static_cast<double>(above) / static_cast<double>(bounds.size());
}

double BoundRuns::mean() const {
  return std::accumulate(bounds.begin(), bounds.end(), 0.0) / static_cast<double>(bounds.size());
}

double BoundRuns::tolerated_share() const {
  const double variance = stated_share * (1 - stated_share) / static_cast<double>(bounds.size());
  return stated_share + 3 * std::sqrt(variance);
}

}  // namespace palimpsest::stat
