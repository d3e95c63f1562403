#include "palimpsest/attack/internal/mia/shared_words.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "palimpsest/attack/example_facts.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/base/random.h"

namespace palimpsest::attack {
namespace {

constexpr int64_t kMaxSharers = 40;

// Which texts of one set share a rare word: a symmetric matrix of bits.
class SharingMatrix {
 public:
  explicit SharingMatrix(size_t texts) : texts_(texts), bits_(texts * texts) {}

  void join(size_t a, size_t b) { bits_[a * texts_ + b] = bits_[b * texts_ + a] = true; }
  bool shares(size_t a, size_t b) const { return bits_[a * texts_ + b]; }
  size_t texts() const { return texts_; }
  int64_t pairs() const { return std::count(bits_.begin(), bits_.end(), true) / 2; }

 private:
  size_t texts_;
  std::vector<bool> bits_;
};

// Where a word stands: texts of each set, ascending.
using TextsWithWord = std::vector<std::vector<size_t>>;
using RareWords = std::map<std::string, TextsWithWord>;

int64_t text_count(const TextsWithWord& found_in) {
  int64_t count = 0;
  for (const auto& texts : found_in) count += static_cast<int64_t>(texts.size());
  return count;
}

RareWords find_rare_words(std::span<const SetTexts> sets) {
  RareWords words;
  int64_t texts = 0;
  for (size_t s = 0; s < sets.size(); ++s) {
    for (size_t i = 0; i < sets[s].size(); ++i) {
      if (sets[s][i] == nullptr) continue;
      ++texts;
      for (const std::string& word : words_of(*sets[s][i])) {
        TextsWithWord& found_in = words.try_emplace(word, sets.size()).first->second;
        if (found_in[s].empty() || found_in[s].back() != i) found_in[s].push_back(i);
      }
    }
  }
  const int64_t most = std::clamp<int64_t>(texts / 10, 2, kMaxSharers);
  std::erase_if(words, [&](const auto& item) {
    const int64_t count = text_count(item.second);
    return count < 2 || count > most;
  });
  return words;
}

int64_t neighbours_within(const TextsWithWord& found_in) {
  int64_t count = 0;
  for (const auto& texts : found_in) {
    for (size_t i = 1; i < texts.size(); ++i) count += texts[i] == texts[i - 1] + 1 ? 1 : 0;
  }
  return count;
}

std::vector<SharingMatrix> sharing_matrices(std::span<const SetTexts> sets,
                                            const RareWords& words) {
  std::vector<SharingMatrix> matrices;
  for (const SetTexts& set : sets) matrices.emplace_back(set.size());
  for (const auto& [word, found_in] : words) {
    for (size_t s = 0; s < found_in.size(); ++s) {
      for (size_t a = 0; a < found_in[s].size(); ++a) {
        for (size_t b = 0; b < a; ++b) matrices[s].join(found_in[s][a], found_in[s][b]);
      }
    }
  }
  return matrices;
}

int64_t sharing_neighbours(const SharingMatrix& matrix, const std::vector<size_t>& order) {
  int64_t count = 0;
  for (size_t i = 1; i < order.size(); ++i) count += matrix.shares(order[i - 1], order[i]) ? 1 : 0;
  return count;
}

// The statistic of the data first, then that of each permutation.
std::vector<int64_t> permuted_counts(const std::vector<SharingMatrix>& matrices,
                                     const PermutationSettings& settings) {
  std::vector<int64_t> counts(static_cast<size_t>(settings.permutations + 1));
  parallel_for(settings.permutations + 1, settings.threads, [&](int64_t begin, int64_t end) {
    std::vector<size_t> order;
    for (int64_t r = begin; r < end; ++r) {
      if (settings.stop.stop_requested()) throw Stopped();
      Random random = Random(settings.seed).split(static_cast<uint64_t>(r));
      for (const SharingMatrix& matrix : matrices) {
        order.resize(matrix.texts());
        std::iota(order.begin(), order.end(), size_t{0});
        for (size_t i = r == 0 ? 0 : order.size(); i > 1; --i)
          std::swap(order[i - 1], order[random.below(i)]);
        counts[static_cast<size_t>(r)] += sharing_neighbours(matrix, order);
      }
    }
  });
  return counts;
}

// Pairs within blocks that share a word beyond what all pairs do, over the square root of the
// number of such pairs.
double sharing_strength(const std::vector<SharingMatrix>& matrices, int64_t size, double rate) {
  int64_t sharing = 0;
  int64_t pairs = 0;
  for (const SharingMatrix& matrix : matrices) {
    for (size_t a = 0; a < matrix.texts(); ++a) {
      for (size_t b = a - a % static_cast<size_t>(size); b < a; ++b) {
        ++pairs;
        sharing += matrix.shares(a, b) ? 1 : 0;
      }
    }
  }
  if (pairs == 0) return 0;
  const auto count = static_cast<double>(pairs);
  return (static_cast<double>(sharing) - rate * count) / std::sqrt(count);
}

}  // namespace

std::optional<SharedWords> test_shared_words(std::span<const SetTexts> sets,
                                             std::span<const int64_t> block_sizes,
                                             const PermutationSettings& settings) {
  std::vector<SetTexts> first(sets.begin(), sets.end());
  int64_t neighbours = 0;
  double all_pairs = 0;
  for (SetTexts& set : first) {
    set.resize(std::min(set.size(), static_cast<size_t>(kMaxSharedTexts)));
    neighbours += std::max<int64_t>(std::ssize(set) - 1, 0);
    all_pairs += static_cast<double>(set.size()) * (static_cast<double>(set.size()) - 1) / 2;
  }
  const RareWords words = find_rare_words(first);
  const std::vector<SharingMatrix> matrices = sharing_matrices(first, words);
  int64_t sharing_pairs = 0;
  for (const SharingMatrix& matrix : matrices) sharing_pairs += matrix.pairs();
  if (sharing_pairs == 0) return std::nullopt;

  const std::vector<int64_t> counts = permuted_counts(matrices, settings);
  const auto as_large = std::ranges::count_if(counts, [&](int64_t c) { return c >= counts[0]; });
  const double mean =
      static_cast<double>(std::accumulate(counts.begin() + 1, counts.end(), int64_t{0})) /
      static_cast<double>(settings.permutations);
  SharedWords found{.p_value = static_cast<double>(as_large) / static_cast<double>(counts.size()),
                    .share = static_cast<double>(counts[0]) / static_cast<double>(neighbours),
                    .expected = mean / static_cast<double>(neighbours)};
  int64_t most = -1;
  for (const auto& [word, found_in] : words) {
    if (const int64_t count = neighbours_within(found_in); count > most) {
      most = count;
      found.word = word;
      found.word_texts = text_count(found_in);
    }
  }
  double strongest = 0;
  for (int64_t size : block_sizes) {
    const double strength =
        sharing_strength(matrices, size, static_cast<double>(sharing_pairs) / all_pairs);
    if (strength <= strongest) continue;
    strongest = strength;
    found.block_size = size;
  }
  return found;
}

}  // namespace palimpsest::attack
