// Turns a definition into a Metric. A definition is a struct whose fields are the metric's options
// and which has
//
//   evaluate(batch)    the statistic of the kept examples of a batch
//   require_valid()    optional: throws Error if an option is out of range
//   zero()             optional: the statistic of no examples, if it is not the default value of
//                      the type that evaluate() returns
//
// The options say what the metric reads (target_key and, if there is one, pred_key), and whether
// its statistics have a fixed shape (per_position).
#pragma once

#include <utility>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

template <class Definition>
class MetricOf final : public BatchMetric {
 public:
  // Throws Error if an option is out of range.
  explicit MetricOf(Definition definition = {}) : definition_(std::move(definition)) {
    if constexpr (requires { definition_.require_valid(); }) definition_.require_valid();
  }

  stat::AnyStat zero() const override {
    if constexpr (requires { definition_.zero(); }) {
      return definition_.zero();
    } else {
      return decltype(definition_.evaluate(std::declval<Batch>()))();
    }
  }

  stat::AnyStat evaluate_batch(const Batch& batch) const override {
    return definition_.evaluate(batch);
  }

  MetricInputs inputs() const override {
    MetricInputs inputs{.example_keys = {definition_.target_key}, .prediction_keys = {}};
    if constexpr (requires { definition_.pred_key; }) {
      inputs.prediction_keys = {definition_.pred_key};
    }
    return inputs;
  }

  bool has_fixed_shape() const override {
    if constexpr (requires { definition_.per_position; }) return !definition_.per_position;
    return true;
  }

 private:
  Definition definition_;
};

}  // namespace palimpsest::metric
