// An example as a model needs it: token ids, and labels that say which of them are scored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/labels.h"

namespace palimpsest::data {

struct Example {
  // The example's name in its data set. The functions of datasets.h number the records, or the
  // chunks of pretraining text, from 0.
  std::string index;
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
  // Number of examples without a labelled token, usually because the prompt alone already has as
  // many tokens as the prompt with its answer. They cannot be scored, but are still in `examples`.
  int64_t without_labels = 0;
  // Number of examples that were cut at the maximum length.
  int64_t truncated = 0;
  // Number of examples whose first labelled token comes after the beginning of the answer (see
  // LabelStart).
  int64_t lost_beginnings = 0;
};

// Where labels begin. A prompt is tokenized alone and together with its answer. A tokenizer may
// join the prompt's end and the answer's beginning into one token, such as " The" for a prompt that
// ends with a space. kPublished leaves as many tokens unlabelled as the prompt alone has, as was
// done for the published benchmark numbers; with a joined token, the answer loses its beginning.
// kExact labels every token that holds some of the answer.
enum class LabelStart { kPublished, kExact };

// The names on command lines, in configurations and in records of runs: published, exact.
std::string_view name_of(LabelStart start);
// The inverse. Throws Error for an unknown name; the message lists the known ones.
LabelStart label_start_named(std::string_view name);

}  // namespace palimpsest::data
