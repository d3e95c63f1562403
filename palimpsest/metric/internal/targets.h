// The integer targets of a batch, whatever type they are stored in, and which of them are masked
// (padding, as a rule). What all metrics over targets stand on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

// What the target of one example is.
enum class TargetKind {
  kClass,     // one number
  kSequence,  // one number per position, [T]
};

// Whether `values` holds `value`. For the short lists that options are.
bool contains(const std::vector<int64_t>& values, int64_t value);

// How many of the targets are none of the masked values.
int64_t count_unmasked(std::span<const int64_t> targets, const std::vector<int64_t>& masked);

// Refers to the batch. Not for sharing between threads.
class Targets {
 public:
  // Throws Error if the feature is missing or has another rank.
  Targets(const Batch& batch, const std::string& key, TargetKind kind);

  // T, or 1 for a class.
  int64_t length() const { return length_; }
  // The targets of one example, [T]; valid until the next call. Throws Error (located) where a
  // floating-point target is not a whole number.
  std::span<const int64_t> of(int64_t example);
  // The error with its place put in front: the example and, in a sequence, the position.
  Error located(const Error& error, int64_t example, int64_t position) const;

 private:
  const Batch* batch_;
  TargetKind kind_;
  TensorView view_;
  int64_t length_;
  std::vector<int64_t> converted_;
};

}  // namespace palimpsest::metric
