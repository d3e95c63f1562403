// Which examples are seen together, and as what. An epoch is a shuffled pass over all examples; a
// batch is cut by length into a fixed number of shards that are computed side by side. The plan
// depends on the seed and the lengths alone, so threads never change what a model learns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/data/example.h"

namespace palimpsest::lab {

// Sequences of almost equal length as one rectangle, padded on the right. No query looks to its
// right, so that padding changes nothing.
struct Shard {
  int64_t sequences = 0;     // B
  int64_t length = 0;        // T
  std::vector<int64_t> ids;  // [B · T]
  // For each labelled token t >= 1, sequence by sequence: the row of the rectangle that predicts it
  // (of t - 1), the token, and the sequence.
  std::vector<int64_t> rows;
  std::vector<int64_t> targets;
  std::vector<int64_t> owners;
  std::vector<int64_t> members;  // [B] places of the sequences among the examples

  int64_t num_labels() const { return static_cast<int64_t>(targets.size()); }
};

// Shards of one step.
struct Batch {
  std::vector<Shard> shards;
  int64_t sequences = 0;
  int64_t num_labels = 0;
};

// A step has at most this many shards: what a machine can do side by side.
constexpr int64_t kShards = 4;

// The examples at `members` as one batch; no shard is empty.
Batch make_batch(const std::vector<Example>& examples, std::vector<int64_t> members);

// 0 … count - 1, shuffled.
std::vector<int64_t> shuffled(int64_t count, Random random);

// One epoch: every example once, `batch_size` at a time (the last batch may be smaller).
std::vector<std::vector<int64_t>> plan_epoch(int64_t count, int64_t batch_size, Random random);

}  // namespace palimpsest::lab
