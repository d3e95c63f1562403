#include "palimpsest/eval/run_record.h"

#include <fmt/format.h>

#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/eval/internal/metric_intervals.h"
#include "palimpsest/eval/internal/read_results.h"
#include "palimpsest/eval/internal/record_members.h"
#include "palimpsest/stat/internal/optional_json.h"

namespace palimpsest::eval {
namespace {

// Where the log has what a model generated: fields "input", "ground_truth" and "generation".
constexpr const char* kGenerationsKey = "value_by_index";

constexpr const char* kVersionKey = "palimpsest_run";

Json to_json(const Spread& spread) {
  return {{"variance", number_to_json(spread.variance)},
          {"degrees_of_freedom", number_to_json(spread.degrees_of_freedom)},
          {"range", stat::interval_to_json(spread.range)}};
}

std::optional<Spread> spread_from(const Json& json) {
  const auto variance = number_from(json.at("variance"));
  const auto degrees = number_from(json.at("degrees_of_freedom"));
  const auto range = interval_from(json, "range");
  if (!variance || !degrees || !range || !is_valid_spread(*variance, *degrees)) return std::nullopt;
  return Spread{.variance = *variance, .degrees_of_freedom = *degrees, .range = *range};
}

Json to_json(const ForgetQuality& quality) {
  return {{"ks_distance", quality.ks_distance},
          {"mean_difference", quality.mean_difference},
          {"mean_difference_interval", stat::interval_to_json(quality.interval)},
          {"examples", quality.examples}};
}

ForgetQuality quality_from(const Json& json) {
  return {.ks_distance = json.at("ks_distance").get<double>(),
          .mean_difference = json.at("mean_difference").get<double>(),
          .interval = interval_from(json, "mean_difference_interval"),
          .examples = integer_from<int64_t>(json.at("examples"))};
}

// {"0": 1.93, …}
Json losses_to_json(const attack::SetScores& set) {
  PALIMPSEST_CHECK(set.has_keys());
  Json::object_t losses;
  for (size_t i = 0; i < set.scores.size(); ++i)
    losses.push_back({set.keys[i], stat::optional_to_json(set.scores[i])});
  return Json(std::move(losses));
}

attack::SetScores losses_from(const Json& json) {
  std::vector<std::string> keys;
  attack::ScoreColumn losses;
  for (const auto& [key, loss] : members_of(json)) {
    keys.push_back(key);
    losses.push_back(number_from(loss));
  }
  return attack::set_scores(std::move(keys), std::move(losses));
}

// {"fingerprint": …, "forget": {"0": 1.93, …}, "holdout": {…}}
Json reference_to_json(const MetricRecord& metric) {
  Json json = {{"model", metric.source.reference_model},
               {"fingerprint", metric.source.reference_fingerprint}};
  if (metric.reference) {
    json["forget"] = losses_to_json(metric.reference->forget);
    json["holdout"] = losses_to_json(metric.reference->holdout);
  }
  return json;
}

void read_reference(const Json& json, MetricRecord& metric) {
  read_into(json, "fingerprint", metric.source.reference_fingerprint);
  read_into(json, "model", metric.source.reference_model);
  const Json* forget = find_member(json, "forget");
  const Json* holdout = find_member(json, "holdout");
  if (forget == nullptr || holdout == nullptr) return;
  metric.reference = {.name = "loss",
                      .attack = "loss",
                      .parameters = attack::ParameterValues{},
                      .forget = losses_from(*forget),
                      .holdout = losses_from(*holdout)};
}

Json members_to_json(const RunClusters::Members& members) {
  Json::object_t object;
  for (const auto& [example, cluster] : members) object.push_back({example, cluster});
  return Json(std::move(object));
}

RunClusters::Members members_from(const Json& json) {
  RunClusters::Members members;
  for (const auto& [example, cluster] : members_of(json))
    members.emplace_back(example, cluster.get<std::string>());
  return members;
}

// Only what there is to say.
void write_source(const MetricSource& source, Json& json) {
  if (!source.attack.empty()) json["attack"] = source.attack;
  if (source.averaged) {
    json["averaged"] = {{"field", source.averaged->field}};
    if (!source.averaged->form.empty()) json["averaged"]["form"] = source.averaged->form;
  }
  if (!source.data.empty()) json["data"] = source.data;
  if (!source.pairing.empty()) json["pairing"] = source.pairing;
  if (source.cluster_size > 0) json["cluster_size"] = source.cluster_size;
  if (!source.traces.empty()) json["traces"] = source.traces;
  if (source.has_generations) json["generations"] = kGenerationsKey;
  if (!source.reference_logs.empty()) json["reference_logs"] = source.reference_logs;
}

MetricSource source_from(const Json& json) {
  MetricSource source;
  read_into(json, "attack", source.attack);
  read_into(json, "data", source.data);
  read_into(json, "pairing", source.pairing);
  read_into(json, "cluster_size", source.cluster_size);
  read_into(json, "traces", source.traces);
  read_into(json, "reference_logs", source.reference_logs);
  std::string generations;
  read_into(json, "generations", generations);
  source.has_generations = !generations.empty();
  if (const Json* averaged = find_member(json, "averaged")) {
    source.averaged = {.field = averaged->at("field").get<std::string>(),
                       .form = averaged->value("form", "")};
  }
  return source;
}

Json to_json(const MetricRecord& metric) {
  Json json = {{"fingerprint", metric.fingerprint},
               {"handler", metric.handler},
               {"requested", metric.requested},
               {"agg_value", stat::optional_to_json(metric.agg_value)},
               {"interval", stat::interval_to_json(metric.interval)},
               {"examples", metric.examples},
               {"seconds", metric.seconds}};
  write_source(metric.source, json);
  if (metric.parameters) {
    json["parameters"] = Json::object();
    for (const auto& [key, value] : *metric.parameters) {
      json["parameters"][key] = number_to_json(value);
    }
  }
  if (!metric.source.reference_fingerprint.empty()) json["reference"] = reference_to_json(metric);
  if (metric.auc_ci_simultaneous)
    json["auc_ci_simultaneous"] = stat::interval_to_json(metric.auc_ci_simultaneous);
  if (metric.spread) json["spread"] = to_json(*metric.spread);
  if (metric.quality) json["effect"] = to_json(*metric.quality);
  if (!metric.note.empty()) json["note"] = metric.note;
  if (!metric.warnings.empty()) json["warnings"] = metric.warnings;
  if (!metric.result_hash.empty()) json["result_hash"] = metric.result_hash;
  return json;
}

AttackParameters parameters_from(const Json& json) {
  AttackParameters parameters;
  for (const auto& [key, value] : members_of(json)) {
    const std::optional<double> number = number_from(value);
    if (!number) refuse_type("number", value);
    parameters.emplace_back(key, *number);
  }
  return parameters;
}

MetricRecord metric_from(const Json& json) {
  MetricRecord metric;
  metric.interval = interval_from(json, "interval");
  metric.auc_ci_simultaneous = interval_from(json, "auc_ci_simultaneous");
  metric.source = source_from(json);
  read_into(json, "fingerprint", metric.fingerprint);
  read_into(json, "handler", metric.handler);
  read_into(json, "requested", metric.requested);
  read_into(json, "agg_value", metric.agg_value);
  read_into(json, "examples", metric.examples);
  read_into(json, "seconds", metric.seconds);
  if (const Json* parameters = find_member(json, "parameters"))
    metric.parameters = parameters_from(*parameters);
  if (const Json* reference = find_member(json, "reference")) read_reference(*reference, metric);
  if (const Json* spread = find_member(json, "spread")) metric.spread = spread_from(*spread);
  if (const Json* effect = find_member(json, "effect")) metric.quality = quality_from(*effect);
  read_into(json, "note", metric.note);
  read_into(json, "warnings", metric.warnings);
  read_into(json, "result_hash", metric.result_hash);
  return metric;
}

Json to_json(const PassRecord& pass) {
  return {{"kind", pass.kind},       {"model", pass.model},   {"items", pass.items},
          {"resumed", pass.resumed}, {"tokens", pass.tokens}, {"seconds", pass.seconds}};
}

PassRecord pass_from(const Json& json) {
  return {.kind = json.at("kind").get<std::string>(),
          .model = json.at("model").get<std::string>(),
          .items = integer_from<int64_t>(json.at("items")),
          .resumed = integer_from<int64_t>(json.at("resumed")),
          .tokens = integer_from<int64_t>(json.at("tokens")),
          .seconds = json.at("seconds").get<double>()};
}

Json to_json(const RetrainedModels& retrained) {
  Json comparisons = Json::object();
  for (const RetrainedComparison& one : retrained.comparisons) {
    comparisons[one.metric] = {
        {"model", one.model}, {"retrained", one.retrained}, {"p_value", one.p_value}};
  }
  return {{"logs", retrained.logs},
          {"smallest_p_value", retrained.smallest_p_value()},
          {"sentence", retrained.sentence()},
          {"comparisons", std::move(comparisons)}};
}

RetrainedModels retrained_from(const Json& json) {
  RetrainedModels retrained{.logs = integer_from<int64_t>(json.at("logs")), .comparisons = {}};
  for (const auto& [metric, one] : members_of(json.at("comparisons"))) {
    retrained.comparisons.push_back({.metric = metric,
                                     .model = one.at("model").get<double>(),
                                     .retrained = one.at("retrained").get<std::vector<double>>(),
                                     .p_value = one.at("p_value").get<double>()});
  }
  return retrained;
}

// What follows from the numbers; older records and runs that go on have none of it.
void read_conclusions(const Json& json, const std::string& where, RunRecord& record) {
  if (const Json* answer = find_member(json, "answer"))
    record.answer = attack::answer_from_json(to_text(*answer), where);
  if (const Json* flags = find_member(json, "flags"))
    record.flags = attack::flags_from_json(to_text(*flags), where);
  if (const Json* clusters = find_member(json, "clusters")) {
    record.clusters = {.key = clusters->at("key").get<std::string>(),
                       .forget = members_from(clusters->at("forget")),
                       .holdout = members_from(clusters->at("holdout"))};
  }
  if (const Json* retrained = find_member(json, "retrained_models"))
    record.retrained = retrained_from(*retrained);
  read_into(json, "notes", record.notes);
}

void write_conclusions(const RunRecord& record, Json& json) {
  if (record.answer)
    json["answer"] = parse_json(attack::answer_to_json(*record.answer), record.name);
  if (record.complete) json["flags"] = parse_json(attack::flags_to_json(record.flags), record.name);
  if (record.clusters) {
    json["clusters"] = {{"key", record.clusters->key},
                        {"forget", members_to_json(record.clusters->forget)},
                        {"holdout", members_to_json(record.clusters->holdout)}};
  }
  if (record.retrained) json["retrained_models"] = to_json(*record.retrained);
  if (!record.notes.empty()) json["notes"] = record.notes;
}

RunRecord record_from(const Json& json, const std::string& where) {
  RunRecord record;
  read_into(json, "name", record.name);
  read_into(json, "complete", record.complete);
  read_into(json, "versions", record.versions);
  if (const Json* model = find_member(json, "model")) {
    read_into(*model, "name", record.model);
    read_into(*model, "fingerprint", record.model_fingerprint);
    read_into(*model, "tokenizer_fingerprint", record.tokenizer_fingerprint);
    read_into(*model, "device", record.device);
    read_into(*model, "dtype", record.dtype);
    read_into(*model, "parameters", record.num_parameters);
  }
  read_into(json, "seed", record.seed);
  read_into(json, "planned", record.planned);
  for (const auto& [name, metric] : members_of(json.at("metrics")))
    record.metrics[name] = metric_from(metric);
  if (const Json* passes = find_member(json, "passes")) {
    if (!passes->is_array()) refuse_type("array", *passes);
    for (const Json& pass : *passes) record.passes.push_back(pass_from(pass));
  }
  read_conclusions(json, where, record);
  return record;
}

// Throws Error if the record is of a newer version.
int64_t version_of(const Json& json, const std::string& where) {
  if (!json.is_object() || !json.contains(kVersionKey)) return 1;
  return require_version(json[kVersionKey], kRunRecordVersion, "record of a run", where);
}

}  // namespace

std::string to_json_text(const ForgetQuality& quality) {
  return to_line(to_json(quality));
}

std::string to_json_text(const RetrainedModels& retrained) {
  return to_line(to_json(retrained));
}

RunRecord run_record_from_json(const Json& json, const std::string& where) {
  const int64_t version = version_of(json, where);
  try {
    RunRecord record = record_from(json, where);
    record.version = version;
    return record;
  } catch (const Json::exception& error) {
    throw Error({.what = "this is not a record of a run",
                 .where = where,
                 .found = reason_of(error),
                 .hint = "`palimpsest eval` writes it again"});
  }
}

std::optional<RunRecord> read_run_record(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const std::string where = path.string();
  Json json;
  try {
    json = parse_json(read_file(path), where);
    return run_record_from_json(json, where);
  } catch (const Error& error) {
    version_of(json, where);  // a newer one is not damaged
    log_warning("{}; nothing in it counts as finished", error.what());
    return std::nullopt;
  }
}

void write_run_record(const std::filesystem::path& path, const RunRecord& record) {
  Json json = {{kVersionKey, kRunRecordVersion},
               {"name", record.name},
               {"complete", record.complete},
               {"versions", record.versions},
               {"model",
                {{"name", record.model},
                 {"fingerprint", record.model_fingerprint},
                 {"tokenizer_fingerprint", record.tokenizer_fingerprint},
                 {"device", record.device},
                 {"dtype", record.dtype},
                 {"parameters", record.num_parameters}}},
               {"seed", record.seed},
               {"planned", record.planned},
               {"metrics", Json::object()},
               {"passes", Json::array()}};
  for (const auto& [name, metric] : record.metrics) json["metrics"][name] = to_json(metric);
  for (const PassRecord& pass : record.passes) json["passes"].push_back(to_json(pass));
  write_conclusions(record, json);
  write_file(path, to_text(json));
}

}  // namespace palimpsest::eval
