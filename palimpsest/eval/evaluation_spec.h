// What an evaluation computes: a model, and for each evaluator a list of metrics over data sets.
// These are plain values that a program can fill in. Reading a configuration is one way to get them
// (read_evaluation.h).
//
//   EvaluationSpec spec{.model = {.name = "my-model", .prompt = PromptSettings{.chat_template = true}}};
//   MetricSpec metric{.name = "prob", .handler = "probability"};
//   metric.datasets.push_back({.name = "questions", .handler = "QADataset",
//                              .args = Parameter::Map{{"hf_args", Parameter::Map{{"path", "qa.json"}}}}});
//   spec.evaluators.push_back({.name = "MINE", .output_dir = "out", .metrics = {metric}});
//   evaluate(spec, {.loader = loader});
//
// Handlers are named; evaluate() finds them in its tables and refuses what they cannot compute
// before any model is loaded. `where` says where something was requested
// ("configs/eval/tofu.yaml:7: eval.tofu"). It is only used at the beginning of messages and may be
// empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/eval/inference_settings.h"
#include "palimpsest/eval/model_settings.h"
#include "palimpsest/eval/parameter.h"

namespace palimpsest::eval {

struct DatasetSpec {
  std::string name;             // for messages, and for the name of its trace file
  std::string access_key = {};  // what the metric's handler asks for: "forget"; empty: the name
  std::string handler;          // a row of the table of data sets: "QADataset"
  Parameter args = Parameter::Map{};  // the keys that this row names
  int64_t cluster_size = 0;  // blocks of so many examples belong together; 0: as the evaluator says
  std::string where = {};
};

// Metrics of another run's log that a metric is compared with.
struct ReferenceLogSpec {
  std::string name;  // "retain_model_logs": of models that never saw the forget set
  std::vector<std::string> paths = {};  // empty: no such log; of several paths the first is read
  std::vector<std::pair<std::string, std::string>> include = {};  // access key, metric in the log
  std::string where = {};
};

struct MetricSpec {
  std::string name;     // name of its result in the log; unique among the metrics
  std::string handler;  // a row of the table of handlers: "probability"
  Parameter parameters = Parameter::Map{};  // the keys that this row names
  std::vector<DatasetSpec> datasets = {};
  // Whether attention ignores padding tokens (attention_mask: ne_pad) or sees them (full).
  bool masks_padding = true;
  // Metrics that must be computed before this one: the access key ("forget") and the name of a
  // metric of the same list.
  std::vector<std::pair<std::string, std::string>> pre_compute = {};
  std::vector<ReferenceLogSpec> reference_logs = {};
  bool requested = true;  // false: only needed by other metrics, and not part of the summary
  std::vector<std::string> notes = {};  // remarks for readers of its number
  std::string where = {};
};

struct EvaluatorSpec {
  std::string name;                  // of its files: TOFU of TOFU_EVAL.json
  std::filesystem::path output_dir;  // created if it does not exist
  bool overwrite = false;            // true: results that are already there are not reused
  InferenceSettings inference = {};
  std::vector<MetricSpec> metrics = {};
  std::string where = {};
};

struct EvaluationSpec {
  ModelSettings model;
  std::vector<EvaluatorSpec> evaluators = {};
  uint64_t seed = 0;
  std::filesystem::path data_dir = {};  // where data sets are looked for first; may be empty
};

}  // namespace palimpsest::eval
