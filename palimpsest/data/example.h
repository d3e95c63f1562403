// An example ready for a model: token ids, and which of them are scored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/labels.h"

namespace palimpsest {

struct Example {
  std::string index;        // the record's number in its file, from 0
  int64_t alternative = 0;  // which of several answers to one question
  std::vector<int64_t> ids;
  std::vector<int64_t> labels;                // as many: the id, or kIgnoredLabel
  std::vector<int64_t> prompt_ids;            // what a generation starts from
  std::map<std::string, std::string> groups;  // columns to split results by
};

// Whether a mask over `token` hides something: nothing sees the last token, so it may be masked.
inline bool mask_hides(const Example& example, std::optional<int64_t> token) {
  if (!token || example.ids.empty()) return false;
  const auto last = example.ids.end() - 1;
  return std::find(example.ids.begin(), last, *token) != last;
}

// What a data set became.
struct Examples {
  std::vector<Example> examples;
  // Examples without a labelled token, because the prompt's tokens cover the answer's: they cannot
  // be scored, and are here all the same.
  int64_t swallowed = 0;
  // Examples that were cut at the maximum length.
  int64_t truncated = 0;
};

}  // namespace palimpsest
