#include "palimpsest/eval/run_record.h"

#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/eval/internal/metric_intervals.h"
#include "palimpsest/stat/internal/optional_json.h"

namespace palimpsest::eval {
namespace {

// Where the log has what a model generated: fields "input", "ground_truth" and "generation".
constexpr const char* kGenerationsPlace = "value_by_index";

Json to_json(const Spread& spread) {
  return {{"variance", number_to_json(spread.variance)},
          {"degrees_of_freedom", number_to_json(spread.degrees_of_freedom)},
          {"range", stat::interval_to_json(spread.range)}};
}

std::optional<Spread> spread_from(const Json& json) {
  const auto variance = number_from_json(json.at("variance"));
  const auto degrees = number_from_json(json.at("degrees_of_freedom"));
  const auto range = stat::interval_from_json(json.at("range"));
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
          .interval = stat::interval_from_json(json.at("mean_difference_interval")),
          .examples = whole_number<int64_t>(json.at("examples"))};
}

// {"0": 1.93, …}
Json losses_to_json(const attack::SetScores& set) {
  Json::object_t losses;
  for (size_t i = 0; i < set.scores.size(); ++i)
    losses.push_back({set.keys[i], stat::optional_to_json(set.scores[i])});
  return Json(std::move(losses));
}

attack::SetScores losses_from(const Json& json) {
  std::vector<std::string> keys;
  attack::ScoreColumn losses;
  for (const auto& [key, loss] : json.items()) {
    keys.push_back(key);
    losses.push_back(number_from_json(loss));
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
  metric.source.reference_fingerprint = json.at("fingerprint").get<std::string>();
  if (json.contains("model")) metric.source.reference_model = json.at("model").get<std::string>();
  if (!json.contains("forget") || !json.contains("holdout")) return;
  metric.reference = {.attack = "loss",
                      .parameters = attack::ParameterValues{},
                      .forget = losses_from(json.at("forget")),
                      .holdout = losses_from(json.at("holdout"))};
}

Json members_to_json(const RunClusters::Members& members) {
  Json::object_t object;
  for (const auto& [example, cluster] : members) object.push_back({example, cluster});
  return Json(std::move(object));
}

RunClusters::Members members_from(const Json& json) {
  RunClusters::Members members;
  for (const auto& [example, cluster] : json.items()) {
    members.emplace_back(example, cluster.get<std::string>());
  }
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
  if (source.has_generations) json["generations"] = kGenerationsPlace;
  if (!source.reference_logs.empty()) json["reference_logs"] = source.reference_logs;
}

MetricSource source_from(const Json& json) {
  MetricSource source;
  const auto read = [&](const char* key, auto& into) {
    if (json.contains(key)) json.at(key).get_to(into);
  };
  read("attack", source.attack);
  read("data", source.data);
  read("pairing", source.pairing);
  source.cluster_size = whole_number<int64_t>(json.value("cluster_size", Json(0)));
  read("traces", source.traces);
  read("reference_logs", source.reference_logs);
  source.has_generations = json.contains("generations");
  if (json.contains("averaged")) {
    const Json& averaged = json.at("averaged");
    source.averaged = {.field = averaged.at("field").get<std::string>(),
                       .form = averaged.value("form", "")};
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
  if (metric.spread) json["spread"] = to_json(*metric.spread);
  if (metric.quality) json["effect"] = to_json(*metric.quality);
  if (!metric.note.empty()) json["note"] = metric.note;
  if (!metric.warnings.empty()) json["warnings"] = metric.warnings;
  if (!metric.result_hash.empty()) json["result_hash"] = metric.result_hash;
  return json;
}

MetricRecord metric_from(const Json& json) {
  MetricRecord metric{.fingerprint = json.at("fingerprint").get<std::string>(),
                      .handler = json.at("handler").get<std::string>(),
                      .requested = json.at("requested").get<bool>(),
                      .examples = whole_number<int64_t>(json.at("examples")),
                      .seconds = json.at("seconds").get<double>()};
  metric.agg_value = number_from_json(json.at("agg_value"));
  metric.interval = stat::interval_from_json(json.at("interval"));
  // Older records have none of what follows.
  metric.source = source_from(json);
  if (json.contains("parameters")) {
    metric.parameters.emplace();
    for (const auto& [key, value] : json.at("parameters").items()) {
      metric.parameters->emplace_back(key, number_from_json(value).value_or(0));
    }
  }
  if (json.contains("reference")) read_reference(json.at("reference"), metric);
  if (json.contains("spread")) metric.spread = spread_from(json.at("spread"));
  if (json.contains("effect")) metric.quality = quality_from(json.at("effect"));
  if (json.contains("note")) metric.note = json.at("note").get<std::string>();
  if (json.contains("warnings")) json.at("warnings").get_to(metric.warnings);
  if (json.contains("result_hash")) json.at("result_hash").get_to(metric.result_hash);
  return metric;
}

Json to_json(const PassRecord& pass) {
  return {{"kind", pass.kind},       {"model", pass.model},   {"items", pass.items},
          {"resumed", pass.resumed}, {"tokens", pass.tokens}, {"seconds", pass.seconds}};
}

PassRecord pass_from(const Json& json) {
  return {.kind = json.at("kind").get<std::string>(),
          .model = json.at("model").get<std::string>(),
          .items = whole_number<int64_t>(json.at("items")),
          .resumed = whole_number<int64_t>(json.at("resumed")),
          .tokens = whole_number<int64_t>(json.at("tokens")),
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
  RetrainedModels retrained{.logs = whole_number<int64_t>(json.at("logs")), .comparisons = {}};
  for (const auto& [metric, one] : json.at("comparisons").items()) {
    retrained.comparisons.push_back({.metric = metric,
                                     .model = one.at("model").get<double>(),
                                     .retrained = one.at("retrained").get<std::vector<double>>(),
                                     .p_value = one.at("p_value").get<double>()});
  }
  return retrained;
}

// What follows from the numbers; older records and runs that go on have none of it.
void read_conclusions(const Json& json, const std::string& where, RunRecord& record) {
  if (json.contains("answer"))
    record.answer = attack::answer_from_json(to_text(json.at("answer")), where);
  if (json.contains("flags"))
    record.flags = attack::flags_from_json(to_text(json.at("flags")), where);
  if (json.contains("clusters")) {
    const Json& clusters = json.at("clusters");
    record.clusters = {.key = clusters.at("key").get<std::string>(),
                       .forget = members_from(clusters.at("forget")),
                       .holdout = members_from(clusters.at("holdout"))};
  }
  if (json.contains("retrained_models")) {
    record.retrained = retrained_from(json.at("retrained_models"));
  }
  if (json.contains("notes")) record.notes = json.at("notes").get<std::vector<std::string>>();
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
  const Json& model = json.at("model");
  RunRecord record{.name = json.at("name").get<std::string>(),
                   .complete = json.at("complete").get<bool>(),
                   .versions = json.at("versions").get<std::map<std::string, std::string>>(),
                   .model = model.at("name").get<std::string>(),
                   .model_fingerprint = model.at("fingerprint").get<std::string>(),
                   .tokenizer_fingerprint = model.at("tokenizer_fingerprint").get<std::string>(),
                   .device = model.at("device").get<std::string>(),
                   .dtype = model.at("dtype").get<std::string>(),
                   .parameters = whole_number<int64_t>(model.at("parameters")),
                   .seed = whole_number<uint64_t>(json.at("seed")),
                   .planned = json.at("planned").get<std::map<std::string, std::string>>()};
  for (const auto& [name, metric] : json.at("metrics").items()) {
    record.metrics[name] = metric_from(metric);
  }
  for (const Json& pass : json.at("passes")) record.passes.push_back(pass_from(pass));
  read_conclusions(json, where, record);
  return record;
}

}  // namespace

std::string to_json_text(const ForgetQuality& quality) {
  return to_line(to_json(quality));
}

std::string to_json_text(const RetrainedModels& retrained) {
  return to_line(to_json(retrained));
}

std::optional<RunRecord> read_run_record(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const std::string where = path.string();
  Json json;
  try {
    json = parse_json(read_file(path), where);
  } catch (const Error& error) {
    log_warning("{}; nothing in it counts as finished", error.what());
    return std::nullopt;
  }
  if (json.is_object() && json.contains("palimpsest_run"))
    require_version(json["palimpsest_run"], kRunRecordVersion, "record of a run", where);
  try {
    return record_from(json, where);
  } catch (const Error& error) {
    log_warning("{}; nothing in it counts as finished", error.what());
  } catch (const Json::exception&) {
    log_warning("{} is not a record of a run; nothing in it counts as finished", where);
  }
  return std::nullopt;
}

void write_run_record(const std::filesystem::path& path, const RunRecord& record) {
  Json json = {{"palimpsest_run", kRunRecordVersion},
               {"name", record.name},
               {"complete", record.complete},
               {"versions", record.versions},
               {"model",
                {{"name", record.model},
                 {"fingerprint", record.model_fingerprint},
                 {"tokenizer_fingerprint", record.tokenizer_fingerprint},
                 {"device", record.device},
                 {"dtype", record.dtype},
                 {"parameters", record.parameters}}},
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
