// Simulations that show whether the intervals and bounds of palimpsest/stat keep what they promise:
// data from a known truth, drawn again and again. Used by calibration_slow_test.cc, which holds
// them to it, and by calibration_table.cc, which writes docs/calibration.md. Every simulation draws
// from its own split of the seed, so the numbers do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// Binormal scores: negatives N(0, 1), positives shifted so that the AUC is the one asked for.
struct AucCase {
  int64_t positives = 0;
  int64_t negatives = 0;
  double auc = 0.5;
  // Scores cut down to halves, so that a dozen values share all items. Changes the AUC a little.
  bool tied = false;
};

// "25 + 25, AUC 0.5, tied"
std::ostream& operator<<(std::ostream& out, const AucCase& setting);

// With ties counted half, and with what cutting the scores does to it.
double true_auc(const AucCase& setting);

using AucInterval = std::function<Interval(const LabelledScores& scores, uint64_t seed)>;
Interval delong_95(const LabelledScores& scores, uint64_t seed);
Interval bca_95(const LabelledScores& scores, uint64_t seed);         // 1000 resamples
Interval percentile_95(const LabelledScores& scores, uint64_t seed);  // 1000 resamples

// The share of simulations whose interval contains the true AUC.
double auc_coverage(const AucCase& setting, const AucInterval& interval, int64_t simulations);

using RateInterval = std::function<Interval(int64_t successes, int64_t trials)>;

// The probability that the interval contains the true rate, for each of the rates: summed over all
// numbers of successes, so exact.
std::vector<double> rate_coverage(int64_t trials, const std::vector<double>& rates,
                                  const RateInterval& interval);

// What a lower bound of epsilon did in many runs against a mechanism whose epsilon is known.
struct BoundRuns {
  double truth = 0;
  double stated_share = 0;  // of the runs whose bound may exceed the truth
  std::vector<double> bounds;

  double share_above_truth() const;
  double mean() const;
  // The largest share above the truth that chance explains if the bound keeps its promise: three
  // standard deviations of the share over so many runs. A bound that is exactly as good as stated
  // stays below it with probability 0.999.
  double tolerated_share() const;
};

struct BoundCase {
  std::string name;
  std::string setting;
  std::function<BoundRuns()> run;
};

// "two-step, cp: Laplace, 3 attacks"
std::ostream& operator<<(std::ostream& out, const BoundCase& bound);

// Every epsilon bound of the library, in the settings where it is hardest pressed: thresholds at
// which the mechanism uses up its whole epsilon.
std::vector<BoundCase> bound_cases();

// The Bayesian interval when the true rates really come from its prior: the shares of runs in which
// the true epsilon lies below and above it, each of which is then exactly alpha/2.
struct PriorRuns {
  double alpha = 0;
  int64_t runs = 0;
  double share_below = 0;
  double share_above = 0;
};
PriorRuns bayesian_under_its_prior();

}  // namespace palimpsest::stat
