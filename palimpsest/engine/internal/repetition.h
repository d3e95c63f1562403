// Guesses at what a generation will say next, from what it has said: models that have learned little
// or forgotten much go round in circles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest::engine {

class Repetition {
 public:
  // At most `most` tokens that follow if `generated` goes on as it did after the last time that it
  // ended in the same few tokens: a quarter of `trial` at first, up to `trial` while all turn out
  // right. None for a while after a wrong guess.
  std::vector<int64_t> propose(std::span<const int64_t> generated, int64_t trial, int64_t most);

  // How many of the last guess turned out right.
  void record(int64_t guessed, int64_t accepted);

 private:
  int64_t proven_ = 0;  // the last guess, if it was right
  int64_t size_ = 0;    // of what was generated at the last guess
  int64_t resume_ = 0;  // no guess before so many tokens
};

}  // namespace palimpsest::engine
