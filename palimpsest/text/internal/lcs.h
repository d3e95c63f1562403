// The longest common subsequence of two token sequences, 64 columns of the classic table at a time
// (the bit-vector recurrence of Crochemore and others, 2001). For m rows and n columns: time
// m·n/64, memory n for the length and √m·n/64 words more for the positions; the table itself is
// never built. Made for ROUGE, but knows nothing of text.
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

// Holds one sequence, the columns, ready to be matched with many others, the rows. Keeps no
// reference to either. Not for sharing between threads: matching uses scratch memory inside.
class LcsMatcher {
 public:
  // All tokens of columns and rows must be below `vocabulary`; memory follows it.
  explicit LcsMatcher(uint32_t vocabulary) : occurrences_(vocabulary) {}

  void set_columns(std::span<const uint32_t> columns);

  int64_t length(std::span<const uint32_t> rows);

  // The places in `rows` of one longest common subsequence, ascending. Of several longest ones it
  // is the one that rouge_score finds: going backwards from both ends, equal tokens are always
  // paired, and else a row is dropped unless only dropping a column keeps the length.
  std::vector<int64_t> positions(std::span<const uint32_t> rows);

 private:
  // Where a token stands in the columns.
  struct Occurrences {
    int64_t last = -1;  // the last column; the others follow through previous_
    int64_t count = 0;
    int64_t mask = -1;  // the row of masks_, once it is made
  };

  // Bit c is 1 where column c holds the token. Valid until the next call.
  std::span<const uint64_t> mask_of(uint32_t token);
  void fill_mask(std::span<uint64_t> mask, uint32_t token) const;
  // From a row of the table to the next. Bit c of a row is 0 where the length grows at column c.
  void advance(std::span<uint64_t> row, uint32_t token);
  // The last column that holds the token among the first `end`; there must be one.
  int64_t last_match(uint32_t token, int64_t end);

  std::vector<Occurrences> occurrences_;  // [vocabulary]
  std::vector<uint32_t> columns_;         // [n]
  std::vector<int64_t> previous_;         // [n], the column before with the same token, or -1
  size_t words_ = 0;                      // n / 64, rounded up

  // A token in more than one of 64 columns keeps its mask; fewer than 64 tokens can be so frequent,
  // which bounds the memory. A rare token's mask is made when it is asked for, which costs no more
  // than what is then done with it.
  std::vector<uint64_t> masks_;      // [any, words]
  std::vector<uint64_t> rare_mask_;  // [words]
  int64_t rare_token_ = -1;          // whose mask that is
};

}  // namespace palimpsest::text
