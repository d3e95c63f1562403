// The description of an evaluation: a model and, for each evaluator, a list of metrics over data
// sets. These are plain values, which a program can fill in itself or read from a configuration
// (read_evaluation.h).
//
//   EvaluationSpec spec{
//       .model = {.name = "my-model", .prompt = PromptSettings{.chat_template = true}}};
//   MetricSpec metric{.name = "prob", .handler = "probability"};
//   metric.datasets.push_back(
//       {.name = "questions", .handler = "QADataset",
//        .args = Parameter::Map{{"hf_args", Parameter::Map{{"path", "qa.json"}}}}});
//   spec.evaluators.push_back({.name = "MINE", .output_dir = "out", .metrics = {metric}});
//   evaluate(spec, {.loader = loader});
//
// Handlers are given by name. evaluate() looks them up in its tables. It refuses everything that
// they cannot compute, before it loads any model. Every `where` says where something was requested
// ("configs/eval/tofu.yaml:7: eval.tofu"). It appears only at the beginning of messages and may be
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
  std::string name;                   // for messages and for the name of the trace file
  std::string access_key = {};        // the metric's name for this data: "forget"; empty: `name`
  std::string handler;                // a row of the table of data sets: "QADataset"
  Parameter args = Parameter::Map{};  // the arguments of that handler
  // The number of consecutive examples that form a cluster (stat/clusters.h). 0: the evaluator's
  // choice applies.
  int64_t cluster_size = 0;
  std::string where = {};
};

// The log of another run. A metric is compared with results in it.
struct ReferenceLogSpec {
  // Such as "retain_model_logs": logs of models that never saw the forget set.
  std::string name;
  // Empty: there is no such log. Of several paths, the first is read.
  std::vector<std::string> paths = {};
  // Pairs of an access key and the name of a metric in the log.
  std::vector<std::pair<std::string, std::string>> include = {};
  std::string where = {};
};

struct MetricSpec {
  std::string name;     // the name of the result in the log; unique among the metrics
  std::string handler;  // a row of the table of handlers: "probability"
  Parameter parameters = Parameter::Map{};  // the parameters of that handler
  std::vector<DatasetSpec> datasets = {};
  // True: attention ignores padding tokens. False: it sees them. (A configuration writes this as
  // attention_mask: ne_pad or full.)
  bool masks_padding = true;
  // Metrics that must be computed before this one. Each pair has the access key ("forget"), by
  // which the handler asks for the result, and the name of a metric in the same list.
  std::vector<std::pair<std::string, std::string>> pre_compute = {};
  std::vector<ReferenceLogSpec> reference_logs = {};
  bool requested = true;  // false: only other metrics need it, and the summary omits it
  std::vector<std::string> notes = {};  // remarks for readers of the result
  std::string where = {};
};

struct EvaluatorSpec {
  std::string name;                  // the prefix of its files: TOFU for TOFU_EVAL.json
  std::filesystem::path output_dir;  // created if it does not exist
  bool overwrite = false;            // true: existing results are not reused
  InferenceSettings inference = {};
  std::vector<MetricSpec> metrics = {};
  std::string where = {};
};

struct EvaluationSpec {
  ModelSettings model;
  std::vector<EvaluatorSpec> evaluators = {};
  uint64_t seed = 0;
  std::filesystem::path data_dir = {};  // the first place to look for data sets; may be empty
};

}  // namespace palimpsest::eval
