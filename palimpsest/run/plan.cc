#include "palimpsest/run/internal/plan.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace palimpsest::run {
namespace {

struct PromptLess {
  bool operator()(const data::Example* a, const data::Example* b) const {
    return a->prompt_ids < b->prompt_ids;
  }
};

// Batches of prompt families, those with the longest sequence first.
std::vector<size_t> running_order(const std::vector<const data::Example*>& sequences) {
  // Sequences with the same prompt are a family; its rank is its longest member's length.
  std::map<const data::Example*, size_t, PromptLess> longest;
  for (const data::Example* example : sequences) {
    size_t& length = longest[example];
    length = std::max(length, example->ids.size());
  }
  std::vector<size_t> order(sequences.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const size_t left = longest[sequences[a]];
    const size_t right = longest[sequences[b]];
    if (left != right) return left > right;
    return sequences[a]->prompt_ids < sequences[b]->prompt_ids;
  });
  return order;
}

}  // namespace

ExampleList make_example_list(std::string name, const std::vector<data::Example>& examples) {
  ExampleList list{.name = std::move(name), .examples = {}};
  for (const data::Example& example : examples) list.examples.push_back(&example);
  return list;
}

bool SequenceLess::operator()(const data::Example* a, const data::Example* b) const {
  return std::tie(a->ids, a->labels) < std::tie(b->ids, b->labels);
}

TracePlan plan_traces(const std::vector<ExampleList>& lists, int64_t batch_tokens) {
  TracePlan plan;
  std::map<const data::Example*, size_t, SequenceLess> known;
  for (const ExampleList& list : lists) {
    std::vector<size_t>& indices = plan.sequence_indices.emplace_back();
    for (const data::Example* example : list.examples) {
      const auto [found, fresh] = known.try_emplace(example, plan.sequences.size());
      if (fresh) {
        plan.sequences.push_back(example);
        plan.tokens += static_cast<int64_t>(example->ids.size());
      }
      indices.push_back(found->second);
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

}  // namespace palimpsest::run
