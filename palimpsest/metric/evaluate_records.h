// Metrics over a file of JSON lines, one record per example: its members are the example's features
// and the model's predictions.
//
//   {"y": 1, "pred": [1.2, 0.4], "domain_id": 0}
//
// The file is read once, a bounded number of records at a time, so memory follows the largest
// record and not the file. Members that no metric asks for are not looked at. Numbers are numbers,
// true, false, null (undefined) or Python's NaN, Infinity and -Infinity; arrays nest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "palimpsest/base/progress.h"
#include "palimpsest/metric/evaluate_model.h"

namespace palimpsest::metric {

struct RecordOptions {
  std::string pred_key = "pred";        // the member that is the single prediction
  std::string mask_key = {};            // a member whose 0 or false drops the record; empty: none
  ProgressDisplay* progress = nullptr;  // null: none is shown
};

struct RecordEvaluation {
  stat::NamedStats stats;    // one per metric, in their order
  int64_t num_examples = 0;  // those that count
  int64_t num_masked = 0;    // those that the mask dropped
};

// Blank lines are skipped. Throws Error with the file and the line in front: a line that is not a
// JSON object, a missing key, whatever the metrics refuse; and if the file holds no record.
RecordEvaluation evaluate_records(const std::filesystem::path& path, const NamedMetrics& metrics,
                                  const RecordOptions& options = {});

}  // namespace palimpsest::metric
