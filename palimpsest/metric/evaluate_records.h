// Evaluates metrics over a file of JSON lines. Each line is one example: an object with the
// example's features and the model's predictions.
//
//   {"y": 1, "pred": [1.2, 0.4], "domain_id": 0}
//
// The file is read once, a bounded number of records at a time, so the memory depends on the
// largest record and not on the size of the file. Keys that no metric reads are ignored. A number
// may be a JSON number, true, false, null (undefined), or Python's NaN, Infinity and -Infinity.
// Arrays may be nested.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "palimpsest/base/progress.h"
#include "palimpsest/metric/evaluate_model.h"

namespace palimpsest::metric {

struct RecordOptions {
  std::string pred_key = "pred";  // the key of the single prediction
  std::string mask_key = {};      // a key whose value 0 or false drops the record; empty: none
  ProgressDisplay* progress = nullptr;  // may be null
};

struct RecordEvaluation {
  stat::NamedStats stats;    // one per metric, in the order of the metrics
  int64_t num_examples = 0;  // the number of examples that were evaluated
  int64_t num_masked = 0;    // the number of examples that the mask dropped
};

// Blank lines are skipped. Throws Error, with the file and the line, for a line that is not a JSON
// object, for a missing key and for values that a metric rejects. Also throws Error if the file has
// no record.
RecordEvaluation evaluate_records(const std::filesystem::path& path, const NamedMetrics& metrics,
                                  const RecordOptions& options = {});

}  // namespace palimpsest::metric
