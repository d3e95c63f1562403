#include "palimpsest/stat/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/internal/bootstrap_replicates.h"
#include "palimpsest/stat/internal/normal.h"

namespace palimpsest::stat {
namespace {

// The (B + 1)·q-th smallest of B values, interpolated: resamples and the truth are B + 1
// exchangeable values, so that many of them must lie below. The convention q·(B - 1) + 1 would make
// intervals a little too short.
double quantile(const std::vector<double>& sorted, double q) {
  const auto last = static_cast<double>(sorted.size() - 1);
  const double rank = std::clamp(q * static_cast<double>(sorted.size() + 1) - 1, 0.0, last);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = rank - static_cast<double>(below);
  // Between equals, and next to an infinity, there is nothing to interpolate.
  if (share == 0 || sorted[below] == sorted[above] || std::isinf(sorted[below])) {
    return sorted[below];
  }
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

double acceleration(const Influence& influence) {
  double skew = 0;
  double spread = 0;
  for (const std::vector<double>& stratum : influence) {
    const auto n = static_cast<double>(stratum.size());
    for (double u : stratum) {
      const double scaled = u / n;
      skew += scaled * scaled * scaled;
      spread += scaled * scaled;
    }
  }
  return spread > 0 ? skew / (6 * std::pow(spread, 1.5)) : 0;
}

double bias_correction(const std::vector<double>& sorted, double estimate) {
  const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), estimate);
  const auto below = static_cast<double>(low - sorted.begin());
  const auto equal = static_cast<double>(high - low);
  return normal_quantile((below + equal / 2 + 1) / (static_cast<double>(sorted.size()) + 2));
}

Interval bca_levels(double z0, double a, double z) {
  auto level = [&](double z_q) {
    const double shifted = z0 + z_q;
    const double denominator = 1 - a * shifted;
    // Beyond its pole the correction has no meaning; the extreme resample is the honest bound.
    if (denominator <= 0) return shifted > 0 ? 1.0 : 0.0;
    return normal_cdf(z0 + shifted / denominator);
  };
  return {level(-z), level(z)};
}

Resample everything(std::span<const int64_t> strata) {
  Resample items;
  for (int64_t size : strata) {
    items.emplace_back(static_cast<size_t>(size));
    std::iota(items.back().begin(), items.back().end(), 0);
  }
  return items;
}

// The statistic without each item in turn. An item without which it is undefined has no influence.
Influence jackknife(std::span<const int64_t> strata, const ResampledStatistic& statistic,
                    int threads) {
  Influence influence;
  for (size_t k = 0; k < strata.size(); ++k) {
    std::vector<double> without(static_cast<size_t>(strata[k]));
    parallel_for(strata[k], threads, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Resample items = everything(strata);
        items[k].erase(items[k].begin() + i);
        without[static_cast<size_t>(i)] = statistic(items).value_or(std::nan(""));
      }
    });
    double sum = 0;
    int64_t defined = 0;
    for (double value : without) {
      if (std::isnan(value)) continue;
      sum += value;
      ++defined;
    }
    const double mean = sum / static_cast<double>(std::max<int64_t>(defined, 1));
    for (double& value : without) {
      value = std::isnan(value) ? 0 : static_cast<double>(strata[k] - 1) * (mean - value);
    }
    influence.push_back(std::move(without));
  }
  return influence;
}

// Draws a resample of the AUC by reweighting. Positives are given by their position among the
// sorted negatives.
class AucResampler {
 public:
  explicit AucResampler(const ScoresView& scores) {
    std::vector<double> negatives(scores.negatives.begin(), scores.negatives.end());
    sort_ascending(negatives);
    negative_count_ = negatives.size();
    for (double positive : scores.positives) {
      const auto [low, high] = std::equal_range(negatives.begin(), negatives.end(), positive);
      ranks_.push_back({static_cast<uint32_t>(low - negatives.begin()),
                        static_cast<uint32_t>(high - negatives.begin())});
    }
  }

  // A worker owns the buffer of weights, so each thread makes its own.
  auto worker() const {
    return [this, weights = std::vector<uint32_t>()](Random& random) mutable {
      // weights[j + 1] counts draws of negative j, then becomes the number of draws up to j.
      weights.assign(negative_count_ + 1, 0);
      for (size_t i = 0; i < negative_count_; ++i) ++weights[random.below(negative_count_) + 1];
      std::partial_sum(weights.begin(), weights.end(), weights.begin());
      uint64_t doubled_wins = 0;
      for (size_t i = 0; i < ranks_.size(); ++i) {
        const Rank& rank = ranks_[random.below(ranks_.size())];
        doubled_wins += weights[rank.below] + weights[rank.up_to];
      }
      return static_cast<double>(doubled_wins) /
             (2.0 * static_cast<double>(ranks_.size()) * static_cast<double>(negative_count_));
    };
  }

 private:
  struct Rank {
    uint32_t below;  // negatives lower than the positive
    uint32_t up_to;  // negatives lower than or equal to it
  };
  std::vector<Rank> ranks_;  // [positives]
  size_t negative_count_ = 0;
};

std::vector<double> auc_influence(std::span<const double> of, std::span<const double> among) {
  std::vector<double> influence;
  double sum = 0;
  for (int64_t doubled : doubled_placements(of, among)) {
    influence.push_back(static_cast<double>(doubled) / (2.0 * static_cast<double>(among.size())));
    sum += influence.back();
  }
  const double mean = sum / static_cast<double>(influence.size());
  for (double& u : influence) u -= mean;
  return influence;
}

}  // namespace

void require_resamples(int64_t resamples, int64_t least) {
  if (resamples >= least && resamples <= kMaxResamples) return;
  throw Error({.what = fmt::format("{} bootstrap resamples are too {}", resamples,
                                   resamples < least ? "few" : "many"),
               .expected = fmt::format("{} to {}", least, kMaxResamples)});
}

void require_valid(const BootstrapOptions& options) {
  require_resamples(options.resamples, 1);
  require_confidence(options.confidence);
}

std::optional<BootstrapEstimate> bootstrap_interval(double estimate, std::vector<double> values,
                                                    const Influence& influence,
                                                    const BootstrapOptions& options) {
  require_valid(options);
  BootstrapEstimate result{.estimate = estimate};
  const auto defined =
      std::remove_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  result.undefined_resamples = values.end() - defined;
  values.erase(defined, values.end());
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  Interval levels{(1 - options.confidence) / 2, (1 + options.confidence) / 2};
  if (options.method == BootstrapMethod::kBca) {
    levels = bca_levels(bias_correction(values, estimate), acceleration(influence),
                        two_sided_z(options.confidence));
  }
  result.interval = {quantile(values, levels.low), quantile(values, levels.high)};
  return result;
}

std::optional<BootstrapEstimate> bootstrap(std::span<const int64_t> strata,
                                           const ResampledStatistic& statistic,
                                           const BootstrapOptions& options) {
  require_valid(options);
  for (int64_t size : strata) {
    if (size < 2) return std::nullopt;
  }
  const std::optional<double> estimate = statistic(everything(strata));
  if (!estimate) return std::nullopt;
  auto make_worker = [&] {
    return [&, items = everything(strata)](Random& random) mutable {
      for (std::vector<int64_t>& stratum : items) {
        for (int64_t& item : stratum) item = static_cast<int64_t>(random.below(stratum.size()));
      }
      return statistic(items).value_or(std::nan(""));
    };
  };
  Influence influence;
  if (options.method == BootstrapMethod::kBca) {
    influence = jackknife(strata, statistic, options.threads);
  }
  return bootstrap_interval(*estimate, bootstrap_replicates(options, make_worker), influence,
                            options);
}

std::optional<BootstrapEstimate> bootstrap_auc(const ScoresView& scores,
                                               const BootstrapOptions& options) {
  require_valid(options);
  if (scores.positive_count() < 2 || scores.negative_count() < 2) return std::nullopt;
  const double estimate = *auc(scores);
  if (estimate == 0 || estimate == 1) {
    return BootstrapEstimate{
        .estimate = estimate,
        .interval = separated_auc_interval(estimate, scores, options.confidence)};
  }
  const AucResampler resampler(scores);
  Influence influence = {auc_influence(scores.positives, scores.negatives),
                         auc_influence(scores.negatives, scores.positives)};
  // A negative that outranks positives lowers the AUC.
  for (double& u : influence[1]) u = -u;
  return bootstrap_interval(estimate,
                            bootstrap_replicates(options, [&] { return resampler.worker(); }),
                            influence, options);
}

int64_t redraw_successes(int64_t successes, int64_t trials, Random& random) {
  // From here on inverting the distribution is faster than drawing one by one.
  constexpr int64_t kInvertFrom = 20'000;
  if (trials >= kInvertFrom) {
    const double rate = static_cast<double>(successes) / static_cast<double>(trials);
    return draw_binomial(trials, rate, random);
  }
  int64_t drawn = 0;
  for (int64_t i = 0; i < trials; ++i)
    drawn += static_cast<int64_t>(random.below(static_cast<uint64_t>(trials))) < successes ? 1 : 0;
  return drawn;
}

std::optional<BootstrapEstimate> bootstrap_rate(int64_t successes, int64_t trials,
                                                const BootstrapOptions& options) {
  require_valid(options);
  const Interval exact = clopper_pearson(successes, trials, options.confidence);
  if (trials < 2) return std::nullopt;
  const double rate = static_cast<double>(successes) / static_cast<double>(trials);
  if (successes == 0 || successes == trials) {
    return BootstrapEstimate{.estimate = rate, .interval = exact};
  }
  auto make_worker = [&] {
    return [=](Random& random) {
      return static_cast<double>(redraw_successes(successes, trials, random)) /
             static_cast<double>(trials);
    };
  };
  std::vector<double> influence(static_cast<size_t>(trials), -rate);
  std::fill_n(influence.begin(), successes, 1 - rate);
  return bootstrap_interval(rate, bootstrap_replicates(options, make_worker), {influence}, options);
}

}  // namespace palimpsest::stat
