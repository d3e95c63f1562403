#include "palimpsest/torch/packing.h"

#include <algorithm>
#include <numeric>

namespace palimpsest::torch {
namespace {

// A shared prompt is worth a node of its own if it saves at least this many tokens.
constexpr int64_t kWorthSharing = 8;

struct Item {
  int64_t sequence = 0;
  int64_t length_class = 0;
  // Tokens that others may share: those before the one that predicts the first label, so that
  // every row of logits belongs to one sequence.
  std::span<const int64_t> prompt;
};

std::vector<Item> scored_items(std::span<const Sequence> sequences, const PackingOptions& options) {
  std::vector<Item> items;
  for (size_t i = 0; i < sequences.size(); ++i) {
    const std::vector<int64_t>& labels = sequences[i].labels;
    if (labels.empty()) continue;
    const auto first = std::find_if(labels.begin() + 1, labels.end(),
                                    [](int64_t label) { return label != kIgnoredLabel; });
    if (first == labels.end()) continue;
    const auto length = static_cast<int64_t>(labels.size());
    items.push_back(
        {.sequence = static_cast<int64_t>(i),
         .length_class = options.rotary ? rotary_length_class(*options.rotary, length) : 0,
         .prompt =
             std::span(sequences[i].ids).first(static_cast<size_t>(first - labels.begin()) - 1)});
  }
  return items;
}

int64_t common_length(const Item& a, const Item& b) {
  if (a.length_class != b.length_class) return 0;
  const auto parted =
      std::mismatch(a.prompt.begin(), a.prompt.end(), b.prompt.begin(), b.prompt.end());
  return parted.first - a.prompt.begin();
}

class Packer {
 public:
  Packer(std::span<const Sequence> sequences, const PackingOptions& options)
      : sequences_(sequences), options_(options), items_(scored_items(sequences, options)) {}

  Packing run() {
    if (options_.share_prompts) {
      std::ranges::stable_sort(items_, [](const Item& a, const Item& b) {
        if (a.length_class != b.length_class) return a.length_class < b.length_class;
        return std::ranges::lexicographical_compare(a.prompt, b.prompt);
      });
    }
    common_.resize(items_.size());  // common_[i]: with the item before
    for (size_t i = 1; i < items_.size() && options_.share_prompts; ++i) {
      common_[i] = common_length(items_[i - 1], items_[i]);
    }
    for (const auto& [begin, end] : families()) grow(begin, end);
    fill_batches();
    return std::move(packing_);
  }

 private:
  struct Range {
    size_t begin, end;
    int64_t depth;   // tokens that the nodes above cover
    int64_t parent;  // the last of them
  };

  int64_t length_of(const Item& item) const {
    return static_cast<int64_t>(sequences_[static_cast<size_t>(item.sequence)].ids.size());
  }

  // Runs of items that share something with their neighbours, those with the longest sequence
  // first: the largest need of memory comes at the beginning.
  std::vector<std::pair<size_t, size_t>> families() const {
    std::vector<std::pair<size_t, size_t>> found;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (i == 0 || common_[i] == 0) found.emplace_back(i, i);
      found.back().second = i + 1;
    }
    const auto longest = [&](const std::pair<size_t, size_t>& family) {
      int64_t length = 0;
      for (size_t i = family.first; i < family.second; ++i) {
        length = std::max(length, length_of(items_[i]));
      }
      return length;
    };
    std::ranges::stable_sort(found, std::greater(), longest);
    return found;
  }

  void grow(size_t begin, size_t end) {
    std::vector<Range> open = {{begin, end, 0, -1}};
    while (!open.empty()) {
      Range range = open.back();
      open.pop_back();
      if (range.end - range.begin == 1) {
        add_chain(items_[range.begin], range.depth, length_of(items_[range.begin]), range.parent);
        continue;
      }
      const auto first = common_.begin() + static_cast<std::ptrdiff_t>(range.begin);
      const auto last = common_.begin() + static_cast<std::ptrdiff_t>(range.end);
      const int64_t shared = *std::min_element(first + 1, last);
      const auto others = static_cast<int64_t>(range.end - range.begin) - 1;
      if ((shared - range.depth) * others >= kWorthSharing) {
        range.parent = add_chain(items_[range.begin], range.depth, shared, range.parent);
        range.depth = shared;
      }
      // Part the range where no more than this is common; the stack turns the order round.
      size_t piece_end = range.end;
      for (size_t i = range.end - 1; i > range.begin; --i) {
        if (common_[i] != shared) continue;
        open.push_back({i, piece_end, range.depth, range.parent});
        piece_end = i;
      }
      open.push_back({range.begin, piece_end, range.depth, range.parent});
    }
  }

  // Nodes for tokens [begin, end) of the item's sequence; the number of the last.
  int64_t add_chain(const Item& item, int64_t begin, int64_t end, int64_t parent) {
    const Sequence& sequence = sequences_[static_cast<size_t>(item.sequence)];
    do {
      int64_t stop = options_.cut_long ? std::min(end, begin + options_.max_rows) : end;
      // No batch of a single row: see Scorer::read_off().
      if (end - stop == 1 && stop - begin > 2) --stop;
      PackedNode node{.parent = parent,
                      .sequence = item.sequence,
                      .begin = begin,
                      .end = stop,
                      .rope_length = static_cast<int64_t>(sequence.ids.size())};
      add_labels(sequence, node);
      if (parent >= 0) ++packing_.nodes[static_cast<size_t>(parent)].children;
      parent = static_cast<int64_t>(packing_.nodes.size());
      packing_.nodes.push_back(std::move(node));
      begin = stop;
    } while (begin < end);
    return parent;
  }

  static void add_labels(const Sequence& sequence, PackedNode& node) {
    const auto is_labelled = [](int64_t label) { return label != kIgnoredLabel; };
    const auto first = sequence.labels.begin() + 1;
    int64_t slot = std::count_if(first, first + node.begin, is_labelled);
    const int64_t last = std::min(node.end, static_cast<int64_t>(sequence.labels.size()) - 1);
    for (int64_t t = node.begin; t < last; ++t) {
      const int64_t label = sequence.labels[static_cast<size_t>(t + 1)];
      if (!is_labelled(label)) continue;
      node.labels.push_back(
          {.row = t - node.begin, .label = label, .sequence = node.sequence, .slot = slot++});
    }
  }

  void fill_batches() {
    int64_t rows = 0;
    for (size_t i = 0; i < packing_.nodes.size(); ++i) {
      const int64_t count = packing_.nodes[i].count();
      if (packing_.batches.empty() || rows + count > options_.max_rows) {
        packing_.batches.emplace_back();
        rows = 0;
      }
      packing_.batches.back().push_back(static_cast<int64_t>(i));
      rows += count;
    }
  }

  std::span<const Sequence> sequences_;
  const PackingOptions& options_;
  std::vector<Item> items_;
  std::vector<int64_t> common_;
  Packing packing_;
};

}  // namespace

Packing pack(std::span<const Sequence> sequences, const PackingOptions& options) {
  return Packer(sequences, options).run();
}

}  // namespace palimpsest::torch
