// From hidden states to what the vocabulary says about them. Logits exist a tile at a time, for the
// rows that are asked for only.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "palimpsest/torch/decoder.h"
#include "palimpsest/torch/kernels/vocabulary.h"

namespace palimpsest::torch {

class Head {
 public:
  explicit Head(Decoder& decoder) : decoder_(decoder) {}

  // One state a row of `normed` [n, D] (after the final norm); labels[i] is row i's label.
  std::vector<kernels::VocabularyState> reduce(const at::Tensor& normed,
                                               std::span<const int64_t> labels);

  // The logits of a few rows, [n, V] in float32 on the CPU: for generation, where all of them are
  // looked at.
  at::Tensor logits(const at::Tensor& normed);

  // Calls visit(first class, weights [n, D], tile [rows, n] of finished logits) for each block of
  // classes; the rows all at once. The tile may be changed.
  void for_each_tile(const at::Tensor& normed,
                     const std::function<void(int64_t, const at::Tensor&, at::Tensor&)>& visit);

 private:
  Decoder& decoder_;
  at::Tensor tile_;
};

}  // namespace palimpsest::torch
