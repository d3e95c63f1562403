// The facts about an example that are kept after its trace was scored. Results can be split by
// them. The blind baseline (mia/blind_baseline.h), a classifier that never sees the model, learns
// from them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/trace/trace.h"

namespace palimpsest::attack {

struct ExampleFacts {
  int64_t num_labels = 0;
  std::optional<std::string> text;
  std::optional<std::vector<int64_t>> label;  // the labelled token ids
  std::map<std::string, std::string> groups;  // key -> value; results can be split by them
  // A hash of normalised_text() of the prompt. It distinguishes examples that give the same answer to
  // different questions. Equal prompts have equal hashes only within one process.
  std::optional<uint64_t> prompt_hash;
  std::optional<std::string> text_hash = {};  // of a trace whose text was taken out
  std::optional<double> logprob_sum;          // Σ log p over the labelled positions t >= 1
  int64_t logprob_count = 0;                  // the number of these positions
};

// Moves the facts out of a trace that is no longer needed.
ExampleFacts facts_of(trace::Trace&& trace);

// The words of a text: runs of ASCII letters, digits and non-ASCII bytes, with ASCII letters in
// lower case. The text need not be valid UTF-8.
std::vector<std::string> words_of(const std::string& text);

// The text in a form for comparison: ASCII letters in lower case, each run of ASCII white space
// replaced by one space, and no white space at the ends.
std::string normalised_text(const std::string& text);

}  // namespace palimpsest::attack
