// What is kept of a trace besides its scores: what results are split by, and what a classifier that
// never sees the model may look at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/trace/trace.h"

namespace palimpsest {

struct ExampleFacts {
  int64_t num_labels = 0;
  std::optional<std::string> text;
  std::optional<std::vector<int64_t>> label;  // the labelled token ids
  std::map<std::string, std::string> groups;
  // Of the prompt in lower case with white space squeezed: the same answer to another question is
  // another example. Equal prompts have equal hashes within one process.
  std::optional<uint64_t> prompt_hash;
  std::optional<double> logprob_sum;  // Σ log p over the labelled positions t >= 1
  int64_t logprob_count = 0;          // how many those are
};

ExampleFacts facts_of(Trace&& trace);

// The words of a text: runs of ASCII letters, digits and bytes beyond ASCII, ASCII letters in lower
// case. Any bytes will do.
std::vector<std::string> words_of(const std::string& text);

// ASCII letters in lower case, runs of ASCII white space as one blank, none at the ends.
std::string squeezed_text(const std::string& text);

}  // namespace palimpsest
