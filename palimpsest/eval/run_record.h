// <NAME>_RUN.json records how the results of an evaluation were computed. It serves three purposes.
// Two runs can be compared, a second run can skip what is finished, and `report` need not guess how
// a number came about. The record holds versions, fingerprints, the seed, the device, the number
// type, the time per metric, and the passes of the models. For each metric it says which values
// were averaged, where the traces and generated texts are, and which metrics are about the same
// records.
//
// Once everything is finished, the record also holds the conclusions. These are the answer
// (attack/mia/answer.h), the clusters of examples, intervals, effect sizes, and the comparison with
// several retrained models. docs/formats.md describes every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/red_flags.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::eval {

// Records of version 1 were written by Palimpsest 0.1 and have no MetricSource.
inline constexpr int64_t kRunRecordVersion = 2;

// Where the values of a metric's examples come from. Empty in a record of version 1.
struct MetricSource {
  std::string attack = {};  // for an attack: its name in the attack table
  std::optional<AveragedField> averaged = {};
  std::map<std::string, std::string> data = {};  // fingerprints by access key
  // Which records the examples are, as an opaque text per access key. The key is "" if the metric
  // has no data of its own but is computed from other metrics. Equal texts of two metrics mean the
  // same records; then equal indices mean equal records.
  std::map<std::string, std::string> pairing = {};
  // The number of consecutive records that form a cluster; 0: clusters are not formed in this way.
  int64_t cluster_size = 0;
  // Paths of the trace files by access key, relative to the record's folder.
  std::map<std::string, std::string> traces = {};
  bool has_generations = false;      // whether value_by_index of the log holds generated texts
  std::string reference_model = {};  // as the configuration names it
  std::string reference_fingerprint = {};
  std::vector<std::string> reference_logs = {};  // files of other runs that it is compared with

  friend bool operator==(const MetricSource&, const MetricSource&) = default;
};

// The numeric parameters (such as k and p) with which an attack was configured.
using AttackParameters = attack::ParameterValues;

// The variance of a metric that is computed from other metrics. It gives an interval at any level:
// agg_value ± t(degrees_of_freedom) · √variance. The interval is cut at `range`, the values that
// the number can take.
struct Spread {
  double variance = 0;
  double degrees_of_freedom = 0;
  stat::Interval range = {};

  friend bool operator==(const Spread&, const Spread&) = default;
};

// Effect sizes that are reported beside TOFU's forget quality, which is a p-value. They compare the
// scores of the evaluated model with those of a retain model (internal/forget_quality.h).
struct ForgetQuality {
  double ks_distance = 0;      // the largest distance between the two distributions
  double mean_difference = 0;  // the mean over the examples of score(model) - score(retain model)
  std::optional<stat::Interval> interval;  // of the mean difference
  int64_t examples = 0;                    // the number of examples that both logs have

  friend bool operator==(const ForgetQuality&, const ForgetQuality&) = default;
};

// A finished metric.
struct MetricRecord {
  // A hash of the model, the data and the configuration. Equal fingerprints mean equal results.
  std::string fingerprint;
  std::string handler;
  bool requested = false;
  Number agg_value;
  std::optional<stat::Interval> interval;  // 95%
  // Of the AUC of an attack that takes part in the answer: 97%, simultaneous over these attacks.
  std::optional<stat::Interval> auc_ci_simultaneous = {};
  int64_t examples = 0;
  double seconds = 0;
  MetricSource source = {};
  // The parameters of an attack. nullopt if an older version wrote the record.
  std::optional<AttackParameters> parameters = {};
  std::optional<attack::ScoredAttack> reference = {};  // see metric_result.h
  std::optional<Spread> spread = {};                   // of a metric computed from others
  std::optional<ForgetQuality> quality = {};
  std::string note = {};                   // what a reader of the number has to know
  std::vector<std::string> warnings = {};  // raised while it was computed
  // A hash of the result in the log. A result with another hash is not reused. Empty if an older
  // version wrote the record.
  std::string result_hash = {};
};

// The clusters of the forget and holdout sets of the attacks. Each entry of Members holds the key
// of an example in the log and the name of its cluster.
struct RunClusters {
  using Members = std::vector<std::pair<std::string, std::string>>;

  std::string key;  // "author", "blocks of 20"
  Members forget;
  Members holdout;

  friend bool operator==(const RunClusters&, const RunClusters&) = default;
};

// The amount of work of one pass, for the record of the run.
struct PassRecord {
  std::string kind;  // "traces" or "generations"
  std::string model;
  int64_t items = 0;    // number of distinct sequences or prompts
  int64_t resumed = 0;  // items that were already in a journal
  int64_t tokens = 0;   // number of tokens that ran through the model
  double seconds = 0;
};

// Whether a model differs from several retrained models more than these differ from each other, by
// one metric. d(x) is the mean distance of the model x from all the others
// (internal/retrained_models.h).
struct RetrainedComparison {
  std::string metric;
  double model = 0;               // d(model)
  std::vector<double> retrained;  // d of each retrained model
  double p_value = 1;

  // Whether d(model) is at most the largest d of a retrained model.
  bool is_within() const;
  friend bool operator==(const RetrainedComparison&, const RetrainedComparison&) = default;
};

struct RetrainedModels {
  int64_t logs = 0;  // n, at least 2
  std::vector<RetrainedComparison> comparisons;

  double smallest_p_value() const;
  // A sentence for the report: "Differs from the 3 retrained models no more than they differ from
  // each other …"
  std::string sentence() const;
  friend bool operator==(const RetrainedModels&, const RetrainedModels&) = default;
};

struct RunRecord {
  int64_t version = kRunRecordVersion;          // of the file that it was read from
  std::string name;                             // TOFU
  bool complete = false;                        // everything that was planned is finished
  std::map<std::string, std::string> versions;  // of the program and its libraries
  std::string model;                            // as the configuration names it
  std::string model_fingerprint;
  std::string tokenizer_fingerprint;
  std::string device;
  std::string dtype;
  int64_t num_parameters = 0;
  uint64_t seed = 0;
  std::map<std::string, std::string> planned;  // fingerprints by metric, for the run in progress
  std::map<std::string, MetricRecord> metrics;
  std::vector<PassRecord> passes;
  std::optional<attack::Answer> answer = {};  // of a run that is complete and has attacks
  std::vector<attack::RedFlag> flags = {};    // of a run that is complete
  std::optional<RunClusters> clusters = {};
  std::optional<RetrainedModels> retrained = {};
  std::vector<std::string> notes = {};
};

// The JSON text of two objects of the record: "effect" of a metric, and "retrained_models".
std::string to_json_text(const ForgetQuality& quality);
std::string to_json_text(const RetrainedModels& retrained);

// Returns nullopt if there is no such file. A damaged file also gives nullopt, with a warning,
// because the loss of a record only costs the time to compute again. What an older record lacks
// stays empty. Throws Error for a file of a newer version.
std::optional<RunRecord> read_run_record(const std::filesystem::path& path);

// Replaces the file atomically.
void write_run_record(const std::filesystem::path& path, const RunRecord& record);

}  // namespace palimpsest::eval
