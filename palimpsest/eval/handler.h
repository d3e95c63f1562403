// A metric handler defines a kind of metric. It declares which traces (trace/trace.h), generated
// texts and other metrics it needs, and computes the result once they are available. It never runs
// a model itself: the needs of all metrics are collected first, so that no model has to run twice
// over the same data. A handler refers to its data sets and to the other metrics by access keys.
// These are names that it fixes itself, such as "forget" and "holdout".
//
// To add a handler to the library, add a source file to the folder handlers/ and its name to the
// list in handler_table.cc. The attacks of the attack table become handlers automatically
// (internal/mia_metric.h). The table is a value that owns everything it holds. A program that
// embeds the library copies it, appends its own row and passes the copy on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/eval/parameter.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest::eval {

// Results from the logs of other runs. The first key is the log's name in the configuration. The
// second key is the access key of the metric. A metric that the log lacks is nullopt. A log without
// a path has no entry.
using ReferenceLogs = std::map<std::string, std::map<std::string, std::optional<MetricResult>>>;

// A metric as it was requested, before anything has run.
struct MetricSetting {
  std::string name;
  Parameter parameters = Parameter::Map{};
  std::vector<std::string> pre_compute = {};  // access keys of the metrics that it needs, in order
  ReferenceLogs reference_logs = {};
  std::string where = {};  // for messages
};

// The access key of a metric's only data set: the empty text, whatever the data set is called.
inline const std::string kOnlyData;

// How the model continues prompts, and where the generated text ends (generation_args of a
// configuration).
struct GenerationArgs {
  int64_t max_new_tokens = 20;  // the default of transformers
  bool sample = false;
  double temperature = 1;
  int64_t top_k = 50;  // the default of transformers; 0: all tokens
  double top_p = 1;
  std::optional<double> repetition_penalty;  // nullopt: as the model's generation_config.json says
  std::vector<std::string> stopwords;

  friend bool operator==(const GenerationArgs&, const GenerationArgs&) = default;
};

// Throws Error for a key that would change the text and is not supported. A null value counts as
// absent.
GenerationArgs read_generation_args(const Parameter& args);

// The data that must be available before the result can be computed.
struct MetricNeeds {
  std::vector<std::string> data = {};  // access keys
  bool traces = false;                 // whether traces of these data are needed
  std::vector<model::NormOrder> gradient_norms = {};
  // A second model (a folder or hub id) whose traces of the same data are also needed.
  std::optional<std::string> reference_model = {};
  // How to generate texts for these data; nullopt if none are needed.
  std::optional<GenerationArgs> generation = {};
};

// A text that the model generated.
struct GeneratedText {
  std::string index;
  std::string input;         // the prompt, decoded
  std::string ground_truth;  // the text that should follow
  std::string generation;    // the text of the model, cut before the first stop word
};

// A metric with everything that it needs. The maps are keyed by access key.
struct MetricInput {
  const MetricSetting& setting;
  std::map<std::string, const PreparedData*> data = {};
  std::map<std::string, const std::vector<trace::Trace>*> traces = {};
  std::map<std::string, const std::vector<trace::Trace>*> reference_traces = {};
  std::map<std::string, const std::vector<GeneratedText>*> generations = {};
  std::vector<std::pair<std::string, const MetricResult*>> pre_compute = {};  // in order
  // The number of threads that a handler may use; 0: one per core. The result must not depend on
  // it.
  int threads = 0;

  // The result of the needed metric with this access key. Throws Error if there is none.
  const MetricResult& computed(std::string_view access_key) const;
};

// A parameter that a handler reads.
struct HandlerKey {
  std::string name;
  std::string meaning;
  Parameter default_value = {};  // taken if the key is not given; null: there is none
};

// The functions of a row are called only from the thread that called evaluate(), one at a time.
// `compute` may use MetricInput::threads threads of its own.
struct Handler {
  std::string name;
  std::string measures;     // one line for `palimpsest list handlers`, like the next
  std::string orientation;  // the range of agg_value, and what a higher value means
  std::vector<HandlerKey> keys = {};
  // Declares the needs. It is called before any model is loaded. Throws Error for a setting that
  // cannot be computed.
  std::function<MetricNeeds(const MetricSetting&)> needs = {};
  std::function<MetricResult(const MetricInput&)> compute = {};

  // The following fields say how the uncertainty of the metric is computed. At most one of the four
  // kinds applies: attack, averaged, combine (with `compares`) or tests_distribution.
  //
  // attack: agg_value is the AUC between the scores of 'forget' and 'holdout', which needs() must
  // name as data. This is the name of the attack: its row in the attack table ("min_k"), or another
  // name if it is not in the table. Empty if the metric is no attack. The result must have
  // MetricResult::scored, with every example of both sets. All attacks of an evaluator together
  // give the answer (attack/mia/answer.h, internal/attack_family.h).
  std::string attack = {};
  bool is_attack() const { return !attack.empty(); }
  // averaged: agg_value is a mean. This function names the field of the examples' values that is
  // averaged.
  std::function<AveragedField(const MetricSetting&)> averaged = {};
  // combine: this formula computes agg_value from the agg_values of the metrics in pre_compute. If
  // `compares` is set, it uses only the metric with the access key 'forget', and a reference value.
  // That is agg_value of the metric with the access key 'retain' in the reference logs
  // "retain_model_logs" or, if there is none, the parameter 'ref_value'.
  std::function<double(std::span<const double> parts, double reference)> combine = {};
  bool compares = false;
  // tests_distribution: agg_value is the p-value of a test that compares two sets of scores (field
  // 'score'): those of the metric with the access key 'forget', and those of a retain model, which
  // never saw the forget set. The p-value treats examples as independent, so the effect size is
  // reported beside it (internal/forget_quality.h).
  bool tests_distribution = false;
};

using HandlerTable = std::vector<Handler>;
// The handlers of this library, followed by one handler per attack of the table.
HandlerTable make_handler_table(const attack::AttackTable& attacks);
// The same with the attacks of default_attack_table().
const HandlerTable& default_handler_table();

// Throws Error if the table has no such handler, or two of them. The message begins with `where`
// and lists the known handlers. For a handler of open-unlearning that is not supported, it says
// why.
const Handler& find_handler(const HandlerTable& table, const std::string& name,
                            const std::string& where);

// Throws Error unless the metric's pre_compute has all of these access keys.
void require_computed(const MetricSetting& setting, const std::vector<std::string>& access_keys);

}  // namespace palimpsest::eval
