// What a metric gives: one number, and what it was made of an example. The shape is
// open-unlearning's, whose programs read our logs and whose logs we read:
//
//   {"agg_value": 0.71, "value_by_index": {"0": {"prob": 0.9, "avg_loss": 0.1}, …}}
//
// Values of a data set with several answers a question are lists, one entry an answer. A number
// that is undefined (no labelled token, mean of nothing) is nullopt, null in files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::eval {

using Number = std::optional<double>;
using Field = std::variant<Number, std::string, std::vector<Number>, std::vector<std::string>>;
using Fields = std::vector<std::pair<std::string, Field>>;

struct IndexedValue {
  std::string index;  // of the record in its data set
  Fields fields;

  // nullptr where there is no such field.
  const Field* find(std::string_view name) const;
};

struct MetricResult {
  Number agg_value;
  std::vector<IndexedValue> value_by_index;  // in the order of the data
  // Further ones that the handler gives: "auc".
  std::vector<std::pair<std::string, Number>> numbers;
  std::vector<std::pair<std::string, MetricResult>> parts;  // "forget", "holdout"

  // Not part of the log: 95% interval of agg_value, which metric_intervals.h computes over clusters,
  // and the number of examples that it was made of.
  std::optional<Interval> interval;
  int64_t examples = 0;
  // Of an attack with a reference model: that model's own loss of every example ("forget",
  // "holdout", each with the field "score"). The run's record keeps it.
  std::vector<std::pair<std::string, MetricResult>> reference_parts;

  const MetricResult* find_part(std::string_view name) const;
  const MetricResult* find_reference_part(std::string_view name) const;
};

// Example by example to value_by_index: alternatives of one index become lists, unless there is
// only ever one.
class IndexedValues {
 public:
  // Every call gives the same names in the same order; numbers and texts, no lists. The calls of
  // one index need not follow each other.
  void add(const std::string& index, Fields fields);
  std::vector<IndexedValue> take();

 private:
  std::vector<std::pair<std::string, std::vector<Fields>>> items_;
  std::unordered_map<std::string, size_t> places_;  // by index
};

// The field as one number: itself, or the mean of the alternatives that are defined.
Number field_mean(const Field& field);

// The mean over the defined ones; nullopt if there are none.
Number mean_of(std::span<const Number> values);

// The field of every index as one number. An index without it is an Error that names it; `metric`
// opens the message.
std::vector<Number> column(const MetricResult& result, std::string_view field,
                           const std::string& metric);

// What a metric's agg_value is the mean of: a field of value_by_index, as it is or in a form that
// stat/truth_ratio.h names.
struct AveragedField {
  std::string field;
  std::string form = {};

  friend bool operator==(const AveragedField&, const AveragedField&) = default;
};

// The values themselves; throws as column() does.
std::vector<Number> averaged_values(const MetricResult& result, const AveragedField& averaged,
                                    const std::string& metric);

// Sets agg_value to the mean of the defined values, and examples to their number.
void set_mean(MetricResult& result, std::span<const Number> values);

}  // namespace palimpsest::eval
