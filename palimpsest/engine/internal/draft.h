// Guesses the next tokens of a generation from a text that it may be repeating.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest::engine {

class Draft {
 public:
  // `text` is the guess of the whole generation. `known` is its actual beginning.
  explicit Draft(std::vector<int64_t> text, std::span<const int64_t> known = {});

  // Returns at most `most` tokens that may follow `generated`. Their number is `trial`, or twice
  // that of the last guess if all of it was right.
  std::vector<int64_t> propose(std::span<const int64_t> generated, int64_t trial, int64_t most);

  // Records how many tokens of the last guess were right. If not all were, the position in the text
  // is searched again.
  void record(int64_t guessed, int64_t accepted);

 private:
  std::vector<int64_t> text_;
  int64_t next_ = 0;    // the position in the text that is expected next; -1: unknown
  int64_t proven_ = 0;  // the length of the last guess, if it was right
};

}  // namespace palimpsest::engine
