// The longest common subsequence of two token sequences. It computes 64 columns of the classic
// table at a time (the bit-vector recurrence of Crochemore and others, 2001). For m rows and n
// columns it takes time m·n/64 and memory n for the length, and √m·n/64 words more for the
// positions. The table itself is never built. It was made for ROUGE but does not depend on text.
//
//   LcsMatcher matcher(5);                                   // tokens 0 … 4
//   matcher.set_columns(std::vector<uint32_t>{2, 4, 3});
//   matcher.length(std::vector<uint32_t>{1, 2, 3, 4});       // 2
//   matcher.positions(std::vector<uint32_t>{1, 2, 3, 4});    // {1, 2}: the tokens 2, 3
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest::text {

// Holds one sequence (the columns), which can be matched with many others (the rows). It keeps no
// reference to either. Must not be shared between threads, because matching uses internal work
// space.
class LcsMatcher {
 public:
  // All tokens of columns and rows must be below `vocabulary`. The memory grows with it.
  explicit LcsMatcher(uint32_t vocabulary) : occurrences_(vocabulary) {}

  void set_columns(std::span<const uint32_t> columns);

  int64_t length(std::span<const uint32_t> rows);

  // The positions in `rows` of one longest common subsequence, in ascending order. If there are
  // several, it is the one that rouge_score finds: going backwards from both ends, equal tokens are
  // always paired; otherwise a row is dropped, unless only dropping a column keeps the length.
  std::vector<int64_t> positions(std::span<const uint32_t> rows);

 private:
  // The positions of a token in the columns.
  struct Occurrences {
    int64_t last = -1;  // the last column; previous_ leads to the others
    int64_t count = 0;
    int64_t mask = -1;  // the row of masks_, if it exists already
  };

  // A mask in which bit c is 1 if column c holds the token. Valid until the next call.
  std::span<const uint64_t> mask_of(uint32_t token);
  void fill_mask(std::span<uint64_t> mask, uint32_t token) const;
  // Goes from one row of the table to the next. Bit c of a row is 0 if the length grows at column
  // c.
  void advance(std::span<uint64_t> row, uint32_t token);
  // The last of the first `end` columns that holds the token. There must be one.
  int64_t last_match(uint32_t token, int64_t end);

  std::vector<Occurrences> occurrences_;  // [vocabulary]
  std::vector<uint32_t> columns_;         // [n]
  std::vector<int64_t> previous_;         // [n]: the previous column with the same token, or -1
  size_t words_ = 0;                      // n / 64, rounded up

  // A token that occurs in more than one of 64 columns keeps its mask. Fewer than 64 tokens can be
  // so frequent, which limits the memory. The mask of a rare token is made on request, which costs
  // no more than using it.
  std::vector<uint64_t> masks_;      // [any, words]
  std::vector<uint64_t> rare_mask_;  // [words]
  int64_t rare_token_ = -1;          // the token whose mask rare_mask_ is
};

}  // namespace palimpsest::text
