// <NAME>_RUN.json: what an evaluation was made with, so that two runs can be compared and a rerun
// knows what is finished: versions, fingerprints, seed, device and type, time a metric, passes. Once
// everything is finished also what follows from the numbers: the answer, which examples belong
// together, intervals and effects, how far the model is from several retrained ones.
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

// A finished metric.
struct MetricRecord {
  std::string fingerprint;  // of model, data and configuration: equal means equal results
  std::string handler;
  bool requested = false;
  Number agg_value;
  std::optional<Interval> interval;  // 95%
  int64_t examples = 0;
  double seconds = 0;
  std::map<std::string, std::string> data = {};  // fingerprints by access key
  // Of an attack; nullopt where an older version wrote the record.
  std::optional<AttackParameters> parameters = {};
  std::string reference_fingerprint = {};  // of an attack with a reference model: that model's
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

// Nothing if there is no such file. A damaged one is a warning and nothing: it only costs time.
std::optional<RunRecord> read_run_record(const std::filesystem::path& path);

// Replaces the file in one step.
void write_run_record(const std::filesystem::path& path, const RunRecord& record);

}  // namespace palimpsest::eval
