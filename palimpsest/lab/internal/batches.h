// Which examples are seen together. An epoch is a shuffled pass over all examples. The plan depends
// on the seed and the number of examples alone, so threads never change what a model learns.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/data/example.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::lab {

// The examples of one step.
struct Batch {
  std::vector<model::Sequence> sequences;
  std::vector<int64_t> members;  // indices of the sequences among the examples
  std::vector<int64_t> lengths;  // labelled tokens t >= 1 of each sequence
  int64_t num_labels = 0;        // of all of them
};

Batch make_batch(const std::vector<data::Example>& examples, std::vector<int64_t> members);

// 0 … count - 1, shuffled.
std::vector<int64_t> shuffled(int64_t count, Random random);

// One epoch: every example once, `batch_size` at a time (the last batch may be smaller).
std::vector<std::vector<int64_t>> plan_epoch(int64_t count, int64_t batch_size, Random random);

}  // namespace palimpsest::lab
