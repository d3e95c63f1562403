// <NAME>_RUN.json: what an evaluation was made with, so that two runs can be compared, a rerun knows
// what is finished and `report` need not guess: versions, fingerprints, seed, device and type, time per
// metric, passes; per metric what its number is the mean of, where its traces and generations are,
// whose examples it shares. Once everything is finished also what follows from the numbers: the answer,
// which examples belong together, intervals and effects, how far the model is from several retrained
// ones. docs/formats.md describes it key by key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/eval/forget_quality.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/eval/mia_metric.h"
#include "palimpsest/eval/passes.h"
#include "palimpsest/eval/retrained_models.h"

namespace palimpsest::eval {

// Version 1 is that of Palimpsest 0.1, whose records lack what MetricSource holds.
inline constexpr int64_t kRunRecordVersion = 2;

// Where the values of a metric's examples come from. Empty where version 1 wrote the record.
struct MetricSource {
  std::string attack = {};  // of an attack: its name in the table of attacks
  std::optional<AveragedField> averaged = {};
  std::map<std::string, std::string> data = {};  // fingerprints by access key
  // By access key; "" where the metric has no data of its own, but is made of others'. Metrics with the
  // same value here are about the same records, under the same indices.
  std::map<std::string, std::string> pairing = {};
  int64_t cluster_size = 0;  // blocks of so many records belong together; 0: not blocks
  // Trace files by access key, seen from the record's folder.
  std::map<std::string, std::string> traces = {};
  bool has_generations = false;      // in value_by_index of the log
  std::string reference_model = {};  // as the configuration names it
  std::string reference_fingerprint = {};
  std::vector<std::string> reference_logs = {};  // files of other runs that it is compared with

  friend bool operator==(const MetricSource&, const MetricSource&) = default;
};

// A finished metric.
struct MetricRecord {
  std::string fingerprint;  // of model, data and configuration: equal means equal results
  std::string handler;
  bool requested = false;
  Number agg_value;
  std::optional<Interval> interval;  // 95%
  int64_t examples = 0;
  double seconds = 0;
  MetricSource source = {};
  // Of an attack; nullopt where an older version wrote the record.
  std::optional<AttackParameters> parameters = {};
  std::vector<std::pair<std::string, MetricResult>> reference_parts = {};  // see metric_result.h
  std::optional<ForgetQuality> quality = {};
  std::string note = {};  // what a reader of the number has to know
};

// Which examples of the attacks' sets belong together: the key of an example in the log, and a name.
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
  std::map<std::string, std::string> planned;  // metric and fingerprint, of the run that goes on
  std::map<std::string, MetricRecord> metrics;
  std::vector<PassRecord> passes;
  std::optional<Answer> answer = {};  // of a run that is complete and has attacks
  std::optional<RunClusters> clusters = {};
  std::optional<RetrainedModels> retrained = {};
  std::vector<std::string> notes = {};
};

// The objects "effect" of a metric and "retrained_models", as JSON text.
std::string to_json_text(const ForgetQuality& quality);
std::string to_json_text(const RetrainedModels& retrained);

// Nothing if there is no such file. A damaged one is a warning and nothing: it only costs time. Throws
// Error for one of a newer version.
std::optional<RunRecord> read_run_record(const std::filesystem::path& path);

// Replaces the file in one step.
void write_run_record(const std::filesystem::path& path, const RunRecord& record);

}  // namespace palimpsest::eval
