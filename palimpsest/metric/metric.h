// A metric turns examples and predictions into a statistic (palimpsest/stat/statistic.h). It is
// defined by two functions: zero() is the statistic of no examples, and evaluate_example() is the
// statistic of one. The statistic of any set follows by merging; evaluate_batch() computes it for
// many examples at once. These are the metrics of `palimpsest metrics`. The metrics of a benchmark
// (`palimpsest eval`) are something else: metric handlers (eval/handler.h).
//
// For every metric m and every statistic s = m.evaluate_example(…):
//   m.zero().merge(s) = s.merge(m.zero()) = s, and both are statistics of the same type;
//   up to rounding, a batch gives the merged statistics of its examples;
//   an example that the mask drops is not read and counts as absent.
//
// A metric is immutable, so threads may share it. It keeps no reference to its input. It throws
// Error for wrong input, such as a missing feature, lengths that differ, a target outside the
// vocabulary, or a logit that is NaN. The message names the example and the position.
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

// One entry per example of a batch; 0 drops the example.
using Mask = std::span<const uint8_t>;

// Examples that are evaluated together. Every view has an additional leading axis, whose extent is
// the same for all. A batch refers to the features and predictions from which it was made, which
// must outlive it.
class Batch {
 public:
  // Throws Error if a view lacks the leading axis, if the extents differ, or if the mask has a
  // different length.
  Batch(const Features& examples, const Prediction& predictions,
        std::optional<Mask> mask = std::nullopt);

  const Features& examples() const { return *examples_; }
  const Prediction& predictions() const { return *predictions_; }
  int64_t size() const { return size_; }
  // The indices of the examples to evaluate, in ascending order.
  const std::vector<int64_t>& kept() const { return kept_; }

  // The same batch, restricted to some of its kept examples.
  Batch only(std::vector<int64_t> kept) const;
  // For a batch of one example: the same batch, whose errors do not begin with "example 0".
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

// The keys that a metric reads. A program that reads records takes only these keys from each
// record.
struct MetricInputs {
  std::vector<std::string> example_keys;
  std::vector<std::string> prediction_keys;  // the empty name means the single prediction
};

// The interface of metrics; the top of this file states its rules.
class Metric {
 public:
  virtual ~Metric() = default;

  virtual stat::AnyStat zero() const = 0;
  virtual stat::AnyStat evaluate_example(const Features& example,
                                         const Prediction& prediction) const = 0;
  virtual MetricInputs inputs() const = 0;

  // Merges the statistics of the kept examples one by one. Metrics that have a faster way override
  // it.
  virtual stat::AnyStat evaluate_batch(const Batch& batch) const;

  // Whether every statistic has the shape of zero(). It is false if the shape depends on the data,
  // as for one value per position; zero() is then a rank-0 zero.
  virtual bool has_fixed_shape() const { return true; }
};

using MetricPtr = std::shared_ptr<const Metric>;

// A base class for metrics that are written for batches. An example is evaluated as a batch of one.
class BatchMetric : public Metric {
 public:
  stat::AnyStat evaluate_example(const Features& example, const Prediction& prediction) const final;
  stat::AnyStat evaluate_batch(const Batch& batch) const override = 0;
};

// Evaluates a batch. If there is no mask, every example counts.
stat::AnyStat evaluate_batch(const Metric& metric, const Features& examples,
                             const Prediction& predictions,
                             std::optional<Mask> mask = std::nullopt);

}  // namespace palimpsest::metric
