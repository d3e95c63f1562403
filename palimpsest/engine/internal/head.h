// Computes logits from hidden states. Logits exist only for the requested rows and, except in
// logits(), only for one tile of the vocabulary at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/kernels/internal/vocabulary.h"

namespace palimpsest::engine {

class Head {
 public:
  explicit Head(Decoder& decoder) : decoder_(decoder) {}

  // Returns one state per row of `normed` [n, D], the hidden states after the final norm. labels[i]
  // is the label of row i.
  std::vector<kernels::VocabularyState> reduce(const Matrix& normed,
                                               std::span<const int64_t> labels);

  // For each row, the number of logits that are greater than that of its label, and of equal ones
  // before it. The logits are those of reduce().
  std::vector<int64_t> ranks(const Matrix& normed, std::span<const int64_t> labels);

  // All logits of a few rows, [n, V] in host memory. Generation needs all of them.
  Matrix logits(const Matrix& normed);

  // Calls visit(first class, weights [n, D], tile [rows, n]) for each block of n classes. The tile
  // holds the finished logits of all rows and may be changed.
  void for_each_tile(const Matrix& normed,
                     const std::function<void(int64_t, const Matrix&, const Matrix&)>& visit);

 private:
  // Calls visit(first row, rows) for pieces of so many rows as a tile may have.
  static void for_each_piece(int64_t count, const std::function<void(int64_t, int64_t)>& visit);

  Decoder& decoder_;
  Matrix tile_;
};

}  // namespace palimpsest::engine
