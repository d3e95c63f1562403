// An example as a model needs it: token ids, and labels that say which of them are scored.
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
  int64_t alternative = 0;  // number of the answer, if one question has several
  std::vector<int64_t> ids;
  std::vector<int64_t> labels;                // one label per id: the id itself, or kIgnoredLabel
  std::vector<int64_t> prompt_ids;            // the prompt from which text is generated
  std::map<std::string, std::string> groups;  // key -> value; results can be split by them
};

// Whether hiding `token` from attention would change the numbers of this example. The last token
// does not count, because no later position attends to it.
inline bool mask_hides(const Example& example, std::optional<int64_t> token) {
  if (!token || example.ids.empty()) return false;
  const auto last = example.ids.end() - 1;
  return std::find(example.ids.begin(), last, *token) != last;
}

// The examples of a data set, with counts for warnings.
struct Examples {
  std::vector<Example> examples;
  // Number of examples without a labelled token, because the prompt's tokens already cover those of
  // the answer. They cannot be scored, but are still in `examples`.
  int64_t without_labels = 0;
  // Number of examples that were cut at the maximum length.
  int64_t truncated = 0;
};

}  // namespace palimpsest::data
