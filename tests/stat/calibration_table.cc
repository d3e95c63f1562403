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

A 95% confidence interval should contain the true value in 95% of all cases. This page measures whether
Palimpsest's intervals do, and whether its other statistical promises hold. The numbers come from
simulations in which the truth is known. The *coverage* of an interval is the share of simulations in
which the interval contains the truth. Where this page says that a test requires something, one of the
slow tests fails if the number leaves the given limits.

To make this page again, run `scripts/calibration.sh FOLDER`. FOLDER holds TOFU's retain90.json,
real_authors_perturbed.json and world_facts_perturbed.json, for the rows about real text. The slow tests
are run by `make slow`: tests/stat/*calibration_slow_test.cc, tests/eval/composite_slow_test.cc and
tests/attack/mia/*_slow_test.cc.
)";

constexpr const char* kAucText = R"(
## 95% intervals of the AUC

The scores of positives and negatives have normal distributions (they are binormal). "25 + 25" means 25
positives and 25 negatives. "Tied" means that the scores are rounded to a dozen values. DeLong's interval
is on the logit scale. Its entries come from 20,000 simulations and have a standard deviation of 0.15%.
The bootstraps take 1,000 resamples. Their entries come from 4,000 simulations and have a standard
deviation of 0.35%.

A test requires that DeLong and BCa cover 93 to 97% for the first three sizes. The last two sizes are for
information only. With ten items in a class, tied scores and an AUC near 1, every interval here is too
short. The interval of the percentile bootstrap is too short near an AUC of 1 at all small sizes, so it is
not the default.

| sizes | AUC | DeLong | BCa | percentile |
|---|---|---|---|---|
)";

constexpr const char* kRateText = R"(
## 95% intervals of a rate

The coverage in this table is exact: it is summed over all outcomes, without simulation. Each cell gives
the mean coverage and the worst coverage over 199 rates from 0.005 to 0.995. A test requires that
Clopper-Pearson covers at least 95% everywhere. The bootstraps take 1,000 resamples. At 0 and at n
successes they give the Clopper-Pearson interval.

| trials | Clopper-Pearson | Wilson | Jeffreys | BCa | percentile |
|---|---|---|---|---|---|
)";

constexpr const char* kEpsilonText = R"(
## Lower bounds of epsilon

Each bound is computed for a mechanism whose epsilon is known. The bounds from one run use 500 canaries.
"Abstaining" means that the attack guesses only the canaries about which it is most confident. Five shares
of the canaries, from all to 5%, are tried, and the best of the five bounds is corrected for this choice.
"cp" and "ratio" are the two heuristics that choose the threshold of the two-step bound
([report.md](report.md#effective-epsilon)). All bounds that are not from one run use 500 outputs of the
mechanism with the target in the data and 500 without. Two ratios can show epsilon: TP/FP and TN/FN. At a
threshold of 1, TP/FP of the Laplace mechanism is exactly e^epsilon. At a threshold of 0, TN/FN is exactly
e^epsilon. No attack can show a larger epsilon. A bound keeps its promise if it lies above the truth in at
most the stated share of runs. The test allows three standard deviations more. Some shares are far below
the stated one. This is the price of bounding two rates at once, and of not knowing which of the two
ratios shows more.

| bound | mechanism | true epsilon | stated share | share above the truth | mean bound |
|---|---|---|---|---|---|
)";

constexpr const char* kPriorText = R"(
The Bayesian interval promises something else. If the true error rates come from its prior, the truth
lies below the interval and above the interval with probability {} each. Over {} runs, the truth was
below it in {:.1f}% and above it in {:.1f}%.
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

The column "jackknife" is the coverage of the 95% interval of the AUC (delete-one-cluster jackknife,
Student's t, logit scale). Scores are binormal with a latent effect per cluster, and ICC is the share of
the variance that comes from this effect. The sizes of the clusters are equal, or lognormal (with a
standard deviation of the logarithm of 1), or such that one cluster of each class holds a third of the
items of that class. "Shared" clusters have items of both classes. There are {} simulations per cell, so
the standard deviation of an entry is 0.35 points.

The tables from here to "Power" have {} cells in all, which were chosen before any of them was run. A test
requires that each interval covers 92.5 to 97.5%, with a tolerance of {:.1f} points. The tolerance is 3.09
standard deviations of an entry whose true coverage lies at the limit. By Bonferroni's correction, this
gives a level of 5% over all cells. The last column gives DeLong's interval for comparison, which treats
the items as independent.

| clusters | jackknife | DeLong, unclustered |
|---|---|---|
)";

constexpr const char* kDifferenceText = R"(
## Differences

The table gives the coverage of the 95% interval of AUC a - AUC b, for two attacks on the same items. The
scores of the two attacks (and their cluster effects) are correlated. The interval is on the raw scale.
The limits are those of the table above.

In the last row both AUCs are near 1, where their difference has a skewed distribution. In 20,000
simulations of this row, 92.5% of the intervals cover the truth, 6.7% lie below it, and 0.8% lie above it.
The degrees of freedom (Satterthwaite's) do not take the sizes of the clusters into account. If they were
computed from the sizes, 95.3% of the intervals would cover in this row, but 97.5 to 99.6% in the other rows
of unequal sizes. So the degrees of freedom stay as they are.

| clusters, AUC a | AUC b | correlation | jackknife |
|---|---|---|---|
)";

constexpr const char* kFamilyText = R"(
## Several attacks at once

Ten attacks have a true AUC of 0.5. The table gives the share of audits in which at least one 97% interval
wrongly excludes 0.5. A test requires that this share is at most 3% for the simultaneous intervals
(max-|t|), with a tolerance of {:.1f} points (3.09 standard deviations). The last column shows intervals
that are computed for each attack alone.

| clusters | correlation | simultaneous | each for itself |
|---|---|---|---|
)";

constexpr const char* kPowerText = R"(
## Power

An audit of a model whose AUC is 0.5 states which AUC it would have detected with probability 80%, by its
97% interval. The table checks this statement in two ways:

- "At the mean" takes the mean of the AUCs that such audits state. The column gives how often a model with
  this AUC is detected. A test requires that this share is 80%, within 3 points for 20 or more clusters
  and within 5 points for ten clusters. Another {:.1f} points are allowed for simulation error.
- "Each at its own" simulates pairs of audits. The first audit states an AUC. The second is an audit of a
  model with that AUC, and the column gives how often it detects the model. The first audit estimates the
  variance a little too small or too large, so the stated AUCs differ. With clusters of equal sizes, a
  test requires the same limits. With unequal sizes the share falls short, since a few clusters then
  decide how large the variance is.

| clusters | mean of the stated AUCs | at the mean | each at its own |
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
    return fmt::format(
        "\nRows that lie outside 92.5 to 97.5%, but within the tolerance, are: {}.\n",
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
