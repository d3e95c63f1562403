#include "tests/eval/composite_calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/internal/replicates.h"
#include "palimpsest/stat/internal/normal.h"

namespace palimpsest::eval {
namespace {

constexpr uint64_t kCompositeSeed = 20261117;
constexpr double kNoUpperBound = std::numeric_limits<double>::infinity();

// One data file: clusters of examples, each with the latent values N(0, 1) of several metrics.
struct FileShape {
  int64_t clusters = 20;
  int64_t size = 20;
  double icc = 0.1;
  bool unequal = false;      // lognormal sizes, standard deviation of the logarithm 1
  double correlation = 0.6;  // of the metrics, between and within clusters
};

// [metric][example], and the cluster of each example.
struct LatentValues {
  std::vector<std::vector<double>> metrics;
  std::vector<int64_t> clusters;
};

LatentValues draw_latent(const FileShape& shape, size_t metrics, int64_t first, Random& random) {
  LatentValues latent;
  latent.metrics.resize(metrics);
  auto draw = [&] {
    std::vector<double> values(metrics);
    const double common = std::sqrt(shape.correlation) * random.normal();
    for (double& value : values)
      value = common + std::sqrt(1 - shape.correlation) * random.normal();
    return values;
  };
  for (int64_t g = 0; g < shape.clusters; ++g) {
    const std::vector<double> effect = draw();
    double size = static_cast<double>(shape.size);
    if (shape.unequal) size *= std::exp(random.normal() - 0.5);
    for (int64_t i = 0; i < std::max<int64_t>(1, std::llround(size)); ++i) {
      const std::vector<double> own = draw();
      for (size_t k = 0; k < metrics; ++k) {
        latent.metrics[k].push_back(std::sqrt(shape.icc) * effect[k] +
                                    std::sqrt(1 - shape.icc) * own[k]);
      }
      latent.clusters.push_back(first + g);
    }
  }
  return latent;
}

// What a metric makes of a latent value, and the mean of that over all examples there are.
struct LatentMetric {
  std::function<double(double)> of;
  double mean = 0;
};

// Probability or ROUGE: Φ(center + spread·z).
LatentMetric latent_probability(double center, double spread) {
  return {.of = [=](double z) { return stat::normal_cdf(center + spread * z); },
          .mean = stat::normal_cdf(center / std::sqrt(1 + spread * spread))};
}

// E[r; r < 1] of r = exp(center + spread·z).
double mean_below_one(double center, double spread) {
  return std::exp(center + spread * spread / 2) * stat::normal_cdf(-center / spread - spread);
}

// The truth ratio of a retain set: max(0, 1 - r).
LatentMetric retain_truth_ratio(double center, double spread) {
  return {.of = [=](double z) { return std::max(0.0, 1 - std::exp(center + spread * z)); },
          .mean = stat::normal_cdf(-center / spread) - mean_below_one(center, spread)};
}

// That of a forget set: min(r, 1/r).
LatentMetric forget_truth_ratio(double center, double spread) {
  return {.of = [=](double z) { return std::exp(-std::abs(center + spread * z)); },
          .mean = mean_below_one(center, spread) + mean_below_one(-center, spread)};
}

std::vector<ClusteredValue> clustered_values(const std::vector<double>& latent,
                                             const std::vector<int64_t>& clusters,
                                             const LatentMetric& value, uint64_t file) {
  std::vector<ClusteredValue> values;
  for (size_t i = 0; i < latent.size(); ++i)
    values.push_back({.value = value.of(latent[i]), .cluster = clusters[i], .file = file});
  return values;
}

// The formula of a handler of the table, with the value that it compares with last.
double combined_by(const char* handler, std::span<const double> values) {
  const Handler& found = *std::ranges::find(default_handler_table(), handler, &Handler::name);
  if (!found.compares) return found.combine(values, 0);
  return found.combine(values.first(values.size() - 1), values.back());
}

struct UtilityFile {
  FileShape shape;
  std::array<LatentMetric, 3> metrics;
};

CompositeCase utility_case(const std::string& name, const std::vector<UtilityFile>& files) {
  std::vector<double> means;
  for (const UtilityFile& file : files) {
    for (const LatentMetric& metric : file.metrics) means.push_back(metric.mean);
  }
  return {.name = "model utility: " + name,
          .truth = combined_by("hm_aggregate", means),
          .interval = [files](Random& random) -> std::optional<stat::Interval> {
            std::vector<Replicates> parts;
            int64_t first = 0;
            for (size_t f = 0; f < files.size(); ++f) {
              const UtilityFile& file = files[f];
              const LatentValues latent =
                  draw_latent(file.shape, file.metrics.size(), first, random);
              first += file.shape.clusters;
              for (size_t k = 0; k < file.metrics.size(); ++k) {
                const auto replicates = mean_replicates(clustered_values(
                    latent.metrics[k], latent.clusters, file.metrics[k], uint64_t{1} << f));
                if (!replicates) return std::nullopt;
                parts.push_back(*replicates);
              }
            }
            return interval_of(combined(parts,
                                        [](std::span<const double> values) {
                                          return combined_by("hm_aggregate", values);
                                        }),
                               {0, 1});
          }};
}

CompositeCase mean_case(const std::string& name, const FileShape& shape,
                        const LatentMetric& value) {
  return {.name = name,
          .truth = value.mean,
          .interval = [shape, value](Random& random) -> std::optional<stat::Interval> {
            const LatentValues latent = draw_latent(shape, 1, 0, random);
            const auto replicates =
                mean_replicates(clustered_values(latent.metrics[0], latent.clusters, value, 1));
            return replicates ? interval_of(*replicates, {0, 1}) : std::nullopt;
          }};
}

struct PrivleakShape {
  FileShape each;  // of the forget set and of the holdout set
  double auc = 0.7;
  double reference = 0.5;     // the retrained model's
  bool same_examples = true;  // the retain log has them; else its AUC counts as known
};

CompositeCase privleak_case(const std::string& name, const PrivleakShape& shape) {
  const std::array<double, 2> truth = {shape.auc, shape.reference};
  return {
      .name = "privleak: " + name,
      .truth = combined_by("privleak", truth),
      .interval = [shape](Random& random) -> std::optional<stat::Interval> {
        const LatentValues forget = draw_latent(shape.each, 2, 0, random);
        const LatentValues holdout = draw_latent(shape.each, 2, shape.each.clusters, random);
        std::vector<Replicates> both;
        for (const size_t model : {size_t{0}, size_t{1}}) {
          const double auc = model == 0 ? shape.auc : shape.reference;
          if (model == 1 && !shape.same_examples) {
            both.push_back({.value = auc, .without = {}});
            continue;
          }
          const double shift = std::numbers::sqrt2 * stat::normal_quantile(auc);
          const LatentMetric plain{.of = [](double z) { return z; }, .mean = 0};
          const LatentMetric shifted{.of = [shift](double z) { return z + shift; }, .mean = shift};
          const auto replicates =
              auc_replicates(clustered_values(holdout.metrics[model], holdout.clusters, shifted, 2),
                             clustered_values(forget.metrics[model], forget.clusters, plain, 1));
          if (!replicates) return std::nullopt;
          both.push_back(*replicates);
        }
        return interval_of(combined(both,
                                    [](std::span<const double> values) {
                                      return combined_by("privleak", values);
                                    }),
                           {-100, kNoUpperBound});
      }};
}

// TOFU's model utility: authors, and two files of questions that have nothing to do with each
// other.
std::vector<UtilityFile> tofu_files(const FileShape& authors, int64_t singles, double center) {
  const FileShape single{.clusters = singles, .size = 1, .icc = 0};
  return {
      {authors,
       {latent_probability(center, 0.8), latent_probability(0.4, 0.5),
        retain_truth_ratio(-0.7, 0.8)}},
      {single,
       {latent_probability(0.2, 0.7), latent_probability(0.9, 0.6), retain_truth_ratio(-0.9, 0.7)}},
      {single,
       {latent_probability(0, 0.6), latent_probability(1, 0.6), retain_truth_ratio(-0.8, 0.7)}}};
}

}  // namespace

std::vector<CompositeCase> composite_cases() {
  const FileShape independent{.clusters = 200, .size = 1, .icc = 0};
  return {
      utility_case("20 authors of 20, ICC 0.1", tofu_files({}, 100, 1)),
      utility_case("20 authors of 20, ICC 0.3", tofu_files({.icc = 0.3}, 100, 1)),
      utility_case("20 unequal authors, ICC 0.3",
                   tofu_files({.icc = 0.3, .unequal = true}, 100, 1)),
      utility_case("20 authors of 20, ICC 0.3, probability 0.05",
                   tofu_files({.icc = 0.3}, 100, -2.1)),
      utility_case("5 authors of 20, ICC 0.3", tofu_files({.clusters = 5, .icc = 0.3}, 20, 1)),
      mean_case("truth ratio of a forget set: 20 authors of 20, ICC 0.3", {.icc = 0.3},
                forget_truth_ratio(-0.3, 0.6)),
      mean_case("truth ratio of a forget set: 5 authors of 20, ICC 0.3",
                {.clusters = 5, .icc = 0.3}, forget_truth_ratio(-0.3, 0.6)),
      mean_case("truth ratio of a retain set: 20 unequal authors, ICC 0.3",
                {.icc = 0.3, .unequal = true}, retain_truth_ratio(-0.7, 0.8)),
      mean_case("truth ratio of a retain set: 200 independent", independent,
                retain_truth_ratio(-0.7, 0.8)),
      privleak_case("20 + 20 authors of 20, ICC 0.1, AUC 0.7 against 0.5", {}),
      privleak_case("20 + 20 authors of 20, ICC 0.3, AUC 0.9 against 0.5",
                    {.each = {.icc = 0.3}, .auc = 0.9}),
      privleak_case("20 + 20 unequal authors, ICC 0.3, AUC 0.7 against 0.5",
                    {.each = {.icc = 0.3, .unequal = true}}),
      privleak_case("10 + 10 authors of 20, ICC 0.1, AUC 0.5 against 0.5",
                    {.each = {.clusters = 10}, .auc = 0.5}),
      privleak_case("200 + 200 independent, AUC 0.7 against 0.5, taken as known",
                    {.each = independent, .same_examples = false}),
  };
}

double composite_coverage(const CompositeCase& setting, int64_t repetitions) {
  std::vector<char> covered(static_cast<size_t>(repetitions));
  parallel_for(repetitions, 0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Random random = Random(kCompositeSeed).split(static_cast<uint64_t>(i));
      const std::optional<stat::Interval> interval = setting.interval(random);
      covered[static_cast<size_t>(i)] = interval && interval->contains(setting.truth) ? 1 : 0;
    }
  });
  return static_cast<double>(std::ranges::count(covered, 1)) / static_cast<double>(repetitions);
}

}  // namespace palimpsest::eval
