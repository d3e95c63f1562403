// The integer targets of a batch, whatever type they are stored in, and the masked ones among them
// (usually padding). All metrics that read targets use this class.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

// The form of the target of one example.
enum class TargetKind {
  kClass,     // one number
  kSequence,  // one number per position, [T]
};

// Whether `values` contains `value`. It is meant for short lists, such as those in options.
bool contains(const std::vector<int64_t>& values, int64_t value);

// The number of targets that are not masked.
int64_t count_unmasked(std::span<const int64_t> targets, const std::vector<int64_t>& masked);

// Refers to the batch, which must outlive it. Must not be shared between threads.
class Targets {
 public:
  // Throws Error if the feature is missing or has another rank.
  Targets(const Batch& batch, const std::string& key, TargetKind kind);

  // The length T of a sequence, or 1 for a class.
  int64_t length() const { return length_; }
  // The targets of one example, [T]; valid until the next call. Throws Error, with the place, if a
  // floating-point target is not a whole number.
  std::span<const int64_t> of(int64_t example);
  // The error with its place in front: the example and, in a sequence, the position.
  Error located(const Error& error, int64_t example, int64_t position) const;

 private:
  const Batch* batch_;
  TargetKind kind_;
  TensorView view_;
  int64_t length_;
  std::vector<int64_t> converted_;
};

}  // namespace palimpsest::metric
