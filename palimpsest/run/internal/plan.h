// Decides which sequences a model must run, and in which batches. The plan depends only on the
// examples, so an interrupted run makes the same plan again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/data/example.h"

namespace palimpsest::run {

// A named list of examples to run. It does not own the examples, which must outlive it.
struct ExampleList {
  std::string name;  // for messages
  std::vector<const data::Example*> examples;
};

ExampleList make_example_list(std::string name, const std::vector<data::Example>& examples);

// Orders examples by the token ids and labels that the model gets. If neither of two examples is
// less than the other, they are the same sequence.
struct SequenceLess {
  bool operator()(const data::Example* a, const data::Example* b) const;
};

struct TracePlan {
  // The distinct sequences. Each is represented by the first example that has it.
  std::vector<const data::Example*> sequences;
  // For each list, the index in `sequences` of each example.
  std::vector<std::vector<size_t>> sequence_indices;
  // The indices in `sequences` of the sequences that run together, the longest first.
  std::vector<std::vector<size_t>> batches;
  int64_t tokens = 0;  // the tokens of all distinct sequences
};

// A batch has at most `batch_tokens` tokens, or consists of a single longer sequence. Sequences
// with the same prompt are kept together, so that the shared part is computed once.
TracePlan plan_traces(const std::vector<ExampleList>& lists, int64_t batch_tokens);

}  // namespace palimpsest::run
