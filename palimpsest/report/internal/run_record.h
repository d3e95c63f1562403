// What NAME_RUN.json, which `eval` writes beside NAME_EVAL.json, says about a run and each of its
// metrics, as a report needs it. Records of version 0.1 say less, and logs of other programs have
// no record. Then the report guesses (internal/guesses.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/eval/run_record.h"
#include "palimpsest/report/internal/cluster_lookup.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

struct RunRecordFile {
  eval::RunRecord run = {.version = 0};  // version 0: there is no record
  ClusterLookup clusters = {};           // those of the record; if it has none, the user's
  bool has_own_clusters = false;         // whether they are the record's

  // What is recorded of a metric; null if it is nothing.
  const eval::MetricRecord* find(const std::string& metric) const;
  // The same, if it says what the metric is computed from. Null: that has to be guessed.
  const eval::MetricRecord* find_stated(const std::string& metric) const;
  // Throws Error, which names the log and the metric, if the log's result is not the one that was
  // recorded. Older records, and none, accept every result.
  void require_unchanged(const std::string& metric, const eval::MetricResult& result,
                         const std::filesystem::path& log) const;
  // Whether a metric without an interval in the record really has none. Otherwise the record may
  // just not know it.
  bool is_settled() const { return run.version >= 2 && run.complete; }
  // The role of a metric's data set in the attacks: "forget" or "holdout". Any other set gets a
  // text that is equal for metrics on the same set.
  std::string data_set(const eval::MetricRecord& metric) const;
  // The clusters of the examples with these keys, in file order, of a metric that has its data_set.
  ClusterByExample clusters_of(const RunMetric& metric, const std::vector<std::string>& keys) const;
  // Effect sizes that are reported beside p-values.
  std::vector<RunMetric> effects() const;
};

// Throws Error if the file is damaged or of a newer version. There may be no such file.
RunRecordFile read_run_record(const std::filesystem::path& path);

// Makes the same from a record in memory.
RunRecordFile record_of(eval::RunRecord run);

}  // namespace palimpsest::report
