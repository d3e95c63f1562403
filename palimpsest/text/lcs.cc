#include "palimpsest/text/internal/lcs.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::text {
namespace {

constexpr size_t kWordBits = 64;
constexpr uint64_t kAllOnes = ~uint64_t{0};

// The lowest `count` bits, 0 < count <= 64.
uint64_t low_bits(size_t count) {
  return kAllOnes >> (kWordBits - count);
}

// The length of the longest common subsequence with the first `columns` columns: the zeros there.
int64_t length_up_to(std::span<const uint64_t> row, int64_t columns) {
  const size_t whole = static_cast<size_t>(columns) / kWordBits;
  const size_t rest = static_cast<size_t>(columns) % kWordBits;
  int64_t zeros = 0;
  for (size_t w = 0; w < whole; ++w) zeros += std::popcount(~row[w]);
  if (rest > 0) zeros += std::popcount(~row[whole] & low_bits(rest));
  return zeros;
}

}  // namespace

void LcsMatcher::set_columns(std::span<const uint32_t> columns) {
  for (const uint32_t token : columns_) occurrences_[token] = {};
  masks_.clear();
  rare_token_ = -1;

  columns_.assign(columns.begin(), columns.end());
  previous_.resize(columns_.size());
  words_ = (columns_.size() + kWordBits - 1) / kWordBits;
  rare_mask_.resize(words_);
  for (size_t c = 0; c < columns_.size(); ++c) {
    PALIMPSEST_CHECK(columns_[c] < occurrences_.size());
    Occurrences& of_token = occurrences_[columns_[c]];
    previous_[c] = of_token.last;
    of_token.last = static_cast<int64_t>(c);
    ++of_token.count;
  }
}

void LcsMatcher::fill_mask(std::span<uint64_t> mask, uint32_t token) const {
  std::ranges::fill(mask, 0);
  for (int64_t c = occurrences_[token].last; c >= 0; c = previous_[static_cast<size_t>(c)]) {
    mask[static_cast<size_t>(c) / kWordBits] |= uint64_t{1} << (static_cast<size_t>(c) % kWordBits);
  }
}

std::span<const uint64_t> LcsMatcher::mask_of(uint32_t token) {
  Occurrences& of_token = occurrences_[token];
  if (static_cast<size_t>(of_token.count) * kWordBits <= columns_.size()) {
    if (rare_token_ != token) fill_mask(rare_mask_, token);
    rare_token_ = token;
    return rare_mask_;
  }
  if (of_token.mask < 0) {
    of_token.mask = static_cast<int64_t>(masks_.size() / words_);
    masks_.resize(masks_.size() + words_);
    fill_mask(std::span(masks_).last(words_), token);
  }
  return std::span(masks_).subspan(static_cast<size_t>(of_token.mask) * words_, words_);
}

void LcsMatcher::advance(std::span<uint64_t> row, uint32_t token) {
  const std::span<const uint64_t> mask = mask_of(token);
  uint64_t carry = 0;
  for (size_t w = 0; w < row.size(); ++w) {
    const uint64_t matches = row[w] & mask[w];
    uint64_t sum = 0;
    const bool first = __builtin_add_overflow(row[w], matches, &sum);
    const bool second = __builtin_add_overflow(sum, carry, &sum);
    row[w] = sum | (row[w] & ~mask[w]);
    carry = first || second ? 1 : 0;
  }
}

int64_t LcsMatcher::last_match(uint32_t token, int64_t end) {
  const auto last = static_cast<size_t>(end - 1);
  if (columns_[last] == token) return end - 1;
  const std::span<const uint64_t> mask = mask_of(token);
  size_t w = last / kWordBits;
  uint64_t bits = mask[w] & low_bits(last % kWordBits + 1);
  while (bits == 0) {
    PALIMPSEST_CHECK(w > 0);
    bits = mask[--w];
  }
  return static_cast<int64_t>(w * kWordBits + static_cast<size_t>(std::bit_width(bits)) - 1);
}

int64_t LcsMatcher::length(std::span<const uint32_t> rows) {
  std::vector<uint64_t> row(words_, kAllOnes);
  for (const uint32_t token : rows) {
    PALIMPSEST_CHECK(token < occurrences_.size());
    if (occurrences_[token].count > 0) advance(row, token);
  }
  return length_up_to(row, static_cast<int64_t>(columns_.size()));
}

std::vector<int64_t> LcsMatcher::positions(std::span<const uint32_t> rows) {
  std::vector<size_t> useful;  // the rows that match some column
  for (size_t r = 0; r < rows.size(); ++r) {
    PALIMPSEST_CHECK(rows[r] < occurrences_.size());
    if (occurrences_[rows[r]].count > 0) useful.push_back(r);
  }
  // Going back needs every row of the table. Only each √m-th is kept; the block that follows it is
  // computed again when the way back gets there.
  const auto block = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(useful.size()))));
  std::vector<uint64_t> kept;  // [blocks, words], the row before each block
  std::vector<uint64_t> row(words_, kAllOnes);
  for (size_t u = 0; u < useful.size(); ++u) {
    if (u % block == 0) kept.insert(kept.end(), row.begin(), row.end());
    advance(row, rows[useful[u]]);
  }

  auto end = static_cast<int64_t>(columns_.size());  // the columns that are left
  int64_t remaining = length_up_to(row, end);  // what the rows up to u have in common with them
  std::vector<int64_t> found;
  std::vector<uint64_t> before(block *
                               words_);  // [block, words], the row before each row of a block
  for (size_t b = kept.size() / std::max<size_t>(words_, 1); b-- > 0 && remaining > 0;) {
    const size_t begin = b * block;
    const size_t size = std::min(block, useful.size() - begin);
    std::copy_n(kept.begin() + static_cast<int64_t>(b * words_), words_, row.begin());
    for (size_t k = 0; k < size; ++k) {
      std::ranges::copy(row, before.begin() + static_cast<int64_t>(k * words_));
      advance(row, rows[useful[begin + k]]);
    }
    for (size_t k = size; k-- > 0 && remaining > 0;) {
      const size_t r = useful[begin + k];
      const bool paired = columns_[static_cast<size_t>(end - 1)] == rows[r];
      const auto above = std::span(before).subspan(k * words_, words_);
      if (!paired && length_up_to(above, end) == remaining) continue;
      end = last_match(rows[r], end);
      found.push_back(static_cast<int64_t>(r));
      --remaining;
    }
  }
  std::ranges::reverse(found);
  return found;
}

}  // namespace palimpsest::text
