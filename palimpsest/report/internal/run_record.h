// Reads NAME_RUN.json, which `eval` writes beside NAME_EVAL.json, with facts about the run and each
// of its metrics. Records of version 0.1 have fewer facts, and logs of other programs have no
// record. Then the report guesses (internal/guesses.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/eval/run_record.h"
#include "palimpsest/report/internal/run_clusters.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

struct RecordedMetric {
  std::optional<MetricParameters> parameters = {};
  std::optional<double> value = {};
  // The 95% interval of the value. Version 1 has none, because it knew no clusters.
  std::optional<stat::Interval> interval = {};
  // For a metric that is computed from other metrics: the spread, which gives intervals at other
  // levels.
  std::optional<eval::Spread> spread = {};
  eval::MetricSource source = {};  // without generations
  std::string result_hash = {};    // empty in older records
};

struct RunRecordFile {
  int64_t version = 0;       // 0: there is no record
  bool is_complete = false;  // whether everything that was planned is finished
  RunClusters clusters = {};
  std::optional<attack::Answer> answer = {};
  std::vector<attack::RedFlag> flags = {};
  std::map<std::string, RecordedMetric> metrics = {};
  std::vector<RunMetric> effects = {};  // effect sizes that are reported beside p-values
  std::vector<std::string> notes = {};

  const RecordedMetric* find(const std::string& metric) const;
  // Throws Error, which names the log and the metric, if the log's entry is not the result that was
  // recorded. Older records, and none, accept every entry.
  void require_unchanged(const std::string& metric, const Json& entry,
                         const std::filesystem::path& log) const;
  // Whether a metric without an interval in the record really has none. Otherwise the record may
  // just not know it.
  bool is_settled() const { return version >= 2 && is_complete; }
  // The role of a metric's data set in the attacks: "forget" or "holdout". Any other set gets a
  // text that is equal for metrics on the same set.
  std::string data_set(const RecordedMetric& metric) const;
};

// Throws Error if the file is not such a record, or is of a newer version.
RunRecordFile read_run_record(const std::filesystem::path& path);

// Makes the same from a record in memory.
RunRecordFile record_of(const eval::RunRecord& record);

}  // namespace palimpsest::report
