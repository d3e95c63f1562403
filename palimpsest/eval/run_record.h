// <NAME>_RUN.json records how an evaluation was made. With it, two runs can be compared, a rerun
// knows what is finished, and `report` need not guess. It holds versions, fingerprints, the seed,
// device and type, the time per metric, and the passes. For each metric it says which values were
// averaged, where the traces and generations are, and which metrics are about the same records.
// Once everything is finished it also holds the conclusions: the answer, which examples belong
// together, intervals and effects, and how far the model is from several retrained ones.
// docs/formats.md describes every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/red_flags.h"
#include "palimpsest/eval/forget_quality.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/eval/mia_metric.h"
#include "palimpsest/eval/passes.h"
#include "palimpsest/eval/retrained_models.h"

namespace palimpsest::eval {

// Records of version 1 were written by Palimpsest 0.1 and have no MetricSource.
inline constexpr int64_t kRunRecordVersion = 2;

// Where the values of a metric's examples come from. Empty in a record of version 1.
struct MetricSource {
  std::string attack = {};  // of an attack: its name in the table of attacks
  std::optional<AveragedField> averaged = {};
  std::map<std::string, std::string> data = {};  // fingerprints by access key
  // By access key; the key is "" if the metric has no data of its own but is computed from other
  // metrics. Metrics with the same value here are about the same records, under the same indices.
  std::map<std::string, std::string> pairing = {};
  int64_t cluster_size = 0;  // blocks of so many records belong together; 0: not blocks
  // Paths of the trace files by access key, relative to the record's folder.
  std::map<std::string, std::string> traces = {};
  bool has_generations = false;      // whether value_by_index of the log holds generated texts
  std::string reference_model = {};  // as the configuration names it
  std::string reference_fingerprint = {};
  std::vector<std::string> reference_logs = {};  // files of other runs that it is compared with

  friend bool operator==(const MetricSource&, const MetricSource&) = default;
};

// A finished metric.
struct MetricRecord {
  // Of the model, the data and the configuration. Equal fingerprints mean equal results.
  std::string fingerprint;
  std::string handler;
  bool requested = false;
  Number agg_value;
  std::optional<stat::Interval> interval;  // 95%
  int64_t examples = 0;
  double seconds = 0;
  MetricSource source = {};
  // Of an attack; nullopt where an older version wrote the record.
  std::optional<AttackParameters> parameters = {};
  std::vector<MetricPart> reference_parts = {};  // see metric_result.h
  std::optional<Spread> spread = {};             // of a metric that is made of others
  std::optional<ForgetQuality> quality = {};
  std::string note = {};                   // what a reader of the number has to know
  std::vector<std::string> warnings = {};  // raised while it was computed
  // Of the result in the log, which is not believed if it has another hash. Empty where an older
  // version wrote the record.
  std::string result_hash = {};
};

// Which examples of the attacks' sets belong together. Each entry holds the key of an example in
// the log and the name of its cluster.
struct RunClusters {
  using Members = std::vector<std::pair<std::string, std::string>>;

  std::string key;  // "author", "blocks of 20"
  Members forget;
  Members holdout;

  friend bool operator==(const RunClusters&, const RunClusters&) = default;
};

struct RunRecord {
  std::string name;                             // TOFU
  bool complete = false;                        // everything that was planned is finished
  std::map<std::string, std::string> versions;  // of the program and its libraries
  std::string model;                            // as the configuration names it
  std::string model_fingerprint;
  std::string tokenizer_fingerprint;
  std::string device;
  std::string dtype;
  int64_t parameters = 0;
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

// The objects "effect" of a metric and "retrained_models", as JSON text.
std::string to_json_text(const ForgetQuality& quality);
std::string to_json_text(const RetrainedModels& retrained);

// Returns nullopt if there is no such file. A damaged file also gives nullopt, with a warning,
// because it only costs time. Throws Error for a file of a newer version.
std::optional<RunRecord> read_run_record(const std::filesystem::path& path);

// Replaces the file atomically.
void write_run_record(const std::filesystem::path& path, const RunRecord& record);

}  // namespace palimpsest::eval
