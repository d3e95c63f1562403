#include "palimpsest/report/internal/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/eval/internal/metric_intervals.h"
#include "palimpsest/eval/internal/result_hash.h"
#include "palimpsest/report/internal/json_members.h"
#include "palimpsest/report/internal/logged_metric.h"

namespace palimpsest::report {
namespace {

// What the two effects of a metric whose number is a p-value (forget_quality) are called.
constexpr const char* kMeanDifference = "_mean_difference";
constexpr const char* kKsDistance = "_ks_distance";

void read_effect(const std::string& name, const Json& metric, RunRecordFile& record) {
  const Json* effect = find_member(metric, "effect");
  if (effect == nullptr) return;
  for (const char* suffix : {kMeanDifference, kKsDistance}) {
    const char* part = suffix + 1;
    const std::optional<double> value = member_number(*effect, part);
    if (!value) continue;
    record.effects.push_back(
        {.name = name + suffix,
         .value = value,
         .interval = member_interval(*effect, (std::string(part) + "_interval").c_str())});
  }
}

std::map<std::string, std::string> member_texts(const Json& object, const char* key) {
  std::map<std::string, std::string> texts;
  const Json* found = find_member(object, key);
  if (found == nullptr || !found->is_object()) return texts;
  for (const auto& [name, text] : found->items()) {
    if (text.is_string()) texts[name] = text.get<std::string>();
  }
  return texts;
}

std::optional<eval::Spread> member_spread(const Json& json) {
  const Json* spread = find_member(json, "spread");
  if (spread == nullptr) return std::nullopt;
  const auto variance = member_number(*spread, "variance");
  const auto degrees = member_number(*spread, "degrees_of_freedom");
  const auto range = member_interval(*spread, "range");
  if (!variance || !degrees || !range || !eval::is_valid_spread(*variance, *degrees))
    return std::nullopt;
  return eval::Spread{.variance = *variance, .degrees_of_freedom = *degrees, .range = *range};
}

eval::MetricSource source_from(const Json& json) {
  eval::MetricSource source{.attack = member_text(json, "attack"),
                            .data = member_texts(json, "data"),
                            .pairing = member_texts(json, "pairing"),
                            .traces = member_texts(json, "traces")};
  if (const Json* averaged = find_member(json, "averaged")) {
    const std::string field = member_text(*averaged, "field");
    if (!field.empty()) source.averaged = {field, member_text(*averaged, "form")};
  }
  constexpr double kLargestSize = 1e15;  // beyond any data set; a double holds it exactly
  if (const auto size = member_number(json, "cluster_size"); size && *size >= 0)
    source.cluster_size = static_cast<int64_t>(std::min(*size, kLargestSize));
  return source;
}

RecordedMetric recorded_metric(const Json& json, int64_t version) {
  RecordedMetric metric{.parameters = member_parameters(json),
                        .value = member_number(json, "agg_value"),
                        .spread = member_spread(json),
                        .source = source_from(json),
                        .result_hash = member_text(json, "result_hash")};
  // Records of version 0.1 say nothing about their data, and their intervals know no clusters.
  if (version >= 2 || json.contains("data")) metric.interval = member_interval(json, "interval");
  return metric;
}

RecordedMetric recorded_metric(const eval::MetricRecord& metric) {
  RecordedMetric recorded{
      .interval = metric.interval, .spread = metric.spread, .source = metric.source};
  if (metric.agg_value && !std::isnan(*metric.agg_value)) recorded.value = metric.agg_value;
  if (metric.parameters) recorded.parameters = parameter_texts(*metric.parameters);
  return recorded;
}

}  // namespace

const RecordedMetric* RunRecordFile::find(const std::string& metric) const {
  const auto found = metrics.find(metric);
  return found == metrics.end() ? nullptr : &found->second;
}

void RunRecordFile::require_unchanged(const std::string& metric, const Json& entry,
                                      const std::filesystem::path& log) const {
  const RecordedMetric* recorded = find(metric);
  if (recorded == nullptr || recorded->result_hash.empty()) return;
  if (eval::result_hash(entry, log.string() + ": " + metric) == recorded->result_hash) return;
  throw Error(
      {.what = fmt::format("the result of {} is not the one that the record of the run "
                           "beside it has: {}",
                           metric,
                           is_complete ? "the file was changed after it was written"
                                       : "a run is writing to this folder, or was cut short"),
       .where = log.string(),
       .hint = "`palimpsest eval` computes it again"});
}

std::string RunRecordFile::data_set(const RecordedMetric& metric) const {
  const auto own = metric.source.pairing.find("");
  if (own == metric.source.pairing.end()) return "";
  for (const auto& [name, other] : metrics) {
    for (const char* set : {"forget", "holdout"}) {
      const auto found = other.source.pairing.find(set);
      if (found != other.source.pairing.end() && found->second == own->second) return set;
    }
  }
  return own->second;
}

RunRecordFile record_of(const eval::RunRecord& run) {
  RunRecordFile record{.version = eval::kRunRecordVersion,
                       .is_complete = run.complete,
                       .answer = run.answer,
                       .flags = run.flags};
  if (run.clusters) {
    const auto& [key, forget, holdout] = *run.clusters;
    record.clusters =
        RunClusters(key, {forget.begin(), forget.end()}, {holdout.begin(), holdout.end()});
  }
  if (run.retrained) record.notes.push_back(run.retrained->sentence());
  for (const auto& [name, metric] : run.metrics) {
    record.metrics[name] = recorded_metric(metric);
    if (!metric.quality) continue;
    record.effects.push_back({.name = name + kMeanDifference,
                              .value = metric.quality->mean_difference,
                              .interval = metric.quality->interval});
    record.effects.push_back({.name = name + kKsDistance, .value = metric.quality->ks_distance});
  }
  return record;
}

RunRecordFile read_run_record(const std::filesystem::path& path) {
  const std::string where = path.string();
  RunRecordFile record;
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return record;
  const Json document = parse_json(read_file(path), where);
  const Json* version = find_member(document, "palimpsest_run");
  record.version = version == nullptr ? 1
                                      : require_version(*version, eval::kRunRecordVersion,
                                                        "record of a run", where);
  if (const Json* clusters = find_member(document, "clusters"))
    record.clusters = RunClusters(*clusters, where);
  record.answer = member_answer(document, where);
  record.flags = member_flags(document, where);
  const Json* complete = find_member(document, "complete");
  record.is_complete = complete != nullptr && *complete == true;
  const Json* metrics = find_member(document, "metrics");
  if (metrics == nullptr || !metrics->is_object()) return record;
  if (const Json* retrained = find_member(document, "retrained_models")) {
    const std::string sentence = member_text(*retrained, "sentence");
    if (!sentence.empty()) record.notes.push_back(sentence);
  }
  for (const auto& [name, metric] : metrics->items()) {
    record.metrics[name] = recorded_metric(metric, record.version);
    read_effect(name, metric, record);
  }
  return record;
}

}  // namespace palimpsest::report
