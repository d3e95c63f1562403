// The results of a run, read from its folder or taken from memory. The files are mia.json of
// `palimpsest mia --out`, evaluation logs (NAME_EVAL.json, NAME_SUMMARY.json) in open-unlearning's
// schema, and their record NAME_RUN.json. The results hold one number per metric with its
// parameters and, if the files have them, its interval and the values of single examples. They also
// hold the answer of the audit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/eval/evaluate.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest::report {

// The prefix of the names of attack metrics, as in mia_loss.
inline constexpr std::string_view kAttackPrefix = "mia_";

// Values and clusters by the example's key in the file. An example that is missing from the
// clusters is a cluster of its own.
using ValueByExample = std::map<std::string, double>;
using ClusterByExample = std::map<std::string, std::string>;
// Values as text: "0.4".
using MetricParameters = std::map<std::string, std::string>;

// The traces of an attack's two sets. A path is empty if there is no file or none is known. Traces
// in memory, if there are any, take precedence over the files.
struct SetTraceFiles {
  using Loaded = std::shared_ptr<const std::vector<trace::Trace>>;

  std::filesystem::path forget = {};
  std::filesystem::path holdout = {};
  Loaded forget_loaded = {};
  Loaded holdout_loaded = {};
};

// A text that the model wrote, with its prompt and the true text, as a log has them. Each is cut to
// kMostLoggedText bytes.
struct GeneratedExample {
  std::string generation;
  std::optional<std::string> input = {};
  std::optional<std::string> truth = {};
};
inline constexpr int64_t kMostLoggedText = 4'000;

// One number of a run as it is shown and compared, wherever it comes from: an evaluation's
// MetricResult, an audit's AttackOutcome, or a log of another program. Only read_run() and run_of()
// convert these types to a RunMetric.
struct RunMetric {
  std::string name;             // "loss" of mia.json is "mia_loss", as in evaluation logs
  std::optional<double> value;  // agg_value
  std::optional<stat::Interval> interval = {};
  std::optional<stat::Interval> simultaneous = {};  // of mia.json: 97%, over the family of attacks
  // Values of single examples by index whose mean is `value`; empty where the file has none. For an
  // AUC the scores of both sets instead: higher means less likely a member.
  ValueByExample by_index = {};
  ValueByExample forget = {};
  ValueByExample holdout = {};
  ClusterByExample clusters = {};
  ClusterByExample forget_clusters = {};
  ClusterByExample holdout_clusters = {};
  // nullopt if the file does not say, which is always so for files of open-unlearning.
  std::optional<MetricParameters> parameters = {};
  // The row of the attack table that it comes from; null where the table has none of its name.
  std::shared_ptr<const attack::Attack> attack = {};
  // The data set of by_index: "forget", "holdout", or a text that is equal for metrics of the same
  // data set.
  std::string data_set = {};
  // Fingerprints of the data by access key ("" for a metric with one data set), from the run's
  // record; empty if it has none. Equal fingerprints mean the same examples under the same keys.
  std::map<std::string, std::string> data = {};
  SetTraceFiles traces = {};
  std::map<std::string, GeneratedExample> generations = {};  // by the example's key

  bool is_auc() const { return !forget.empty() && !holdout.empty(); }
  bool has_clusters() const { return !clusters.empty() || !forget_clusters.empty(); }
};

// "mia_min_k (k=0.4)": the name with the parameters that are not the attack's defaults.
std::string label_of(const RunMetric& metric);

// Whether the two have the same name and no contradicting parameters. Unknown parameters contradict
// nothing.
bool is_same_metric(const RunMetric& a, const RunMetric& b);

// A classifier that saw the texts alone told the forget set from the holdout set.
struct SeparatingTexts {
  double auc = 0;
  std::optional<double> p_value = {};
  std::optional<stat::Interval> null_range = {};  // range of the AUC for sets that do not differ
  std::vector<std::string> telling = {};          // the words that gave the sets away
};

struct RunResults {
  std::string name;  // the folder's
  std::filesystem::path folder;
  // AUCs first, then the metrics of a summary, then the metrics from which those were computed.
  // Within each group they are in the order of the files.
  std::vector<RunMetric> metrics;
  std::optional<std::filesystem::path> scores = {};      // scores.csv, where it is there
  std::optional<std::filesystem::path> audit = {};       // mia.json, if there is no other log
  std::optional<SeparatingTexts> separating_texts = {};  // where mia.json says so
  std::optional<attack::Answer> answer = {};             // of mia.json, else of NAME_RUN.json
  std::string cluster_name = {};  // "author", "blocks of 20"; empty: examples count as independent
  // What NAME_RUN.json says about the comparison with several retrained models.
  std::vector<std::string> notes = {};
};

// The metric chosen by attack/mia/leading_attack.h; null if the run has no attack.
const RunMetric* leading_attack(const RunResults& run);

// The values, in the order of their indices.
std::vector<double> values_of(const ValueByExample& by_index);

struct RunReadOptions {
  double confidence = 0.95;  // of all intervals, in (0, 1)
  // For runs whose files say nothing about clusters: a block size, or that examples are
  // independent. A key is refused, because logs hold no data.
  attack::ClusterChoice clusters = {};
  attack::AttackTable attacks =
      attack::default_attack_table();  // those that the metrics may come from
};

// Intervals are taken from mia.json and NAME_RUN.json if they have the requested confidence, so
// that no interval is computed twice. The others are computed by run_intervals.h. Effect sizes that
// NAME_RUN.json gives for a p-value become separate metrics: forget_quality_mean_difference and
// forget_quality_ks_distance. Throws Error for a folder without any such file, and for a file that
// does not have the expected content or is of a newer version.
RunResults read_run(const std::filesystem::path& folder, const RunReadOptions& options);

// The same for evaluations that have just run and wrote into one folder. Their results are taken
// from memory; only other files of the folder are read. There must be at least one evaluation.
RunResults run_of(const std::vector<const eval::Evaluation*>& evaluations,
                  const RunReadOptions& options);

// The same for an audit in memory, which has no folder. Its texts are shown on the page of the
// audit itself (page/mia_page.h).
RunResults run_of(const attack::MiaReport& audit, const std::string& name,
                  const RunReadOptions& options);

// Reads several; runs whose folders have the same name are called by their whole paths.
std::vector<RunResults> read_runs(const std::vector<std::filesystem::path>& folders,
                                  const RunReadOptions& options);

}  // namespace palimpsest::report
