// From hidden states to what the vocabulary says about them. Logits exist one tile at a time, for
// the rows that are asked for only.
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

  // One state per row of `normed` [n, D] (after the final norm); labels[i] is row i's label.
  std::vector<kernels::VocabularyState> reduce(const Matrix& normed,
                                               std::span<const int64_t> labels);

  // The logits of a few rows, [n, V] in host memory: for generation, where all of them are
  // looked at.
  Matrix logits(const Matrix& normed);

  // Calls visit(first class, weights [n, D], tile [rows, n] of finished logits) for each block of
  // classes; the rows all at once. The tile may be changed.
  void for_each_tile(const Matrix& normed,
                     const std::function<void(int64_t, const Matrix&, const Matrix&)>& visit);

 private:
  Decoder& decoder_;
  Matrix tile_;
};

}  // namespace palimpsest::engine
