#include "palimpsest/metric/evaluate_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/strings.h"

namespace palimpsest::metric {
namespace {

// Records that are evaluated together; large statistics (a matrix, many domains) are then merged
// once per batch and not once per record.
constexpr size_t kMaxRecords = 1024;
constexpr int64_t kMaxNumbers = int64_t{1} << 20;

// One member of the records of a batch.
struct Column {
  std::string key;
  Shape shape = {};  // of one record's value
  std::vector<double> values = {};
};

void add_column(const std::string& key, std::vector<Column>& columns) {
  const bool there = std::any_of(columns.begin(), columns.end(),
                                 [&](const Column& column) { return column.key == key; });
  if (!there) columns.push_back({.key = key});
}

class RecordBatches {
 public:
  RecordBatches(const NamedMetrics& metrics, const RecordOptions& options)
      : metrics_(metrics), options_(options), stats_(zero_stats(metrics)) {
    for (const auto& [name, metric] : metrics) {
      const MetricInputs inputs = metric->inputs();
      for (const std::string& key : inputs.example_keys) add_column(key, columns_);
      for (const std::string& key : inputs.prediction_keys) add_column(record_key(key), columns_);
    }
  }

  // Takes the record into the batch; evaluates the batch first if the record has other shapes.
  void add(const Json& record, const std::string& where) {
    std::vector<Array> values;
    int64_t numbers = 0;
    for (const Column& column : columns_) {
      const std::string location = where + ": " + column.key;
      values.push_back(array_from_json(require(record, column.key, where), location));
      if (values.back().rank() >= TensorView::kMaxRank) {
        throw Error({.what = "the arrays are nested too deep", .where = location});
      }
      numbers += values.back().size();
    }
    if (!fits(values)) evaluate();
    for (size_t c = 0; c < columns_.size(); ++c) {
      const auto added = values[c].values();
      columns_[c].shape = values[c].shape();
      columns_[c].values.insert(columns_[c].values.end(), added.begin(), added.end());
    }
    locations_.push_back(where);
    numbers_ += numbers;
    if (locations_.size() >= kMaxRecords || numbers_ >= kMaxNumbers) evaluate();
  }

  stat::NamedStats finish() {
    evaluate();
    return std::move(stats_);
  }

 private:
  const std::string& record_key(const std::string& prediction_key) const {
    return prediction_key.empty() ? options_.pred_key : prediction_key;
  }

  bool fits(const std::vector<Array>& values) const {
    if (locations_.empty()) return true;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].shape != values[c].shape()) return false;
    }
    return true;
  }

  TensorView view(const std::string& key) const {
    const auto column = std::find_if(columns_.begin(), columns_.end(),
                                     [&](const Column& c) { return c.key == key; });
    PALIMPSEST_CHECK(column != columns_.end());
    Shape shape = column->shape;
    shape.insert(shape.begin(), static_cast<int64_t>(locations_.size()));
    return {shape, column->values};
  }

  void evaluate();
  [[noreturn]] void rethrow_located(const Error& error, const Features& examples,
                                    const Prediction& predictions) const;

  const NamedMetrics& metrics_;
  const RecordOptions& options_;
  std::vector<Column> columns_;
  std::vector<std::string> locations_;  // "data.jsonl:17", one per record of the batch
  int64_t numbers_ = 0;                 // in all columns
  stat::NamedStats stats_;
};

void RecordBatches::evaluate() {
  if (locations_.empty()) return;
  Features examples;
  Features predictions;
  for (const auto& [name, metric] : metrics_) {
    const MetricInputs inputs = metric->inputs();
    for (const std::string& key : inputs.example_keys) {
      if (examples.find(key) == nullptr) examples.add(key, view(key));
    }
    for (const std::string& key : inputs.prediction_keys) {
      if (predictions.find(key) == nullptr) predictions.add(key, view(record_key(key)));
    }
  }
  try {
    add_batch(metrics_, examples, predictions, stats_);
  } catch (const Error& error) {
    rethrow_located(error, examples, predictions);
  }
  for (Column& column : columns_) column.values.clear();
  locations_.clear();
  numbers_ = 0;
}

// A batch's error names the example, not the line: its records are evaluated one by one to find it.
void RecordBatches::rethrow_located(const Error& error, const Features& examples,
                                    const Prediction& predictions) const {
  for (size_t i = 0; i < locations_.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    for (const auto& [name, metric] : metrics_) {
      try {
        metric->evaluate_example(examples.row(row), predictions.row(row));
      } catch (const Error& of_record) {
        throw of_record.located(name).located(locations_[i]);
      }
    }
  }
  // Each record is right by itself, so it is with those before them that these do not merge.
  throw Error({.what = error.what(),
               .where = locations_[0],
               .hint = "per_position needs sequences that all have the same length"});
}

bool is_masked(const Json& record, const std::string& key, const std::string& where) {
  const Json& value = require(record, key, where);
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number() && !std::isnan(value.get<double>())) return value.get<double>() == 0;
  throw Error({.what = fmt::format("'{}' is not a mask", key),
               .where = where,
               .expected = "true, false or a number",
               .found = describe(value)});
}

// Counts megabytes, since the number of lines is not known beforehand.
class ByteProgress {
 public:
  ByteProgress(ProgressDisplay* display, const std::filesystem::path& path)
      : progress_(display, fmt::format("reading {} (MB)", path.filename().string()), total(path)) {}

  void add(size_t bytes) {
    pending_ += static_cast<int64_t>(bytes);
    progress_.advance(pending_ / kMegabyte);
    pending_ %= kMegabyte;
  }

 private:
  static constexpr int64_t kMegabyte = 1'000'000;

  static int64_t total(const std::filesystem::path& path) {
    std::error_code code;
    const auto bytes = std::filesystem::file_size(path, code);
    return code ? 0 : static_cast<int64_t>(bytes) / kMegabyte;  // 0: a pipe, not known
  }

  Progress progress_;
  int64_t pending_ = 0;
};

}  // namespace

RecordEvaluation evaluate_records(const std::filesystem::path& path, const NamedMetrics& metrics,
                                  const RecordOptions& options) {
  RecordEvaluation result;
  RecordBatches batches(metrics, options);
  LineReader reader(path, LineReader::Source::kAny);  // one pass: a pipe will do
  ByteProgress progress(options.progress, path);
  std::string line;
  while (reader.next(line)) {
    progress.add(line.size() + 1);
    if (is_blank(line)) continue;
    const std::string where = reader.where();
    const Json record = parse_json(line, where);
    if (!options.mask_key.empty() && is_masked(record, options.mask_key, where)) {
      ++result.num_masked;
      continue;
    }
    batches.add(record, where);
    ++result.num_examples;
  }
  if (result.num_examples + result.num_masked == 0) {
    throw Error({.what = "the file holds no record",
                 .where = path.string(),
                 .hint = "write one JSON object per line"});
  }
  result.stats = batches.finish();
  return result;
}

}  // namespace palimpsest::metric
