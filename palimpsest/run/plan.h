// Which sequences a model has to run, and in which batches. Depends on the examples alone, so that
// an interrupted run makes the same plan again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/data/example.h"

namespace palimpsest {

// Examples to run, which stay the caller's.
struct ExampleList {
  std::string name;  // for messages
  std::vector<const Example*> examples;
};

ExampleList list_of(std::string name, const std::vector<Example>& examples);

// An order of examples by what a model sees of them: two that are equal here are the same sequence.
struct SequenceLess {
  bool operator()(const Example* a, const Example* b) const;
};

struct TracePlan {
  // Different sequences: the first example that has it.
  std::vector<const Example*> sequences;
  // For each list of examples, each example's place in `sequences`.
  std::vector<std::vector<size_t>> places;
  // Numbers of sequences that run together, the longest first.
  std::vector<std::vector<size_t>> batches;
  int64_t tokens = 0;
};

// Batches of at most `batch_tokens` tokens, or one sequence. Sequences with the same prompt stay
// neighbours, so that what they share is computed once.
TracePlan plan_traces(const std::vector<ExampleList>& lists, int64_t batch_tokens);

}  // namespace palimpsest
