// A metric is the function f of palimpsest/stat/statistic.h, from sets of examples to statistics,
// given by its two defining values: zero() = f(∅) and evaluate_example() = f({x}). Everything else
// follows by merging; evaluate_batch() does it for many examples at once.
//
// For every metric m and every statistic s = m.evaluate_example(…):
//   m.zero().merge(s) = s.merge(m.zero()) = s, and both are statistics of one type;
//   a batch gives what its examples give when merged, up to rounding;
//   an example that the mask drops counts as if it were not there and is not looked at.
//
// A metric is immutable, so threads may share it. It owns nothing that it is shown. It fails with
// Error, which names the example and the position: a missing feature, lengths that differ, a target
// outside the vocabulary, a logit that is no number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/metric/features.h"
#include "palimpsest/stat/any_stat.h"

namespace palimpsest::metric {

// One entry per example of a batch: 0 drops it.
using Mask = std::span<const uint8_t>;

// Examples that are evaluated together: every view has one leading axis more, all of one extent.
// Refers to what it was made from.
class Batch {
 public:
  // Throws Error if a view lacks the leading axis, if the extents differ, or if the mask has
  // another length.
  Batch(const Features& examples, const Prediction& predictions,
        std::optional<Mask> mask = std::nullopt);

  const Features& examples() const { return *examples_; }
  const Prediction& predictions() const { return *predictions_; }
  int64_t size() const { return size_; }
  // The indices of the examples to look at, ascending.
  const std::vector<int64_t>& kept() const { return kept_; }

  // The same batch, restricted to some of the kept examples.
  Batch only(std::vector<int64_t> kept) const;
  // The same batch (of one), whose errors do not count examples.
  Batch unnumbered() const;

  // The error with "example 3" or "example 3, position 5" in front.
  Error located(const Error& error, int64_t example,
                std::optional<int64_t> position = std::nullopt) const;

 private:
  const Features* examples_;
  const Prediction* predictions_;
  int64_t size_ = 0;
  std::vector<int64_t> kept_;
  bool numbered_ = true;
};

// The names that a metric looks up. A program that reads records takes these keys out of them.
struct MetricInputs {
  std::vector<std::string> example_keys;
  std::vector<std::string> prediction_keys;  // the empty name is the single prediction
};

class Metric {
 public:
  virtual ~Metric() = default;

  virtual stat::AnyStat zero() const = 0;
  virtual stat::AnyStat evaluate_example(const Features& example,
                                         const Prediction& prediction) const = 0;
  virtual MetricInputs inputs() const = 0;

  // Merges the kept examples one by one. Metrics that know a faster way override it.
  virtual stat::AnyStat evaluate_batch(const Batch& batch) const;

  // Whether every statistic has the shape of zero(). False where the shape follows the data, one
  // value per position; zero() is then the rank-0 identity.
  virtual bool has_fixed_shape() const { return true; }
};

using MetricPtr = std::shared_ptr<const Metric>;

// A metric that is written for batches; an example is a batch of one.
class BatchMetric : public Metric {
 public:
  stat::AnyStat evaluate_example(const Features& example, const Prediction& prediction) const final;
  stat::AnyStat evaluate_batch(const Batch& batch) const override = 0;
};

// The statistic of a batch. Without `mask` every example counts.
stat::AnyStat evaluate_batch(const Metric& metric, const Features& examples,
                             const Prediction& predictions,
                             std::optional<Mask> mask = std::nullopt);

}  // namespace palimpsest::metric
