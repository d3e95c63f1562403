// The result of a metric: one number, and the values of the individual examples from which it was
// computed. It has the structure of open-unlearning's logs, so that Palimpsest and open-unlearning
// can read each other's logs:
//
//   {"agg_value": 0.71, "value_by_index": {"0": {"prob": 0.9, "avg_loss": 0.1}, …}}
//
// If a question has several answers, its values are lists with one entry per answer. An undefined
// number (such as the mean of no values) is nullopt here and null in files. The result of an attack
// holds the attack with its scores (attack/scored_attack.h) instead of value_by_index:
//
//   {"agg_value": 0.71, "auc": 0.71, "forget": {"agg_value": 1.9, "value_by_index":
//     {"0": {"score": 2.3}, …}}, "holdout": {…}}
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "palimpsest/attack/scored_attack.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::eval {

using Number = std::optional<double>;
using Field = std::variant<Number, std::string, std::vector<Number>, std::vector<std::string>>;
using Fields = std::vector<std::pair<std::string, Field>>;

struct IndexedValue {
  std::string index;  // the record's index in its data set
  Fields fields;

  // Returns nullptr if there is no such field.
  const Field* find(std::string_view name) const;
};

struct MetricResult {
  Number agg_value;
  std::vector<IndexedValue> value_by_index;  // in the order of the data
  // Further numbers that the handler returns, such as "auc".
  std::vector<std::pair<std::string, Number>> numbers;
  std::optional<attack::ScoredAttack> scored;  // of an attack; agg_value is its AUC

  // The number of examples from which agg_value was computed. It is not in the log.
  int64_t examples = 0;
  // Remarks for readers of the result. The run logs them and stores them in its record.
  std::vector<std::string> notes;
  // For an attack with a reference model: the attack "loss" on the reference model itself. It is
  // stored in the record of the run.
  std::optional<attack::ScoredAttack> reference;
};

// The results of an evaluation, keyed by the metric's name.
using EvalLog = std::map<std::string, MetricResult>;

// Collects the values of individual examples into value_by_index. If any example has several
// alternatives (such as several answers to one question), the values become lists.
class IndexedValues {
 public:
  // Every call must pass the same field names in the same order. Fields must be numbers or texts,
  // not lists. Calls with the same index need not be consecutive.
  void add(const std::string& index, Fields fields);
  std::vector<IndexedValue> take();

 private:
  std::vector<std::pair<std::string, std::vector<Fields>>> items_;
  std::unordered_map<std::string, size_t> item_of_;  // by index
};

// The field as one number: the number itself, or the mean of the defined alternatives.
Number field_mean(const Field& field);

// The mean of the defined values; nullopt if there are none.
Number mean_of(std::span<const Number> values);

// The index of every example.
std::vector<std::string> indices_of(const MetricResult& result);

// The field of every index as one number. Throws Error if an index lacks the field. The message
// names the index and begins with `metric`.
std::vector<Number> column(const MetricResult& result, std::string_view field,
                           const std::string& metric);

// Throws Error if a set of scores in the result does not have one key per score. The message names
// the metric handler that made the result.
void require_keys(const MetricResult& result, const std::string& handler);

// Converts one set of an attack to the form that it has in logs, and back: the scores are the field
// "score", and agg_value is their mean. An example without the field has no score.
MetricResult to_logged_set(const attack::SetScores& set);
attack::SetScores from_logged_set(const MetricResult& logged);

// The field of value_by_index whose mean is agg_value. If `form` is empty, the values are averaged
// as they are. Otherwise each value r is first replaced: by min(r, 1/(r + 1e-10)) if `form` is
// "closer_to_1_better", by max(0, 1 - r) if it is "true_better".
struct AveragedField {
  std::string field;
  std::string form = {};

  friend bool operator==(const AveragedField&, const AveragedField&) = default;
};

// The values that are averaged. Throws Error if an index lacks the field.
std::vector<Number> averaged_values(const MetricResult& result, const AveragedField& averaged,
                                    const std::string& metric);

// Sets agg_value to the mean of the defined values, and `examples` to their number.
void set_mean(MetricResult& result, std::span<const Number> values);

}  // namespace palimpsest::eval
