#include "tests/stat/cluster_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/internal/cluster_plan.h"
#include "palimpsest/stat/internal/normal.h"
#include "palimpsest/stat/internal/simultaneous.h"
#include "palimpsest/stat/internal/student_t.h"
#include "tests/stat/calibration.h"

namespace palimpsest::stat {
namespace {

constexpr uint64_t kClusterSeed = 20250603;
constexpr double kTieGrain = 0.5;
constexpr double kFamilyConfidence = 0.97;
// Fewer than the library's default: the noise of each multiple averages out over the repetitions.
constexpr int64_t kFamilyDraws = 4'000;

double binormal_shift(double auc) {
  return std::numbers::sqrt2 * normal_quantile(auc);
}

// How large the clusters of each class are.
struct DrawnSizes {
  std::vector<int64_t> positives;
  std::vector<int64_t> negatives;
};

std::vector<int64_t> draw_class_sizes(const ClusterSetting& setting, Random& random) {
  std::vector<int64_t> sizes(static_cast<size_t>(setting.clusters));
  for (int64_t& size : sizes) {
    double wanted = setting.mean_size;
    if (setting.sizes == ClusterSizes::kLognormal) wanted *= std::exp(random.normal() - 0.5);
    size = std::max<int64_t>(1, std::llround(wanted));
  }
  if (setting.sizes == ClusterSizes::kOneLarge) {
    sizes[0] = std::llround(setting.mean_size * static_cast<double>(setting.clusters - 1) / 2);
  }
  return sizes;
}

DrawnSizes draw_sizes(const ClusterSetting& setting, Random& random) {
  DrawnSizes sizes{.positives = draw_class_sizes(setting, random)};
  sizes.negatives = setting.in_both ? sizes.positives : draw_class_sizes(setting, random);
  return sizes;
}

// Scores of several attacks on the same items.
struct DrawnAttacks {
  std::vector<LabelledScores> scores;  // [attack]
  ScoreClusters clusters;
};

class AttackSampler {
 public:
  // One AUC per attack.
  AttackSampler(const ClusterSetting& setting, const std::vector<double>& aucs, double correlation)
      : setting_(setting),
        shared_(aucs.size() > 1 ? std::sqrt(correlation) : 0),
        own_(aucs.size() > 1 ? std::sqrt(1 - correlation) : 1) {
    for (double auc : aucs) shifts_.push_back(binormal_shift(auc));
  }

  DrawnAttacks draw(Random& random) const { return draw(random, draw_sizes(setting_, random)); }

  DrawnAttacks draw(Random& random, const DrawnSizes& sizes) const {
    DrawnAttacks drawn;
    drawn.scores.resize(shifts_.size());
    for (int64_t g = 0; g < setting_.clusters; ++g) {
      std::vector<double> effects = draw_values(random);
      add_items(random, effects, sizes.positives[static_cast<size_t>(g)], g, true, drawn);
      if (!setting_.in_both) effects = draw_values(random);
      const int64_t opposite = setting_.in_both ? g : setting_.clusters + g;
      add_items(random, effects, sizes.negatives[static_cast<size_t>(g)], opposite, false, drawn);
    }
    return drawn;
  }

 private:
  // N(0, 1) per attack, correlated.
  std::vector<double> draw_values(Random& random) const {
    std::vector<double> values(shifts_.size());
    const double common = shared_ > 0 ? shared_ * random.normal() : 0;
    for (double& value : values) value = common + own_ * random.normal();
    return values;
  }

  void add_items(Random& random, const std::vector<double>& effects, int64_t items, int64_t number,
                 bool positive, DrawnAttacks& drawn) const {
    const double between = std::sqrt(setting_.icc);
    const double within = std::sqrt(1 - setting_.icc);
    auto& numbers = positive ? drawn.clusters.positives : drawn.clusters.negatives;
    for (int64_t i = 0; i < items; ++i) {
      numbers.push_back(number);
      const std::vector<double> noise = draw_values(random);
      for (size_t k = 0; k < noise.size(); ++k) {
        double score = between * effects[k] + within * noise[k] + (positive ? shifts_[k] : 0);
        if (setting_.tied) score = std::floor(score / kTieGrain) * kTieGrain;
        auto& scores = positive ? drawn.scores[k].positives : drawn.scores[k].negatives;
        scores.push_back(score);
      }
    }
  }

  ClusterSetting setting_;
  double shared_;
  double own_;
  std::vector<double> shifts_;
};

// holds(random, i) of repetition i.
double share_of_repetitions(int64_t repetitions,
                            const std::function<bool(Random&, size_t)>& holds) {
  const Random root(kClusterSeed);
  std::vector<char> held(static_cast<size_t>(repetitions));
  parallel_for(repetitions, 0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Random random = root.split(static_cast<uint64_t>(i));
      held[static_cast<size_t>(i)] = holds(random, static_cast<size_t>(i)) ? 1 : 0;
    }
  });
  return static_cast<double>(std::count(held.begin(), held.end(), 1)) /
         static_cast<double>(repetitions);
}

double true_auc_at(const ClusterSetting& setting, double auc) {
  ClusterSetting other = setting;
  other.auc = auc;
  return true_auc(other);
}

// Whether an audit of a model at this AUC finds it.
bool is_detected(const ClusterSetting& setting, double auc, const DrawnSizes& sizes,
                 Random& random) {
  // The shift of an AUC of exactly 1 would be infinite.
  const AttackSampler sampler(setting, {std::min(auc, 1 - 1e-9)}, 0);
  const DrawnAttacks audit = sampler.draw(random, sizes);
  const auto estimate = clustered_auc(audit.scores[0], audit.clusters).value();
  return auc_interval(estimate, kFamilyConfidence).low > 0.5;
}

using FamilyIntervals = std::function<std::vector<Interval>(const std::vector<ClusteredAuc>&)>;

double family_error(const FamilySetting& setting, int64_t repetitions,
                    const FamilyIntervals& intervals) {
  const AttackSampler sampler(setting.each,
                              std::vector<double>(static_cast<size_t>(setting.attacks), 0.5),
                              setting.correlation);
  return share_of_repetitions(repetitions, [&](Random& random, size_t) {
    const DrawnAttacks drawn = sampler.draw(random);
    std::vector<ClusteredAuc> estimates;
    for (const LabelledScores& scores : drawn.scores) {
      estimates.push_back(clustered_auc(scores, drawn.clusters).value());
    }
    const std::vector<Interval> found = intervals(estimates);
    return std::any_of(found.begin(), found.end(),
                       [](const Interval& interval) { return !interval.contains(0.5); });
  });
}

}  // namespace

std::string describe(const ClusterSetting& setting) {
  constexpr std::array kNames = {"", ", lognormal", ", one holds a third"};
  return fmt::format("{} + {}{} clusters of {}{}, ICC {}, AUC {}{}", setting.clusters,
                     setting.clusters, setting.in_both ? " shared" : "", setting.mean_size,
                     kNames[static_cast<size_t>(setting.sizes)], setting.icc, setting.auc,
                     setting.tied ? ", tied" : "");
}

std::ostream& operator<<(std::ostream& out, const ClusterSetting& setting) {
  return out << describe(setting);
}

double true_auc(const ClusterSetting& setting) {
  const double between = true_auc(AucCase{.auc = setting.auc, .tied = setting.tied});
  if (!setting.in_both) return between;
  PALIMPSEST_CHECK(setting.sizes == ClusterSizes::kEqual && !setting.tied);
  // Inside a cluster the effect cancels. So many of all pairs are inside one.
  const double inside = normal_cdf(binormal_shift(setting.auc) / std::sqrt(2 * (1 - setting.icc)));
  const double share = 1 / static_cast<double>(setting.clusters);
  return share * inside + (1 - share) * between;
}

double clustered_auc_coverage(const ClusterSetting& setting, int64_t repetitions) {
  const AttackSampler sampler(setting, {setting.auc}, 0);
  const double truth = true_auc(setting);
  return share_of_repetitions(repetitions, [&](Random& random, size_t) {
    const DrawnAttacks drawn = sampler.draw(random);
    const auto estimate = clustered_auc(drawn.scores[0], drawn.clusters);
    return estimate && auc_interval(*estimate).contains(truth);
  });
}

double unclustered_auc_coverage(const ClusterSetting& setting, int64_t repetitions) {
  const AttackSampler sampler(setting, {setting.auc}, 0);
  const double truth = true_auc(setting);
  return share_of_repetitions(repetitions, [&](Random& random, size_t) {
    const auto interval = delong_interval(sampler.draw(random).scores[0]);
    return interval && interval->contains(truth);
  });
}

double difference_coverage(const DifferenceSetting& setting, int64_t repetitions) {
  const AttackSampler sampler(setting.a, {setting.a.auc, setting.auc_b}, setting.correlation);
  const double truth = true_auc(setting.a) - true_auc_at(setting.a, setting.auc_b);
  return share_of_repetitions(repetitions, [&](Random& random, size_t) {
    const DrawnAttacks drawn = sampler.draw(random);
    const auto a = clustered_auc(drawn.scores[0], drawn.clusters);
    const auto b = clustered_auc(drawn.scores[1], drawn.clusters);
    if (!a || !b) return false;
    const auto difference = auc_difference(*a, *b);
    return difference && difference_interval(*difference).contains(truth);
  });
}

double familywise_error(const FamilySetting& setting, int64_t repetitions) {
  return family_error(setting, repetitions, [](const std::vector<ClusteredAuc>& family) {
    std::vector<EstimateInfluence> influence;
    for (const ClusteredAuc& one : family) {
      influence.push_back({one.influence, one.degrees_of_freedom});
    }
    // One thread: the repetitions themselves run in parallel.
    const double multiple = simultaneous_multiple(
        influence, {.confidence = kFamilyConfidence, .draws = kFamilyDraws, .threads = 1});
    std::vector<Interval> intervals;
    for (const ClusteredAuc& one : family) {
      intervals.push_back(auc_interval_with(one, multiple, kFamilyConfidence));
    }
    return intervals;
  });
}

double unadjusted_error(const FamilySetting& setting, int64_t repetitions) {
  return family_error(setting, repetitions, [](const std::vector<ClusteredAuc>& family) {
    std::vector<Interval> intervals;
    for (const ClusteredAuc& one : family) {
      intervals.push_back(auc_interval(one, kFamilyConfidence));
    }
    return intervals;
  });
}

DetectedShare detected_share(const ClusterSetting& setting, int64_t repetitions) {
  const Random root(kClusterSeed);
  Random design = root.split(~uint64_t{0});
  const DrawnSizes sizes = draw_sizes(setting, design);
  const AttackSampler at_half(setting, {0.5}, 0);
  std::vector<double> aucs(static_cast<size_t>(repetitions));
  const double share_of_own = share_of_repetitions(repetitions, [&](Random& random, size_t i) {
    const DrawnAttacks audit = at_half.draw(random, sizes);
    const auto seen = clustered_auc(audit.scores[0], audit.clusters).value();
    const double multiple = two_sided_t(kFamilyConfidence, seen.degrees_of_freedom);
    aucs[i] = would_detect(seen, multiple);
    return is_detected(setting, aucs[i], sizes, random);
  });
  DetectedShare result{.of_own = share_of_own};
  for (double auc : aucs) result.mean_auc += auc / static_cast<double>(aucs.size());
  result.at_mean = share_of_repetitions(repetitions, [&](Random& random, size_t) {
    // Not the numbers that went into the mean.
    Random other = random.split(1);
    return is_detected(setting, result.mean_auc, sizes, other);
  });
  return result;
}

std::vector<ClusterSetting> auc_cells() {
  constexpr std::array kAucs = {0.5, 0.7, 0.95};
  constexpr std::array kIccs = {0.0, 0.1, 0.3};
  constexpr std::array<int64_t, 4> kClusters = {5, 10, 20, 50};
  std::vector<ClusterSetting> cells;
  // Every number of clusters with every correlation; the AUCs take turns, so that over both kinds
  // of sizes each number of clusters meets each AUC twice.
  for (const ClusterSizes sizes : {ClusterSizes::kEqual, ClusterSizes::kLognormal}) {
    const size_t offset = sizes == ClusterSizes::kEqual ? 0 : 1;
    for (size_t g = 0; g < kClusters.size(); ++g) {
      for (size_t i = 0; i < kIccs.size(); ++i) {
        cells.push_back({.clusters = kClusters[g],
                         .sizes = sizes,
                         .icc = kIccs[i],
                         .auc = kAucs[(g + i + offset) % kAucs.size()]});
      }
    }
  }
  for (size_t g = 0; g < kClusters.size(); ++g) {
    cells.push_back({.clusters = kClusters[g],
                     .sizes = ClusterSizes::kOneLarge,
                     .icc = g % 2 == 0 ? 0.1 : 0.3,
                     .auc = kAucs[g % kAucs.size()]});
  }
  cells.push_back({.clusters = 10, .icc = 0.1, .auc = 0.7, .tied = true});
  cells.push_back(
      {.clusters = 20, .sizes = ClusterSizes::kLognormal, .icc = 0.3, .auc = 0.95, .tied = true});
  cells.push_back({.clusters = 10, .icc = 0.3, .auc = 0.7, .in_both = true});
  // Few items: independent ones, and clusters of two.
  cells.push_back({.clusters = 15, .mean_size = 1, .auc = 0.7});
  cells.push_back({.clusters = 8, .mean_size = 2, .icc = 0.3, .auc = 0.5});
  return cells;
}

std::vector<DifferenceSetting> difference_cells() {
  auto cell = [](int64_t clusters, ClusterSizes sizes, double icc, double auc_a, double auc_b,
                 double correlation) {
    return DifferenceSetting{.a = {.clusters = clusters, .sizes = sizes, .icc = icc, .auc = auc_a},
                             .auc_b = auc_b,
                             .correlation = correlation};
  };
  using enum ClusterSizes;
  return {cell(5, kEqual, 0.1, 0.5, 0.5, 0.9),      cell(5, kLognormal, 0.3, 0.7, 0.6, 0.5),
          cell(10, kEqual, 0.3, 0.7, 0.6, 0.9),     cell(10, kOneLarge, 0.1, 0.5, 0.5, 0.5),
          cell(20, kEqual, 0, 0.95, 0.9, 0.5),      cell(20, kLognormal, 0.1, 0.7, 0.6, 0.9),
          cell(50, kLognormal, 0.3, 0.95, 0.9, 0.9)};
}

std::vector<FamilySetting> family_cells() {
  std::vector<FamilySetting> cells;
  for (const int64_t clusters : {5, 20}) {
    for (const double correlation : {0.5, 0.9, 0.99}) {
      cells.push_back({.each = {.clusters = clusters, .mean_size = 10, .icc = 0.1},
                       .correlation = correlation});
    }
  }
  return cells;
}

std::vector<ClusterSetting> power_cells() {
  return {{.clusters = 10, .icc = 0.1},
          {.clusters = 20, .icc = 0.1},
          {.clusters = 20, .sizes = ClusterSizes::kLognormal, .icc = 0.3},
          {.clusters = 50, .icc = 0.1}};
}

double cell_tolerance(double limit, int64_t repetitions) {
  const double quantile = normal_quantile(1 - 0.05 / static_cast<double>(kCells));
  return quantile * std::sqrt(limit * (1 - limit) / static_cast<double>(repetitions));
}

}  // namespace palimpsest::stat
