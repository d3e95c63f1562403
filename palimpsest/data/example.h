// An example ready for a model: token ids, and which of them are scored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/labels.h"

namespace palimpsest::data {

struct Example {
  std::string index;        // the record's number in its file, from 0
  int64_t alternative = 0;  // which of several answers to one question
  std::vector<int64_t> ids;
  std::vector<int64_t> labels;                // one per id: the id itself, or kIgnoredLabel
  std::vector<int64_t> prompt_ids;            // what a generation starts from
  std::map<std::string, std::string> groups;  // columns to split results by
};

// Whether masking `token` would hide a token that matters. The last token does not count, because
// no later position attends to it.
inline bool mask_hides(const Example& example, std::optional<int64_t> token) {
  if (!token || example.ids.empty()) return false;
  const auto last = example.ids.end() - 1;
  return std::find(example.ids.begin(), last, *token) != last;
}

// The examples of a data set, with counts for warnings.
struct Examples {
  std::vector<Example> examples;
  // How many examples have no labelled token, because the prompt's tokens cover those of the
  // answer. They cannot be scored, but are still included in `examples`.
  int64_t without_labels = 0;
  // How many examples were cut at the maximum length.
  int64_t truncated = 0;
};

}  // namespace palimpsest::data
