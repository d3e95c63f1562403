#include "palimpsest/engine/internal/packing.h"

#include <algorithm>

namespace palimpsest::engine {
namespace {

// A shared beginning is worth a node of its own if it saves at least this many tokens.
constexpr int64_t kTokensWorthSharing = 8;

struct Item {
  int64_t sequence = 0;
  int64_t length_class = 0;
  std::span<const int64_t> tokens;  // that must run: up to the one that predicts the last label

  int64_t length() const { return static_cast<int64_t>(tokens.size()); }
};

bool is_labelled(int64_t label) {
  return label != kIgnoredLabel;
}

std::vector<Item> scored_items(std::span<const model::Sequence> sequences,
                               const PackingOptions& options) {
  std::vector<Item> items;
  for (size_t i = 0; i < sequences.size(); ++i) {
    const std::vector<int64_t>& labels = sequences[i].labels;
    const auto last = std::find_if(labels.rbegin(), labels.rend(), is_labelled);
    const auto needed = labels.rend() - last - 1;  // nothing predicts position 0
    if (needed <= 0) continue;
    const auto length = static_cast<int64_t>(labels.size());
    items.push_back(
        {.sequence = static_cast<int64_t>(i),
         .length_class = options.rotary ? model::rotary_length_class(*options.rotary, length) : 0,
         .tokens = std::span(sequences[i].ids).first(static_cast<size_t>(needed))});
  }
  return items;
}

int64_t common_length(const Item& a, const Item& b) {
  if (a.length_class != b.length_class) return 0;
  const auto parted =
      std::mismatch(a.tokens.begin(), a.tokens.end(), b.tokens.begin(), b.tokens.end());
  return parted.first - a.tokens.begin();
}

class Packer {
 public:
  Packer(std::span<const model::Sequence> sequences, const PackingOptions& options)
      : sequences_(sequences), options_(options), items_(scored_items(sequences, options)) {}

  Packing run() {
    if (options_.share_beginnings) {
      std::ranges::stable_sort(items_, [](const Item& a, const Item& b) {
        if (a.length_class != b.length_class) return a.length_class < b.length_class;
        return std::ranges::lexicographical_compare(a.tokens, b.tokens);
      });
    }
    common_.resize(items_.size());  // common_[i]: with the item before
    for (size_t i = 1; i < items_.size() && options_.share_beginnings; ++i) {
      common_[i] = common_length(items_[i - 1], items_[i]);
    }
    for (const auto& [begin, end] : families()) grow(begin, end);
    fill_batches();
    return std::move(packing_);
  }

 private:
  // Items that begin alike.
  struct Range {
    size_t begin, end;
    int64_t depth;   // tokens that the nodes above cover
    int64_t parent;  // the last of them
  };

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
        length = std::max(length, items_[i].length());
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
        add_chain(range, items_[range.begin].length());
        continue;
      }
      const auto first = common_.begin() + static_cast<std::ptrdiff_t>(range.begin);
      const auto last = common_.begin() + static_cast<std::ptrdiff_t>(range.end);
      const int64_t shared = *std::min_element(first + 1, last);
      const auto others = static_cast<int64_t>(range.end - range.begin) - 1;
      if ((shared - range.depth) * others >= kTokensWorthSharing) {
        range.parent = add_chain(range, shared);
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

  // Nodes for the tokens [range.depth, end) of all items of the range; the number of the last.
  int64_t add_chain(const Range& range, int64_t end) {
    const Item& item = items_[range.begin];
    int64_t parent = range.parent;
    for (int64_t begin = range.depth; begin < end;) {
      const int64_t stop = options_.cut_long ? std::min(end, begin + options_.max_rows) : end;
      PackedNode node{.parent = parent,
                      .sequence = item.sequence,
                      .begin = begin,
                      .end = stop,
                      .rope_length = static_cast<int64_t>(sequence_of(item).ids.size())};
      add_labels(range, node);
      if (parent >= 0) ++packing_.nodes[static_cast<size_t>(parent)].children;
      parent = static_cast<int64_t>(packing_.nodes.size());
      packing_.nodes.push_back(std::move(node));
      begin = stop;
    }
    return parent;
  }

  const model::Sequence& sequence_of(const Item& item) const {
    return sequences_[static_cast<size_t>(item.sequence)];
  }

  void add_labels(const Range& range, PackedNode& node) const {
    std::vector<int64_t> slots;  // the next one of each item
    for (size_t i = range.begin; i < range.end; ++i) {
      const auto first = sequence_of(items_[i]).labels.begin() + 1;
      slots.push_back(std::count_if(first, first + node.begin, is_labelled));
    }
    for (int64_t t = node.begin; t < node.end; ++t) {
      const size_t row_begin = node.labels.size();
      for (size_t i = range.begin; i < range.end; ++i) {
        const int64_t label = sequence_of(items_[i]).labels[static_cast<size_t>(t + 1)];
        if (!is_labelled(label)) continue;
        auto found = std::find_if(node.labels.begin() + static_cast<std::ptrdiff_t>(row_begin),
                                  node.labels.end(),
                                  [&](const LabelledRow& other) { return other.label == label; });
        if (found == node.labels.end()) {
          found = node.labels.insert(found, {.row = t - node.begin, .label = label, .slots = {}});
        }
        found->slots.push_back({items_[i].sequence, slots[i - range.begin]++});
      }
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

  std::span<const model::Sequence> sequences_;
  const PackingOptions& options_;
  std::vector<Item> items_;
  std::vector<int64_t> common_;
  Packing packing_;
};

}  // namespace

Packing pack(std::span<const model::Sequence> sequences, const PackingOptions& options) {
  return Packer(sequences, options).run();
}

}  // namespace palimpsest::engine
