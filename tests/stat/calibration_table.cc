// Writes the first part of docs/calibration.md to standard output; scripts/calibration.sh writes
// all.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/bootstrap.h"
#include "tests/stat/calibration.h"
#include "tests/stat/cluster_calibration.h"
#include "tests/stat/tail_calibration.h"

namespace palimpsest::stat {
namespace {

constexpr int64_t kDelongSimulations = 20'000;
constexpr int64_t kBootstrapSimulations = 4'000;

constexpr const char* kIntroduction = R"(# Calibration: do the intervals cover, do the bounds hold?

Made by simulation from known truths. To make this page again: `scripts/calibration.sh FOLDER`, where
FOLDER holds TOFU's retain90.json, real_authors_perturbed.json and world_facts_perturbed.json for the
rows about real text. The slow tests (`make slow`: tests/stat/*calibration_slow_test.cc,
tests/eval/composite_slow_test.cc, tests/attack/mia/*_slow_test.cc) hold the library to these numbers.
)";

constexpr const char* kAucText = R"(
## 95% intervals of the AUC

Scores are binormal; "tied" means cut down to a dozen values. DeLong is on the logit scale (20,000
simulations, standard deviation of an entry 0.15%), the bootstraps take 1,000 resamples (4,000
simulations, 0.35%). DeLong and BCa are tested to cover 93 to 97% for the first three sizes. The
last two sizes are for information: with ten items in a class, tied scores and an AUC near 1 every
interval here is too short. The percentile bootstrap is too short near 1 at all small sizes; it is
not the default.

| sizes | AUC | DeLong | BCa | percentile |
|---|---|---|---|---|
)";

constexpr const char* kRateText = R"(
## 95% intervals of a rate

Exact coverage (all outcomes summed, no simulation) over 199 rates from 0.005 to 0.995: the mean and
the worst. Clopper-Pearson is tested to cover at least 95% everywhere. The bootstraps take 1,000
resamples, and at 0 and n successes the Clopper-Pearson interval.

| trials | Clopper-Pearson | Wilson | Jeffreys | BCa | percentile |
|---|---|---|---|---|---|
)";

constexpr const char* kEpsilonText = R"(
## Lower bounds of epsilon

Each against a mechanism whose epsilon is known, at thresholds where the mechanism uses it up, with
500 runs of the mechanism for each class. A bound keeps its promise if its share of runs above the
truth is at most the stated one; the test allows three standard deviations more. A share far below
the stated one is the price of bounding two rates at once and of not knowing which side is tight.

| bound | mechanism | true epsilon | stated share | share above the truth | mean bound |
|---|---|---|---|---|---|
)";

constexpr const char* kPriorText = R"(
The Bayesian interval promises something else: if the true error rates come from its prior, the
truth lies below it and above it with probability {} each. Over {} runs: {:.1f}% below, {:.1f}% above.
)";

void print_auc_table() {
  fmt::print("{}", kAucText);
  const std::pair<int64_t, int64_t> sizes[] = {{25, 25}, {50, 50}, {100, 40}, {10, 40}, {200, 200}};
  for (const auto& [positives, negatives] : sizes) {
    for (const bool tied : {false, true}) {
      for (const double auc : {0.5, 0.7, 0.85, 0.95}) {
        const AucCase setting{positives, negatives, auc, tied};
        fmt::print("| {} + {}{} | {} | {:.1f}% | {:.1f}% | {:.1f}% |\n", positives, negatives,
                   tied ? ", tied" : "", auc,
                   100 * auc_coverage(setting, delong_95, kDelongSimulations),
                   100 * auc_coverage(setting, bca_95, kBootstrapSimulations),
                   100 * auc_coverage(setting, percentile_95, kBootstrapSimulations));
      }
    }
  }
}

RateInterval bootstrap_interval(BootstrapMethod method) {
  return [method](int64_t successes, int64_t trials) {
    return bootstrap_rate(successes, trials, {.method = method})->interval;
  };
}

void print_rate_table() {
  fmt::print("{}", kRateText);
  std::vector<double> rates;
  for (int i = 1; i <= 199; ++i) rates.push_back(i / 200.0);
  const RateInterval intervals[] = {
      [](int64_t k, int64_t n) { return clopper_pearson(k, n, 0.95); },
      [](int64_t k, int64_t n) { return wilson(k, n, 0.95); },
      [](int64_t k, int64_t n) { return jeffreys(k, n, 0.95); },
      bootstrap_interval(BootstrapMethod::kBca),
      bootstrap_interval(BootstrapMethod::kPercentile),
  };
  for (const int64_t trials : {10, 20, 50, 100, 500}) {
    fmt::print("| {} |", trials);
    for (const RateInterval& interval : intervals) {
      const std::vector<double> coverage = rate_coverage(trials, rates, interval);
      const double sum = std::accumulate(coverage.begin(), coverage.end(), 0.0);
      fmt::print(" {:.1f}%, {:.1f}% |", 100 * sum / static_cast<double>(coverage.size()),
                 100 * *std::min_element(coverage.begin(), coverage.end()));
    }
    fmt::print("\n");
  }
}

void print_epsilon_table() {
  fmt::print("{}", kEpsilonText);
  for (const BoundCase& bound : bound_cases()) {
    const BoundRuns runs = bound.run();
    fmt::print("| {} | {} | {:.4g} | {:.4g}% | {:.2f}% | {:.3f} |\n", bound.name, bound.setting,
               runs.truth, 100 * runs.stated_share, 100 * runs.share_above_truth(), runs.mean());
  }
  const PriorRuns prior = bayesian_under_its_prior();
  fmt::print(kPriorText, prior.alpha / 2, prior.runs, 100 * prior.share_below,
             100 * prior.share_above);
}

constexpr const char* kClusterText = R"(
## AUC with clusters

Coverage of the 95% interval (delete-one-cluster jackknife, t, logit scale). Scores are binormal with
a latent effect per cluster; ICC is its share of the variance. Sizes are equal, lognormal (standard
deviation of the logarithm 1) or such that one cluster of each class holds a third of its items;
"shared" clusters have items of both classes. {} simulations per cell, standard deviation of an entry
0.35 points. These tables have {} cells in all, chosen before any of them was run. Each is tested to
cover 92.5 to 97.5%, give or take {:.1f} points: 3.09 standard deviations at the limit, Bonferroni's
correction of 5% over the cells. DeLong's interval, which takes the items as independent, stands
beside it.

| clusters | jackknife | DeLong, unclustered |
|---|---|---|
)";

constexpr const char* kDifferenceText = R"(
## Differences

Coverage of the 95% interval of AUC a - AUC b of two attacks on the same items, whose scores (and
cluster effects) correlate; raw scale. Limits as above. In the last row both AUCs are near 1, where
their difference is skewed: of 20,000 simulations 92.5% cover, in 6.7% the estimate is too small by more
than the interval reaches, in 0.8% too large. Degrees of freedom by the clusters' sizes would cover
95.3% there and 97.5 to 99.6% in the other rows of unequal sizes, so they stay as they are.

| clusters, AUC a | AUC b | correlation | jackknife |
|---|---|---|---|
)";

constexpr const char* kFamilyText = R"(
## Several attacks at once

Ten attacks at an AUC of 0.5: the share of audits in which any 97% interval excludes 0.5. The
simultaneous intervals (max-|t|) are tested to stay at 3%, with a tolerance of {:.1f} points (3.09
standard deviations).

| clusters | correlation | simultaneous | each for itself |
|---|---|---|---|
)";

constexpr const char* kPowerText = R"(
## Power

An audit of a model at 0.5 says what AUC it would have detected with probability 80%, by its 97%
interval. "At the mean": how often a model at the AUC that such audits say on average is found;
tested to be 80%, give or take 3 points from 20 clusters on, 5 with ten, and {:.1f} points for the
simulation. "Each at its own": how often a model is found at the AUC that one other audit said, whose
variance was a little too small or too large. With equal sizes this is tested to the same limits;
with unequal ones it falls short, since few clusters then decide what the variance is.

| clusters | mean AUC said | at the mean | each at its own |
|---|---|---|---|
)";

// The rows of a table, and which of them lie outside 92.5 to 97.5%: the page names them.
class CoverageRows {
 public:
  void add(const std::string& row, const std::string& name, double coverage) {
    rows_ += row;
    if (coverage >= 0.925 && coverage <= 0.975) return;
    outside_ += fmt::format("{}{} ({:.1f}%)", outside_.empty() ? "" : "; ", name, 100 * coverage);
  }
  const std::string& rows() const { return rows_; }
  std::string outside() const {
    return fmt::format("\nOutside 92.5 to 97.5%, but within the tolerance: {}.\n",
                       outside_.empty() ? "none" : outside_);
  }

 private:
  std::string rows_;
  std::string outside_;
};

void print_cluster_tables() {
  CoverageRows aucs;
  for (const ClusterSetting& cell : auc_cells()) {
    const double coverage = clustered_auc_coverage(cell, kCellRepetitions);
    const double unclustered = unclustered_auc_coverage(cell, kCellRepetitions);
    aucs.add(fmt::format("| {} | {:.1f}% | {:.1f}% |\n", describe(cell), 100 * coverage,
                         100 * unclustered),
             describe(cell), coverage);
  }
  CoverageRows differences;
  for (const DifferenceSetting& cell : difference_cells()) {
    const double coverage = difference_coverage(cell, kCellRepetitions);
    differences.add(fmt::format("| {} | {} | {} | {:.1f}% |\n", describe(cell.a), cell.auc_b,
                                cell.correlation, 100 * coverage),
                    describe(cell.a), coverage);
  }
  fmt::print(kClusterText, kCellRepetitions, kCells, 100 * cell_tolerance(0.925, kCellRepetitions));
  fmt::print("{}{}", aucs.rows(), aucs.outside());
  fmt::print("{}{}{}", kDifferenceText, differences.rows(), differences.outside());
}

void print_family_table() {
  fmt::print(kFamilyText, 100 * cell_tolerance(0.03, kCellRepetitions));
  for (const FamilySetting& cell : family_cells()) {
    fmt::print("| {} | {} | {:.1f}% | {:.1f}% |\n", describe(cell.each), cell.correlation,
               100 * familywise_error(cell, kCellRepetitions),
               100 * unadjusted_error(cell, kCellRepetitions));
  }
}

void print_power_table() {
  fmt::print(kPowerText, 100 * cell_tolerance(0.8, kCellRepetitions));
  for (const ClusterSetting& cell : power_cells()) {
    const DetectedShare found = detected_share(cell, kCellRepetitions);
    fmt::print("| {} | {:.3f} | {:.1f}% | {:.1f}% |\n", describe(cell), found.mean_auc,
               100 * found.at_mean, 100 * found.of_own);
  }
}

}  // namespace
}  // namespace palimpsest::stat

int main() {
  fmt::print("{}", palimpsest::stat::kIntroduction);
  palimpsest::stat::print_auc_table();
  palimpsest::stat::print_rate_table();
  palimpsest::stat::print_epsilon_table();
  palimpsest::stat::print_cluster_tables();
  palimpsest::stat::print_family_table();
  palimpsest::stat::print_power_table();
  fmt::print("{}", palimpsest::stat::tail_calibration_table());
}
