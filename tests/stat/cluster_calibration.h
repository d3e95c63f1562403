// Simulations with known truth of what is said about clustered items: intervals of an AUC and of a
// difference, several attacks at once, and the AUC that an audit would have detected. Used by
// cluster_calibration_slow_test.cc, which holds the library to it, by cluster_calibration_test.cc,
// which looks at a few cells quickly, and by calibration_table.cc, which writes
// docs/calibration.md. Seeds are fixed, and the numbers do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace palimpsest::stat {

enum class ClusterSizes {
  kEqual,
  kLognormal,  // standard deviation of the logarithm 1, drawn anew in every repetition
  kOneLarge,   // one cluster of each class holds a third of its items
};

// Binormal scores with a latent effect per cluster: √icc·u_g + √(1 - icc)·e_i, both N(0, 1), the
// positives shifted so that the AUC of items from different clusters is the one asked for.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order of its description.
struct ClusterSetting {
  int64_t clusters = 20;  // in each class
  double mean_size = 20;
  ClusterSizes sizes = ClusterSizes::kEqual;
  double icc = 0;
  double auc = 0.5;
  bool tied = false;  // scores cut down to halves, so that a dozen values share all items
  // Every cluster has items of both classes, of equal sizes; not together with `tied`.
  bool in_both = false;
};

// "20 + 20 clusters of 20, ICC 0.1, AUC 0.7"
std::ostream& operator<<(std::ostream& out, const ClusterSetting& setting);
std::string describe(const ClusterSetting& setting);

// What the estimate is right about on average: with ties, and with the pairs inside clusters.
double true_auc(const ClusterSetting& setting);

// Two attacks whose scores of an item correlate.
struct DifferenceSetting {
  ClusterSetting a;
  double auc_b = 0.5;
  double correlation = 0.5;
};

// Attacks that all have an AUC of ½.
struct FamilySetting {
  ClusterSetting each;
  int64_t attacks = 10;
  double correlation = 0.5;
};

// The share of repetitions whose 95% interval contains the truth. One without an interval is a
// miss.
double clustered_auc_coverage(const ClusterSetting& setting, int64_t repetitions);
double difference_coverage(const DifferenceSetting& setting, int64_t repetitions);

// The same for DeLong's interval, which knows nothing of clusters.
double unclustered_auc_coverage(const ClusterSetting& setting, int64_t repetitions);

// The share of repetitions in which any 97% simultaneous interval excludes ½.
double familywise_error(const FamilySetting& setting, int64_t repetitions);
// And any 97% interval that knows nothing of the other attacks.
double unadjusted_error(const FamilySetting& setting, int64_t repetitions);

// An audit of a model at ½ says what AUC it would have detected with probability 0.8, by its 97%
// interval. The shares of audits of a model at that AUC that do. All have clusters of the same
// sizes, drawn once: an audit speaks about sets like its own.
struct DetectedShare {
  double at_mean = 0;  // at the AUC that the audits say on average
  // Each at what one other audit said. Less where that varies much, as with a few large clusters.
  double of_own = 0;
  double mean_auc = 0;
};
DetectedShare detected_share(const ClusterSetting& setting, int64_t repetitions);

// The cells of the slow suite, chosen before any of them was run: at most 50 in all.
std::vector<ClusterSetting> auc_cells();
std::vector<DifferenceSetting> difference_cells();
std::vector<FamilySetting> family_cells();
std::vector<ClusterSetting> power_cells();
constexpr int64_t kCells = 50;
constexpr int64_t kCellRepetitions = 4'000;

// How far beyond its limit a share may come out by chance in one of kCells cells: the one-sided
// 1 - 0.05/50 quantile (3.09 standard deviations). A library whose every cell stands exactly at its
// limit passes all of them with probability 0.95.
double cell_tolerance(double limit, int64_t repetitions);

}  // namespace palimpsest::stat
