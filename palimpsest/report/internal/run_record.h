// NAME_RUN.json, which `eval` writes beside NAME_EVAL.json: what it tells of the run and of each of
// its metrics. Records of version 0.1 tell less, logs of other programs have none; then report guesses
// (internal/guesses.h).
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

// The newest version that is read.
inline constexpr int64_t kNewestRunRecord = eval::kRunRecordVersion;

struct RecordedMetric {
  std::optional<MetricParameters> parameters = {};
  std::optional<double> value = {};
  std::optional<stat::Interval> interval =
      {};  // 95%, of that value; none of version 1, which knew no clusters
  // Of a metric that is made of others: what its interval at any other level is drawn from.
  std::optional<eval::Spread> spread = {};
  // What the value is the mean of: a field, in a form of stat/truth_ratio.h; empty: of none.
  std::string field = {};
  std::string form = {};
  std::map<std::string, std::string> data = {};     // fingerprints by access key
  std::map<std::string, std::string> pairing = {};  // equal: of the same records
  std::map<std::string, std::string> traces = {};   // files, seen from the run's folder
  int64_t cluster_size = 0;
  std::string result_hash = {};  // empty in older records
};

struct RunRecordFile {
  int64_t version = 0;       // 0: there is no record
  bool is_complete = false;  // everything that was planned is finished
  RunClusters clusters = {};
  std::optional<attack::Answer> answer = {};
  std::map<std::string, RecordedMetric> metrics = {};
  std::vector<RunMetric> effects = {};  // beside p-values: how large the difference is
  std::vector<std::string> notes = {};

  const RecordedMetric* find(const std::string& metric) const;
  // Throws Error, which names the log and the metric, if the log's entry is not the result that was
  // recorded. Older records, and none, have nothing against it.
  void require_unchanged(const std::string& metric, const Json& entry,
                         const std::filesystem::path& log) const;
  // Whether a metric without an interval has none, rather than that the record does not know.
  bool is_settled() const { return version >= 2 && is_complete; }
  // The role that a metric's data set plays for the attacks: "forget" or "holdout"; any other set is
  // called by what its metrics have in common.
  std::string data_set(const RecordedMetric& metric) const;
};

// Throws Error for what is no such file, or of a newer version.
RunRecordFile read_run_record(const std::filesystem::path& path);

// The same of a record that was not written, or need not be read again.
RunRecordFile record_of(const eval::RunRecord& record);

}  // namespace palimpsest::report
