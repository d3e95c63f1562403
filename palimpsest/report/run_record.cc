#include "palimpsest/report/internal/run_record.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/eval/internal/read_results.h"
#include "palimpsest/eval/internal/result_hash.h"
#include "palimpsest/report/internal/guesses.h"

namespace palimpsest::report {

const eval::MetricRecord* RunRecordFile::find(const std::string& metric) const {
  const auto found = run.metrics.find(metric);
  return found == run.metrics.end() ? nullptr : &found->second;
}

const eval::MetricRecord* RunRecordFile::find_stated(const std::string& metric) const {
  return run.version >= 2 ? find(metric) : nullptr;
}

void RunRecordFile::require_unchanged(const std::string& metric, const eval::MetricResult& result,
                                      const std::filesystem::path& log) const {
  const eval::MetricRecord* recorded = find(metric);
  if (recorded == nullptr || recorded->result_hash.empty()) return;
  if (eval::result_hash(result) == recorded->result_hash) return;
  throw Error(
      {.what = fmt::format("the result of {} differs from the one in the record of the "
                           "run: {}",
                           metric,
                           run.complete ? "the file was changed after it was written"
                                        : "a run is writing to this folder, or was cut short"),
       .where = log.string(),
       .hint = "`palimpsest eval` computes it again"});
}

std::string RunRecordFile::data_set(const eval::MetricRecord& metric) const {
  const auto own = metric.source.pairing.find("");
  if (own == metric.source.pairing.end()) return "";
  for (const auto& [name, other] : run.metrics) {
    for (const char* set : {"forget", "holdout"}) {
      const auto found = other.source.pairing.find(set);
      if (found != other.source.pairing.end() && found->second == own->second) return set;
    }
  }
  return own->second;
}

ClusterByExample RunRecordFile::clusters_of(const RunMetric& metric,
                                            const std::vector<std::string>& keys) const {
  const eval::MetricRecord* recorded = find_stated(metric.name);
  if (recorded != nullptr) {
    const bool is_attacked = metric.data_set == "forget" || metric.data_set == "holdout";
    if (is_attacked && has_own_clusters) return clusters.of(metric.data_set, keys);
    if (recorded->source.cluster_size > 0)
      return ClusterLookup(recorded->source.cluster_size).of(metric.data_set, keys);
    if (has_own_clusters) return {};
  }
  // Nothing is said of clusters, except perhaps by the user.
  if (recorded != nullptr) return clusters.of(metric.data_set, keys);
  if (guess_is_independent(metric.name)) return {};
  return clusters.of(guess_data_set(metric.name), keys);
}

std::vector<RunMetric> RunRecordFile::effects() const {
  std::vector<RunMetric> effects;
  for (const auto& [name, metric] : run.metrics) {
    if (!metric.quality) continue;
    effects.push_back({.name = name + "_mean_difference",
                       .value = metric.quality->mean_difference,
                       .interval = metric.quality->interval});
    effects.push_back({.name = name + "_ks_distance", .value = metric.quality->ks_distance});
  }
  return effects;
}

RunRecordFile record_of(eval::RunRecord run) {
  RunRecordFile record{.run = std::move(run)};
  if (record.run.clusters) {
    const auto& [key, forget, holdout] = *record.run.clusters;
    record.clusters =
        ClusterLookup(key, {forget.begin(), forget.end()}, {holdout.begin(), holdout.end()});
  }
  return record;
}

RunRecordFile read_run_record(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return {};
  const std::string where = path.string();
  return record_of(eval::run_record_from_json(parse_json(read_file(path), where), where));
}

}  // namespace palimpsest::report
