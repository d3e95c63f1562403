// The bootstrap estimates how much a statistic would vary if the data were drawn again. Resample r
// takes its random numbers from Random(seed).split(r), so the result depends on the seed but not on
// the number of threads.
//
// The data consist of strata. The items of a stratum are drawn only from that stratum (members from
// members, non-members from non-members), because the sizes of the sets were chosen and not
// observed.
//
// BCa (Efron 1987) corrects the percentile interval for a bias z0 and a skewness a. θ is the
// estimate, b are its B resampled values, and n_k is the number of items in stratum k. θ_(i) is the
// estimate without item i (jackknife), and mean_k is the mean of θ_(i) over the items i of stratum
// k:
//   z0 = Φ⁻¹((#{b < θ} + ½#{b = θ} + 1)/(B + 2))
//   a  = Σ_k ΣU³/n_k³ / (6 (Σ_k ΣU²/n_k²)^1.5),  U_i = (n_k - 1)(mean_k - θ_(i))
//   bounds: the quantiles of b at Φ(z0 + (z0 + z_q)/(1 - a(z0 + z_q))), where z_q = Φ⁻¹(q) and
//           q = ½ ± c/2 for the confidence c; the quantile at p is the (B + 1)·p-th smallest
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

enum class BootstrapMethod { kPercentile, kBca };

// More would only take memory: each resample of each statistic is kept.
inline constexpr int64_t kMaxResamples = 10'000'000;

struct BootstrapOptions {
  int64_t resamples = 1000;  // from 1 to kMaxResamples
  double confidence = 0.95;  // in (0, 1)
  BootstrapMethod method = BootstrapMethod::kBca;
  uint64_t seed = 0;
  int threads = 0;  // 0: one per core
  // Once it requests a stop, the bootstrap throws Stopped before the next resample.
  std::stop_token stop = {};
};

struct BootstrapEstimate {
  double estimate = 0;  // the statistic of the data themselves
  Interval interval;
  int64_t undefined_resamples = 0;  // resamples without a value; they are left out
};

// The numbers of the drawn items, one list per stratum.
using Resample = std::vector<std::vector<int64_t>>;

// The empirical influence of each item, one list per stratum: U_i in the formula above.
using Influence = std::vector<std::vector<double>>;

// Computes the interval from resamples that the caller drew. `values` holds the statistic of each
// resample; NaN means undefined, and infinite values are allowed. `influence` is needed only for
// BCa. Returns nullopt if all values are undefined.
std::optional<BootstrapEstimate> bootstrap_interval(double estimate, std::vector<double> values,
                                                    const Influence& influence,
                                                    const BootstrapOptions& options);

// Throws Error if an option is out of range.
void require_valid(const BootstrapOptions& options);
// Throws Error unless the number is from `least` to kMaxResamples. Where a bootstrap is made only
// on request, 0 stands for none.
void require_resamples(int64_t resamples, int64_t least);

// The statistic of a resample; nullopt if it has no value there. It is called from several threads
// at once.
using ResampledStatistic = std::function<std::optional<double>(const Resample&)>;

// The bootstrap of any statistic of items in strata of the given sizes; a single stratum is {n}.
// Returns nullopt if the statistic is undefined on the data themselves or on every resample, or if
// a stratum has fewer than two items. BCa takes one additional call per item.
std::optional<BootstrapEstimate> bootstrap(std::span<const int64_t> strata,
                                           const ResampledStatistic& statistic,
                                           const BootstrapOptions& options);

// The bootstrap of the AUC; positives and negatives are the strata. The scores are sorted once, and
// each resample then takes linear time. An AUC of exactly 0 or 1 gets separated_auc_interval(),
// because its resamples do not vary. Returns nullopt if a class has fewer than two items.
std::optional<BootstrapEstimate> bootstrap_auc(const ScoresView& scores,
                                               const BootstrapOptions& options);

// Draws `trials` items with replacement from `trials` items of which `successes` are successes.
// Returns the number of successes drawn.
int64_t redraw_successes(int64_t successes, int64_t trials, Random& random);

// The bootstrap of a rate of k successes in n trials. A rate of exactly 0 or 1 gets the
// Clopper-Pearson interval, because its resamples do not vary. Returns nullopt for fewer than two
// trials.
std::optional<BootstrapEstimate> bootstrap_rate(int64_t successes, int64_t trials,
                                                const BootstrapOptions& options);

}  // namespace palimpsest::stat
