#include "palimpsest/eval/run_record.h"

#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/json.h"
#include "palimpsest/base/log.h"

namespace palimpsest::eval {
namespace {

Json to_json(const MetricRecord& metric) {
  Json json = {{"fingerprint", metric.fingerprint},
               {"handler", metric.handler},
               {"requested", metric.requested},
               {"agg_value", metric.agg_value ? number_to_json(*metric.agg_value) : Json(nullptr)},
               {"interval", nullptr},
               {"examples", metric.examples},
               {"seconds", metric.seconds}};
  if (metric.interval) {
    json["interval"] = {number_to_json(metric.interval->low),
                        number_to_json(metric.interval->high)};
  }
  return json;
}

MetricRecord metric_from(const Json& json) {
  MetricRecord metric{.fingerprint = json.at("fingerprint").get<std::string>(),
                      .handler = json.at("handler").get<std::string>(),
                      .requested = json.at("requested").get<bool>(),
                      .examples = json.at("examples").get<int64_t>(),
                      .seconds = json.at("seconds").get<double>()};
  metric.agg_value = number_from_json(json.at("agg_value"));
  const Json& interval = json.at("interval");
  if (interval.is_array()) {
    const auto low = number_from_json(interval.at(0));
    const auto high = number_from_json(interval.at(1));
    if (low && high) metric.interval = Interval{*low, *high};
  }
  return metric;
}

Json to_json(const PassRecord& pass) {
  return {{"kind", pass.kind},       {"model", pass.model},   {"items", pass.items},
          {"resumed", pass.resumed}, {"tokens", pass.tokens}, {"seconds", pass.seconds}};
}

PassRecord pass_from(const Json& json) {
  return {.kind = json.at("kind").get<std::string>(),
          .model = json.at("model").get<std::string>(),
          .items = json.at("items").get<int64_t>(),
          .resumed = json.at("resumed").get<int64_t>(),
          .tokens = json.at("tokens").get<int64_t>(),
          .seconds = json.at("seconds").get<double>()};
}

RunRecord record_from(const Json& json) {
  const Json& model = json.at("model");
  RunRecord record{.name = json.at("name").get<std::string>(),
                   .complete = json.at("complete").get<bool>(),
                   .versions = json.at("versions").get<std::map<std::string, std::string>>(),
                   .model = model.at("name").get<std::string>(),
                   .model_fingerprint = model.at("fingerprint").get<std::string>(),
                   .tokenizer_fingerprint = model.at("tokenizer_fingerprint").get<std::string>(),
                   .device = model.at("device").get<std::string>(),
                   .dtype = model.at("dtype").get<std::string>(),
                   .parameters = model.at("parameters").get<int64_t>(),
                   .seed = json.at("seed").get<uint64_t>(),
                   .planned = json.at("planned").get<std::map<std::string, std::string>>()};
  for (const auto& [name, metric] : json.at("metrics").items()) {
    record.metrics[name] = metric_from(metric);
  }
  for (const Json& pass : json.at("passes")) record.passes.push_back(pass_from(pass));
  return record;
}

}  // namespace

std::optional<RunRecord> read_run_record(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  try {
    return record_from(parse_json(read_file(path), path.string()));
  } catch (const Error& error) {
    log_warning("{}; nothing of it is taken for finished", error.what());
  } catch (const Json::exception&) {
    log_warning("{} is no record of a run; nothing of it is taken for finished", path.string());
  }
  return std::nullopt;
}

void write_run_record(const std::filesystem::path& path, const RunRecord& record) {
  Json json = {{"palimpsest_run", 1},
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
  write_file(path, to_text(json));
}

}  // namespace palimpsest::eval
