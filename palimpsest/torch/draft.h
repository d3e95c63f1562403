// Guesses at what a generation will say next, from a text that it may be repeating.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest::torch {

class Draft {
 public:
  explicit Draft(std::vector<int64_t> text) : text_(std::move(text)) {}

  // At most `most` tokens that may follow `generated`.
  std::vector<int64_t> guess(std::span<const int64_t> generated, int64_t most);

  // How many of the last guess turned out right: all of it raises the next guess's length, less
  // lowers it. Afterwards the place in the text is looked for anew.
  void learn(int64_t guessed, int64_t accepted);

 private:
  std::vector<int64_t> text_;
  int64_t next_ = 0;     // the token of the text that is expected next; -1: unknown
  int64_t length_ = -1;  // of the next guess; -1: the whole rest
};

}  // namespace palimpsest::torch
