// A metric handler: what a metric of the configuration needs, and its result once that is there. A
// handler never runs a model; it says which traces, generations and other metrics it wants, the
// planner gathers the wishes of the whole list, and each pass runs once.
//
// Adding one is adding a file under handlers/ and its line in handler_table.cc; every attack of the
// attack table is a handler without that (mia_metric.h). The table is a value that owns all it holds: a
// program that embeds the library copies it, appends its own row and passes the copy on.
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
#include "palimpsest/config/value.h"
#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/generation_args.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest::eval {

// Logs of other runs by the name of the configuration, then their metrics by access key; nullopt
// where the log has no such metric. A log whose path is null is not there at all.
using ReferenceLogs = std::map<std::string, std::map<std::string, std::optional<MetricResult>>>;

// A metric as it is configured, before anything has run.
struct MetricSetting {
  std::string name;
  config::Value config;                  // with what it inherits from the metric that asks for it
  std::vector<std::string> pre_compute;  // access keys, in order
  ReferenceLogs reference_logs;
};

// The access key of a metric's only data set, whatever it is called.
inline const std::string kOnlyData = "";

// What has to be there before the result can be computed.
struct MetricNeeds {
  std::vector<std::string> data = {};  // access keys
  bool traces = false;                 // of these data
  std::vector<NormOrder> gradient_norms = {};
  // A second model (a folder or hub id) whose traces of the same data are compared.
  std::optional<std::string> reference_model = {};
  std::optional<GenerationArgs> generation = {};  // texts for these data
};

// A text that the model wrote.
struct GeneratedText {
  std::string index;
  std::string input;         // the prompt, decoded
  std::string ground_truth;  // what should have followed
  std::string generation;    // what did, cut at the first stop word
};

// A metric with everything that it asked for, by access key.
struct MetricInput {
  const MetricSetting& setting;
  std::map<std::string, const PreparedData*> data = {};
  std::map<std::string, const std::vector<Trace>*> traces = {};
  std::map<std::string, const std::vector<Trace>*> reference_traces = {};
  std::map<std::string, const std::vector<GeneratedText>*> generations = {};
  std::vector<std::pair<std::string, const MetricResult*>> pre_compute = {};  // in order

  // Throws Error where the configuration computes no metric of that access key.
  const MetricResult& computed(std::string_view access_key) const;
};

// A key of the configuration that a handler reads.
struct HandlerKey {
  std::string name;
  std::string meaning;
};

struct Handler {
  std::string name;
  std::string measures;     // one line each for `palimpsest list handlers`
  std::string orientation;  // how to read agg_value
  std::vector<HandlerKey> keys = {};
  // Throws Error for a configuration that cannot be computed: called before any model is loaded.
  std::function<MetricNeeds(const MetricSetting&)> needs = {};
  std::function<MetricResult(const MetricInput&)> compute = {};

  // How its uncertainty is assessed: one of these four, or none.
  // An attack: agg_value is the AUC of the scores of 'forget' and 'holdout'. The attacks of a list are
  // the family that the answer is drawn from (attack_family.h).
  bool is_attack = false;
  // A mean: the field of the examples' values that agg_value is the mean of.
  std::function<AveragedField(const MetricSetting&)> averaged = {};
  // Made of other metrics' agg_values: the formula over all that it pre_computes; with `compares` over
  // the one that is computed as 'forget' and the value that it is compared with.
  std::function<double(std::span<const double> parts, double reference)> combine = {};
  bool compares = false;
  // A test of the 'score' of what is computed as 'forget' against the same of a retain model, whose
  // p-value takes examples as independent: its effect is reported beside it (forget_quality.h).
  bool tests_distribution = false;
};

using HandlerTable = std::vector<Handler>;
// The handlers of this library, then one per attack of the table.
HandlerTable make_handler_table(const AttackTable& attacks);
// With the attacks of default_attack_table().
const HandlerTable& default_handler_table();

// Throws Error that lists the known ones and, where the name is known but not offered, says why.
const Handler& find_handler(const HandlerTable& table, const config::Value& name);

// Throws Error where the metric does not compute all of these.
void require_computed(const MetricSetting& setting, const std::vector<std::string>& access_keys);

}  // namespace palimpsest::eval
