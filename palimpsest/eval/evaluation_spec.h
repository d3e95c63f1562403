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
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/data/prompt_template.h"
#include "palimpsest/eval/parameter.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::eval {

// How a question becomes a prompt: by the tokenizer's chat template, or by tags around question and
// answer. If a data set has questions, one of the two must be set.
struct PromptSettings {
  bool chat_template = false;
  std::optional<std::string> system_prompt = {};  // for the chat template
  std::optional<std::string> date_string = {};    // for the chat template
  std::optional<data::TagTemplate> tags = {};     // used if chat_template is false
};

// The model to evaluate: where it is stored, how it is run, and how questions become prompts.
struct ModelSettings {
  std::string name;  // a folder, or a hub id in the local cache: "org/name@revision"
  // The model's folder, if `name` is only its name in the results; empty: `name` says where it is.
  std::filesystem::path folder = {};
  std::string tokenizer = {};  // also a folder or a hub id; empty: the model's own
  model::ModelOptions options = {};
  std::optional<PromptSettings> prompt = {};
  std::string where = {};  // where it was requested; messages begin with it
  // What was used in place of what was requested, such as the CPU if there is no GPU. These notes
  // are only logged, once the model is found. The results do not hold them, because the record of
  // the run names the device that was used.
  std::vector<std::string> notes = {};
};

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
  // Empty: there is no such log. The metric is compared with the first log. Several logs of
  // "retain_model_logs" also serve to compare the model with several retrained models, unless
  // InferenceSettings::retain_logs names the logs for that.
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

// The settings of an evaluator for statistical inference: how examples are grouped into clusters
// (stat/clusters.h), the margin, and the logs to compare with. In a configuration they are written
// as follows:
//
//   cluster_size: 20          # this many consecutive examples form a cluster (TOFU: one author)
//   cluster_key: author       # or: examples with the same value of this key form a cluster
//   independent: true         # or: the user states that all examples are independent
//   margin: 0.05              # an AUC this close to ½ counts as no different from ½
//   primary: mia_loss         # the one attack that decides, chosen beforehand; null: all of them
//   retain_logs_path: …       # log of a model that never saw the forget set, or a list of logs
//
// All of them may be absent or null, as in open-unlearning's own configurations. Then every example
// counts as independent. The settings change no number that a benchmark defines. They change only
// the intervals and the answer (attack/mia/answer.h).
struct InferenceSettings {
  attack::ClusterChoice clusters = {};
  double margin = 0.05;      // in (0, 0.5)
  std::string primary = {};  // name of a metric; empty: all attacks decide
  // Empty: the logs that the metrics refer to as retain_model_logs.
  std::vector<std::string> retain_logs = {};
};

// Throws Error if the margin is out of range, or if more than one way of grouping examples is set.
void require_valid(const InferenceSettings& settings);

struct EvaluatorSpec {
  std::string name;                  // the prefix of its files: TOFU for TOFU_EVAL.json
  std::filesystem::path output_dir;  // created if it does not exist
  bool overwrite = false;            // true: existing results are not reused
  InferenceSettings inference = {};
  std::vector<MetricSpec> metrics = {};
  std::string where = {};
  // Remarks about how it was requested, for Evaluation::notes. evaluate() does not log them.
  std::vector<std::string> notes = {};
};

struct EvaluationSpec {
  ModelSettings model;
  std::vector<EvaluatorSpec> evaluators = {};
  uint64_t seed = 0;
  std::filesystem::path data_dir = {};  // the first place to look for data sets; may be empty
};

}  // namespace palimpsest::eval
