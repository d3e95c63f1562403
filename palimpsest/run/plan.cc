#include "palimpsest/run/plan.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace palimpsest {
namespace {

// Batches of prompt families, those with the longest sequence first.
std::vector<size_t> running_order(const std::vector<const Example*>& sequences) {
  // Sequences with the same prompt are a family; its rank is its longest member's length.
  std::map<std::vector<int64_t>, size_t> longest;
  for (const Example* example : sequences) {
    size_t& length = longest[example->prompt_ids];
    length = std::max(length, example->ids.size());
  }
  std::vector<size_t> order(sequences.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const size_t left = longest[sequences[a]->prompt_ids];
    const size_t right = longest[sequences[b]->prompt_ids];
    if (left != right) return left > right;
    return sequences[a]->prompt_ids < sequences[b]->prompt_ids;
  });
  return order;
}

}  // namespace

TracePlan plan_traces(const std::vector<const std::vector<Example>*>& lists, int64_t batch_tokens) {
  TracePlan plan;
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, size_t> known;
  for (const std::vector<Example>* list : lists) {
    std::vector<size_t>& places = plan.places.emplace_back();
    for (const Example& example : *list) {
      const auto [found, fresh] =
          known.try_emplace({example.ids, example.labels}, plan.sequences.size());
      if (fresh) {
        plan.sequences.push_back(&example);
        plan.tokens += static_cast<int64_t>(example.ids.size());
      }
      places.push_back(found->second);
    }
  }
  int64_t tokens = 0;
  for (const size_t number : running_order(plan.sequences)) {
    const auto length = static_cast<int64_t>(plan.sequences[number]->ids.size());
    if (plan.batches.empty() || tokens + length > batch_tokens) {
      plan.batches.emplace_back();
      tokens = 0;
    }
    plan.batches.back().push_back(number);
    tokens += length;
  }
  return plan;
}

}  // namespace palimpsest
