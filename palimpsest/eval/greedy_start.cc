#include "palimpsest/eval/internal/greedy_start.h"

#include <algorithm>

namespace palimpsest::eval {
namespace {

bool prompt_begins(const data::Example& example) {
  return !example.prompt_ids.empty() && example.prompt_ids.size() <= example.ids.size() &&
         std::equal(example.prompt_ids.begin(), example.prompt_ids.end(), example.ids.begin());
}

}  // namespace

std::vector<int64_t> greedy_start(const data::Example& example, const trace::Trace& trace,
                                  std::optional<int64_t> masked) {
  if (!prompt_begins(example) || data::mask_hides(example, masked) || !trace.argmax ||
      !trace.label) {
    return {};
  }
  // All that follows the prompt is labelled, and nothing else.
  if (trace.label->size() != example.ids.size() - example.prompt_ids.size()) return {};
  if (!std::equal(trace.label->begin(), trace.label->end(),
                  example.ids.end() - static_cast<int64_t>(trace.label->size()))) {
    return {};
  }
  std::vector<int64_t> known;
  for (size_t i = 0; i < trace.label->size(); ++i) {
    known.push_back((*trace.argmax)[i]);
    if (known.back() != (*trace.label)[i]) break;
  }
  return known;
}

std::vector<int64_t> labelled_ids(const data::Example& example) {
  std::vector<int64_t> labelled;
  std::ranges::copy_if(example.labels, std::back_inserter(labelled),
                       [](int64_t label) { return label != kIgnoredLabel; });
  return labelled;
}

std::vector<int64_t> ground_truth_draft(const data::Example& example) {
  if (!prompt_begins(example)) return labelled_ids(example);
  return {example.ids.begin() + static_cast<int64_t>(example.prompt_ids.size()), example.ids.end()};
}

}  // namespace palimpsest::eval
