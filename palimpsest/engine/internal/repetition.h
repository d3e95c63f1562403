// Guesses the next tokens of a generation from its own text, because models that have learned
// little or forgotten much repeat themselves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest::engine {

class Repetition {
 public:
  // Returns at most `most` tokens that would follow if `generated` continued as it did after the
  // last time it ended in the same few tokens. The guess has a quarter of `trial` tokens at first,
  // and up to `trial` as long as all guesses are right. After a wrong guess, there are no guesses
  // for a while.
  std::vector<int64_t> propose(std::span<const int64_t> generated, int64_t trial, int64_t most);

  // Records how many tokens of the last guess were right.
  void record(int64_t guessed, int64_t accepted);

 private:
  int64_t proven_ = 0;  // the length of the last guess, if it was right
  int64_t size_ = 0;    // number of generated tokens at the last guess
  int64_t resume_ = 0;  // number of generated tokens before which nothing is guessed
};

}  // namespace palimpsest::engine
