// Which sequences a model has to run, and in which batches. The plan depends only on the examples,
// so that an interrupted run makes the same plan again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/data/example.h"

namespace palimpsest::run {

// Examples to run. They are not owned.
struct ExampleList {
  std::string name;  // for messages
  std::vector<const data::Example*> examples;
};

ExampleList make_example_list(std::string name, const std::vector<data::Example>& examples);

// Orders examples by what a model sees of them. Two examples of which neither is less than the
// other are the same sequence.
struct SequenceLess {
  bool operator()(const data::Example* a, const data::Example* b) const;
};

struct TracePlan {
  // The distinct sequences, each represented by the first example that has it.
  std::vector<const data::Example*> sequences;
  // For each list of examples, each example's index in `sequences`.
  std::vector<std::vector<size_t>> sequence_indices;
  // Each batch lists the indices in `sequences` of the sequences that run together, the longest
  // first.
  std::vector<std::vector<size_t>> batches;
  int64_t tokens = 0;
};

// A batch has at most `batch_tokens` tokens, or is a single longer sequence. Sequences with the
// same prompt are kept together, so that the shared part is computed once.
TracePlan plan_traces(const std::vector<ExampleList>& lists, int64_t batch_tokens);

}  // namespace palimpsest::run
