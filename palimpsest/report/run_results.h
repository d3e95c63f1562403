// What a run left in its folder: mia.json of `palimpsest mia --out`, evaluation logs
// (NAME_EVAL.json, NAME_SUMMARY.json) in open-unlearning's schema, and what NAME_RUN.json records of
// them. One number per metric, with an interval and the values of single examples where the files
// have them, the parameters that it was made with, and the answer of the audit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest {

// By the example's key in the file. Of clusters an example that is not there is one of its own.
using ValueByExample = std::map<std::string, double>;
using ClusterByExample = std::map<std::string, std::string>;
// Values as text: "0.4".
using MetricParameters = std::map<std::string, std::string>;

// The trace files of an attack's sets; empty where there is none, or none is known.
struct SetTraceFiles {
  std::filesystem::path forget = {};
  std::filesystem::path holdout = {};
};

// What a log has of a text that the model wrote, each cut to kMostLoggedText bytes.
struct GeneratedExample {
  std::string generation;
  std::optional<std::string> input = {};
  std::optional<std::string> truth = {};
};
inline constexpr int64_t kMostLoggedText = 4'000;

struct RunMetric {
  std::string name;             // "loss" of mia.json is "mia_loss", as in evaluation logs
  std::optional<double> value;  // agg_value
  std::optional<Interval> interval = {};
  std::optional<Interval> simultaneous = {};  // of mia.json: 97%, over the family of attacks
  // Values of single examples by index whose mean is `value`; empty where the file has none. For an
  // AUC the scores of both sets instead: higher means less likely a member.
  ValueByExample by_index = {};
  ValueByExample forget = {};
  ValueByExample holdout = {};
  ClusterByExample clusters = {};
  ClusterByExample forget_clusters = {};
  ClusterByExample holdout_clusters = {};
  // nullopt: the file does not say, as none of open-unlearning does.
  std::optional<MetricParameters> parameters = {};
  // The row of the attack table that it comes from; null where the table has none of its name.
  std::shared_ptr<const Attack> attack = {};
  // The data set that by_index is of: "forget", "holdout", or what only metrics of the same set have.
  std::string data_set = {};
  // As the run's record says; empty where it does not. Fingerprints of the data by access key ("" of a
  // metric with one data set): equal ones are the same examples under the same keys.
  std::map<std::string, std::string> data = {};
  SetTraceFiles traces = {};
  std::map<std::string, GeneratedExample> generations = {};  // by the example's key

  bool is_auc() const { return !forget.empty() && !holdout.empty(); }
  bool has_clusters() const { return !clusters.empty() || !forget_clusters.empty(); }
};

// "mia_min_k (k=0.4)": the name with the parameters that are not the attack's defaults.
std::string label_of(const RunMetric& metric);

// The same name, and parameters that do not contradict each other; unknown ones contradict none.
bool is_same_metric(const RunMetric& a, const RunMetric& b);

// A classifier that saw the texts alone told the forget set from the holdout set.
struct SeparatingTexts {
  double auc = 0;
  std::optional<double> p_value = {};
  std::optional<Interval> null_range = {};  // where the AUC of sets that do not differ lies
  std::vector<std::string> telling = {};    // the words that gave the sets away
};

struct RunResults {
  std::string name;  // the folder's
  std::filesystem::path folder;
  // AUCs, then what a summary holds, then what it was computed from; else in the order of the files.
  std::vector<RunMetric> metrics;
  std::optional<std::filesystem::path> scores = {};      // scores.csv, where it is there
  std::optional<std::filesystem::path> audit = {};       // mia.json, where there is no other log
  std::optional<SeparatingTexts> separating_texts = {};  // where mia.json says so
  std::optional<Answer> answer = {};                     // of mia.json, else of NAME_RUN.json
  std::string cluster_name = {};  // "author", "blocks of 20"; empty: examples count as independent
  std::vector<std::string> notes = {};  // what NAME_RUN.json says about several retrained models
};

// Of attack/mia/leading_attack.h; null if the run has no attack.
const RunMetric* leading_attack(const RunResults& run);

// The values, in the order of their indices.
std::vector<double> values_of(const ValueByExample& by_index);

struct RunReadOptions {
  double confidence = 0.95;  // of all intervals, in (0, 1)
  // For runs whose files say nothing about clusters: a size, or that there are none. A key is refused,
  // since logs hold no data.
  ClusterChoice clusters = {};
  AttackTable attacks = default_attack_table();  // those that the metrics may come from
};

// What mia.json and NAME_RUN.json say of intervals is taken where it is of the confidence asked for: an
// interval is computed once. Others are those of run_intervals.h. What NAME_RUN.json says of the effect
// behind a p-value becomes metrics of their own: forget_quality_mean_difference,
// forget_quality_ks_distance. Throws Error for a folder without any such file, and for a file that is
// not what its name says or of a newer version.
RunResults read_run(const std::filesystem::path& folder, const RunReadOptions& options);

// Reads several; runs whose folders have the same name are called by their whole paths.
std::vector<RunResults> read_runs(const std::vector<std::filesystem::path>& folders,
                                  const RunReadOptions& options);

}  // namespace palimpsest
