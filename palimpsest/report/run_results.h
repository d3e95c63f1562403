// The results of a run, read from its folder or taken from memory. The files are mia.json of
// `palimpsest mia --out`, evaluation logs (NAME_EVAL.json, NAME_SUMMARY.json) in the format of
// open-unlearning, and their record NAME_RUN.json. The results hold one number per metric with its
// parameters and, if the files have them, its interval and the values of individual examples. They
// also hold the answer of the audit.
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
#include "palimpsest/attack/mia/red_flags.h"
#include "palimpsest/eval/evaluate.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::report {

using attack::kAttackPrefix;

// Values and clusters, keyed by the example's key in the file. An example that has no entry in the
// clusters is a cluster of its own.
using ValueByExample = std::map<std::string, double>;
using ClusterByExample = std::map<std::string, std::string>;
// Parameters with their values as text: "0.4".
using MetricParameters = std::map<std::string, std::string>;

// A text that the model generated, with its prompt and the true text, as in a log. Each is cut to
// kMaxLoggedText bytes.
struct GeneratedExample {
  std::string generation;
  std::optional<std::string> input = {};
  std::optional<std::string> truth = {};
};
inline constexpr int64_t kMaxLoggedText = 4'000;

// One number of a run in the form in which it is shown and compared. It may come from an
// evaluation's MetricResult, an audit's AttackOutcome, or a log of another program; read_run() and
// run_of() make it.
struct RunMetric {
  std::string name;             // "loss" of mia.json becomes "mia_loss", as in evaluation logs
  std::optional<double> value;  // agg_value
  std::optional<stat::Interval> interval = {};
  // Values of individual examples, keyed by index; their mean is `value`. Empty if the file has
  // none. If the metric is the AUC of an attack, by_index is empty and `scored` has the scores of
  // both sets. Scores that are not finite count as undefined.
  ValueByExample by_index = {};
  std::optional<attack::ScoredAttack> scored = {};
  // `clusters` is for the examples of by_index. The other two are for those of `scored`.
  ClusterByExample clusters = {};
  ClusterByExample forget_clusters = {};
  ClusterByExample holdout_clusters = {};
  // nullopt if the file does not state them; files of open-unlearning never do.
  std::optional<MetricParameters> parameters = {};
  // The row of the attack table from which the metric comes, by the run's record or, without one,
  // by the metric's name; null if the table has no such attack.
  std::shared_ptr<const attack::Attack> attack = {};
  // The data set of by_index: "forget", "holdout", or a text that is equal for metrics on the same
  // data set.
  std::string data_set = {};
  // Fingerprints of the data from the run's record, keyed by access key (eval/handler.h; "" for a
  // metric with one data set). Empty if there is no record. Equal fingerprints mean the same
  // examples under the same keys.
  std::map<std::string, std::string> data = {};
  // From the record of the audit or of the run; nullopt if there is no record.
  std::optional<trace::BothSets<trace::TraceInput>> traces = {};
  std::map<std::string, GeneratedExample> generations = {};  // keyed by the example's key

  // Whether it is the AUC of an attack, perhaps of one that the table does not have.
  bool is_attack() const { return attack != nullptr || scored || name.starts_with(kAttackPrefix); }
  // Whether the name states parameters: "mia_min_k:k=0.3".
  bool name_has_parameters() const { return attack::row_named_in(name) != name; }
  // Whether it is an AUC with scores of both sets.
  bool is_auc() const {
    return scored && scored->forget.defined() > 0 && scored->holdout.defined() > 0;
  }
  bool has_clusters() const { return !clusters.empty() || !forget_clusters.empty(); }
};

// The name with the parameters that are not the attack's defaults: "mia_min_k (k=0.4)".
std::string label_of(const RunMetric& metric);

// Whether the two have the same name and do not differ in a known parameter or a known attack.
bool is_same_metric(const RunMetric& a, const RunMetric& b);

using attack::SeparatingTexts;

// A file that has the name of the traces of an audit, but that does not seem to be the file that
// the audit read.
struct UnfitTraces {
  std::filesystem::path file;
  std::string why;  // for readers; it names the file without its folder
};

struct RunResults {
  // The model's name in mia.json, if it has one. Otherwise the name of the folder, or of its parent
  // if the folder is called "evals".
  std::string name;
  std::filesystem::path folder;
  // First the AUCs, then the metrics of a summary, then the metrics from which those were computed.
  // Each group is in the order of the files.
  std::vector<RunMetric> metrics;
  std::optional<std::filesystem::path> scores = {};  // the path of scores.csv, if it exists
  // The path of mia.json, if there is no other log.
  std::optional<std::filesystem::path> audit = {};
  std::optional<SeparatingTexts> separating_texts = {};  // if mia.json has it
  // From mia.json, else from NAME_RUN.json; it names its attack as `metrics` does.
  std::optional<attack::Answer> answer = {};
  // First the flags that the files state, then those found by looking at the numbers of all files
  // together. Cautions come after all others.
  std::vector<attack::RedFlag> flags = {};
  // How examples are clustered: "author", "blocks of 20". Empty: examples count as independent.
  std::string cluster_name = {};
  // Trace files that do not seem to belong to the run. Their examples are not shown.
  std::vector<UnfitTraces> unfit_traces = {};
  // Remarks of NAME_RUN.json about the comparison with several retrained models, and the names of
  // results that provenance.json does not list.
  std::vector<std::string> notes = {};
};

// The metric of the run that is the same as this one; null if it has none.
const RunMetric* find_same(const RunResults& run, const RunMetric& metric);

// The AUC of the attack to name first (attack/internal/mia/leading_attack.h): the one that the
// answer names, else the highest; null if the run has no attack.
const RunMetric* leading_attack(const RunResults& run);

// The values, in the order of their indices.
std::vector<double> values_of(const ValueByExample& by_index);

// The defined scores by key. A map is sorted by its keys, so sums over it do not depend on the
// order of the examples in a file.
ValueByExample scores_by_key(const attack::SetScores& set);

struct RunReadOptions {
  double confidence = 0.95;  // of all intervals, in (0, 1)
  // For runs whose files do not say how examples are clustered: a block size, or the statement that
  // examples are independent. A cluster key is refused, because logs do not contain the records.
  attack::ClusterChoice clusters = {};
  // The attacks from which the metrics may come.
  attack::AttackTable attacks = attack::default_attack_table();
};

// Reads the files of a folder. Intervals are taken from mia.json and NAME_RUN.json if they have the
// requested confidence; the others are computed (internal/run_intervals.h). NAME_RUN.json may have
// effect sizes for a p-value; they become separate metrics, forget_quality_mean_difference and
// forget_quality_ks_distance. Throws Error for a folder without any such file, and for a file that
// has unexpected content or is of a newer version.
RunResults read_run(const std::filesystem::path& folder, const RunReadOptions& options);

// The results of evaluations that have just run and wrote into one folder. They are taken from
// memory; only other files of the folder are read. There must be at least one evaluation.
RunResults run_of(const std::vector<const eval::Evaluation*>& evaluations,
                  const RunReadOptions& options);

// The results of an audit in memory, which has no folder. Only the page of the audit shows the
// texts of its examples (page/mia_page.h).
RunResults run_of(const attack::MiaReport& audit, const std::string& name,
                  const RunReadOptions& options);

// Reads several folders. If two folders have the same name, their runs are named by as many last
// parts of their paths as it takes to tell them apart.
std::vector<RunResults> read_runs(const std::vector<std::filesystem::path>& folders,
                                  const RunReadOptions& options);

}  // namespace palimpsest::report
