// A metric handler says what a metric needs, and computes the metric's result once everything is
// available. A handler never runs a model. It declares which traces, generations and other metrics
// it needs; the planner collects the needs of all metrics, and each pass runs once.
//
// To add a handler, add a file under handlers/ and a line in handler_table.cc. The attacks of the
// attack table become handlers automatically (mia_metric.h). The table is a value that owns
// everything it holds: a program that embeds the library copies it, appends its own row and passes
// the copy on.
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
#include "palimpsest/eval/generation_args.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/eval/parameter.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest::eval {

// Logs of other runs by their name in the configuration, then their metrics by access key. A metric
// that the log lacks is nullopt. A log whose path is null has no entry.
using ReferenceLogs = std::map<std::string, std::map<std::string, std::optional<MetricResult>>>;

// A metric as it was requested, before anything has run.
struct MetricSetting {
  std::string name;
  Parameter parameters = Parameter::Map{};
  std::vector<std::string> pre_compute = {};  // access keys, in order
  ReferenceLogs reference_logs = {};
  std::string where = {};  // for messages
};

// The access key for the data set of a metric that has only one, whatever the data set is called.
inline const std::string kOnlyData = "";

// What must be available before the result can be computed.
struct MetricNeeds {
  std::vector<std::string> data = {};  // access keys
  bool traces = false;                 // whether the traces of these data are needed
  std::vector<model::NormOrder> gradient_norms = {};
  // A second model (a folder or hub id) whose traces of the same data are compared.
  std::optional<std::string> reference_model = {};
  // How to generate texts for these data, if they are needed.
  std::optional<GenerationArgs> generation = {};
};

// A text that the model wrote.
struct GeneratedText {
  std::string index;
  std::string input;         // the prompt, decoded
  std::string ground_truth;  // what should have followed
  std::string generation;    // what the model wrote, cut at the first stop word
};

// A metric together with everything that it needs, by access key.
struct MetricInput {
  const MetricSetting& setting;
  std::map<std::string, const PreparedData*> data = {};
  std::map<std::string, const std::vector<trace::Trace>*> traces = {};
  std::map<std::string, const std::vector<trace::Trace>*> reference_traces = {};
  std::map<std::string, const std::vector<GeneratedText>*> generations = {};
  std::vector<std::pair<std::string, const MetricResult*>> pre_compute = {};  // in order
  // How many threads a handler may use; 0: one per core. The result must not depend on it.
  int threads = 0;

  // The result of the metric that was computed before under this access key. Throws Error if there
  // is none.
  const MetricResult& computed(std::string_view access_key) const;
};

// A parameter that a handler reads.
struct HandlerKey {
  std::string name;
  std::string meaning;
};

struct Handler {
  std::string name;
  std::string measures;     // one line each for `palimpsest list handlers`
  std::string orientation;  // how to read agg_value
  std::vector<HandlerKey> keys = {};
  // Called before any model is loaded. Throws Error for a configuration that cannot be computed.
  std::function<MetricNeeds(const MetricSetting&)> needs = {};
  std::function<MetricResult(const MetricInput&)> compute = {};

  // The following fields say how the metric's uncertainty is assessed. At most one of the four
  // kinds applies: is_attack, averaged, combine (with `compares`) or tests_distribution.
  // is_attack: agg_value is the AUC of the scores of 'forget' and 'holdout'. All attacks of an
  // evaluator form the family from which the answer is derived (attack_family.h).
  bool is_attack = false;
  // averaged: agg_value is a mean, and this function names the field of the examples' values that
  // is averaged.
  std::function<AveragedField(const MetricSetting&)> averaged = {};
  // combine: agg_value is computed by this formula from the agg_values of the metrics in
  // pre_compute. With `compares`, it is computed from the one with the access key 'forget' and from
  // a reference value.
  std::function<double(std::span<const double> parts, double reference)> combine = {};
  bool compares = false;
  // tests_distribution: agg_value is the p-value of a test that compares the field 'score' of the
  // metric with the access key 'forget' with the same field of a retain model. The p-value treats
  // examples as independent, so the size of the effect is reported beside it (forget_quality.h).
  bool tests_distribution = false;
};

using HandlerTable = std::vector<Handler>;
// The handlers of this library, then one per attack of the table.
HandlerTable make_handler_table(const attack::AttackTable& attacks);
// With the attacks of default_attack_table().
const HandlerTable& default_handler_table();

// Throws Error if the table has no such handler. The message begins with `where`, lists the known
// handlers and, for a handler that is known but not offered, says why.
const Handler& find_handler(const HandlerTable& table, const std::string& name,
                            const std::string& where);

// Throws Error unless the metric's pre_compute has all of these access keys.
void require_computed(const MetricSetting& setting, const std::vector<std::string>& access_keys);

}  // namespace palimpsest::eval
