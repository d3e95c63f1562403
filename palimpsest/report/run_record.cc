#include "palimpsest/report/internal/run_record.h"

#include "palimpsest/base/file.h"
#include "palimpsest/report/internal/json_members.h"

namespace palimpsest {
namespace {

// What stands beside a metric whose number is a p-value (forget_quality).
void read_effect(const std::string& name, const Json& metric, RunRecordFile& record) {
  const Json* effect = find_member(metric, "effect");
  if (effect == nullptr) return;
  for (const char* part : {"mean_difference", "ks_distance"}) {
    const std::optional<double> value = member_number(*effect, part);
    if (!value) continue;
    record.effects.push_back(
        {.name = name + "_" + part,
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

RecordedMetric recorded_metric(const Json& json, int64_t version) {
  RecordedMetric metric{.parameters = member_parameters(json),
                        .value = member_number(json, "agg_value"),
                        .data = member_texts(json, "data"),
                        .pairing = member_texts(json, "pairing"),
                        .traces = member_texts(json, "traces")};
  // Records of version 0.1 say nothing about their data, and their intervals know no clusters.
  if (version >= 2 || json.contains("data")) metric.interval = member_interval(json, "interval");
  if (const Json* averaged = find_member(json, "averaged")) {
    metric.field = member_text(*averaged, "field");
    metric.form = member_text(*averaged, "form");
  }
  if (const auto size = member_number(json, "cluster_size"))
    metric.cluster_size = static_cast<int64_t>(*size);
  return metric;
}

}  // namespace

const RecordedMetric* RunRecordFile::find(const std::string& metric) const {
  const auto found = metrics.find(metric);
  return found == metrics.end() ? nullptr : &found->second;
}

std::string RunRecordFile::data_set(const RecordedMetric& metric) const {
  const auto own = metric.pairing.find("");
  if (own == metric.pairing.end()) return "";
  for (const auto& [name, other] : metrics) {
    for (const char* set : {"forget", "holdout"}) {
      const auto found = other.pairing.find(set);
      if (found != other.pairing.end() && found->second == own->second) return set;
    }
  }
  return own->second;
}

RunRecordFile read_run_record(const std::filesystem::path& path) {
  const std::string where = path.string();
  RunRecordFile record;
  if (!std::filesystem::exists(path)) return record;
  const Json document = parse_json(read_file(path), where);
  const Json* version = find_member(document, "palimpsest_run");
  record.version = version == nullptr
                       ? 1
                       : require_version(*version, kNewestRunRecord, "record of a run", where);
  if (const Json* clusters = find_member(document, "clusters"))
    record.clusters = RunClusters(*clusters, where);
  record.answer = member_answer(document, where);
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

}  // namespace palimpsest
