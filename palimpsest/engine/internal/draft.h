// Guesses at what a generation will say next, from a text that it may be repeating.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest::engine {

class Draft {
 public:
  // `known`: how the generation begins.
  explicit Draft(std::vector<int64_t> text, std::span<const int64_t> known = {});

  // At most `most` tokens that may follow `generated`: `trial` of them, or twice as many as the last
  // guess had if that was right.
  std::vector<int64_t> propose(std::span<const int64_t> generated, int64_t trial, int64_t most);

  // How many of the last guess turned out right. If not all, the place in the text is looked for
  // anew.
  void record(int64_t guessed, int64_t accepted);

 private:
  std::vector<int64_t> text_;
  int64_t next_ = 0;    // the token of the text that is expected next; -1: unknown
  int64_t proven_ = 0;  // the last guess, if it was right
};

}  // namespace palimpsest::engine
