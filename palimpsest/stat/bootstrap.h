// The bootstrap: how far a statistic would move if the data were drawn again. Resample r draws its
// numbers from Random(seed).split(r), so the result depends on the seed and not on the number of
// threads.
//
// The items of a stratum are drawn from that stratum only (members from members, non-members from
// non-members), because the sizes of the two sets were chosen, not observed.
//
// BCa (Efron 1987) corrects the percentile interval for bias z0 and skewness a:
//   z0 = Φ⁻¹((#{b < θ} + ½#{b = θ} + 1)/(B + 2)),  B resamples b of the estimate θ
//   a  = Σ_k ΣU³/n_k³ / (6 (Σ_k ΣU²/n_k²)^1.5)
//        with U_i = (n_k - 1)(mean of θ_(·) - θ_(i)) by jackknife in stratum k
//   bounds: the quantiles of b at Φ(z0 + (z0 + z_q)/(1 - a(z0 + z_q))); the quantile at p is the
//           (B + 1)·p-th smallest
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/base/parallel.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

enum class BootstrapMethod { kPercentile, kBca };

struct BootstrapOptions {
  int64_t resamples = 1000;  // at least 1
  double confidence = 0.95;  // in (0, 1)
  BootstrapMethod method = BootstrapMethod::kBca;
  uint64_t seed = 0;
  int threads = 0;  // 0: one for each core
};

struct BootstrapEstimate {
  double estimate = 0;  // of the data as they are
  Interval interval;
  int64_t undefined_resamples = 0;  // left out: the statistic had no value there
};

// The numbers of the drawn items, one list per stratum.
using Resample = std::vector<std::vector<int64_t>>;

// The empirical influence of each item, one list per stratum: U_i above.
using Influence = std::vector<std::vector<double>>;

// The interval from resamples that the caller drew: `values` holds the statistic of each, NaN where
// it was undefined; infinite ones are allowed. `influence` is needed for BCa only. nullopt where all
// are undefined.
std::optional<BootstrapEstimate> bootstrap_interval(double estimate, std::vector<double> values,
                                                    const Influence& influence,
                                                    const BootstrapOptions& options);

// One value per resample. make_worker() is called once per thread and returns what computes the value
// from a Random&, with buffers of its own.
template <class MakeWorker>
std::vector<double> bootstrap_replicates(const BootstrapOptions& options,
                                         const MakeWorker& make_worker) {
  std::vector<double> values(static_cast<size_t>(options.resamples));
  const Random root(options.seed);
  parallel_for(options.resamples, options.threads, [&](int64_t begin, int64_t end) {
    auto worker = make_worker();
    for (int64_t r = begin; r < end; ++r) {
      Random random = root.split(static_cast<uint64_t>(r));
      values[static_cast<size_t>(r)] = worker(random);
    }
  });
  return values;
}

// Throws Error on options out of range.
void require_valid(const BootstrapOptions& options);

// Called from several threads at once. nullopt: the statistic has no value on this resample.
using ResampledStatistic = std::function<std::optional<double>(const Resample&)>;

// Any statistic of items in strata of the given sizes (one stratum: {n}). nullopt where the
// statistic is undefined on the data themselves or on every resample, or a stratum has fewer than
// two items. BCa costs one more call per item.
std::optional<BootstrapEstimate> bootstrap(std::span<const int64_t> strata,
                                           const ResampledStatistic& statistic,
                                           const BootstrapOptions& options);

// The AUC, positives and negatives being the strata. Sorts once; a resample is then a reweighting
// in linear time. An AUC of exactly 0 or 1 gets separated_auc_interval(), since its resamples do
// not vary. nullopt with fewer than two items in a class.
std::optional<BootstrapEstimate> bootstrap_auc(const LabelledScores& scores,
                                               const BootstrapOptions& options);

// The successes among `trials` items drawn again from `trials` of which `successes` are.
int64_t redraw_successes(int64_t successes, int64_t trials, Random& random);

// A rate of k successes in n trials. A rate of exactly 0 or 1, whose resamples do not vary, gets
// the Clopper-Pearson interval. nullopt for fewer than two trials.
std::optional<BootstrapEstimate> bootstrap_rate(int64_t successes, int64_t trials,
                                                const BootstrapOptions& options);

}  // namespace palimpsest::stat
