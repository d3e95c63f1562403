#include "palimpsest/torch/head.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace palimpsest::torch {
namespace {

// A tile of at most 4 MB: large enough for a product's full rate, small enough that it is still in
// a cache when it is reduced. Its width does not depend on the rows, so that sums over the
// vocabulary do not either.
constexpr int64_t kTileColumns = 1024;
constexpr int64_t kTileRows = 1024;

}  // namespace

void Head::for_each_tile(
    const at::Tensor& normed,
    const std::function<void(int64_t, const at::Tensor&, at::Tensor&)>& visit) {
  const int64_t vocabulary = decoder_.architecture().vocab_size;
  const int64_t rows = normed.size(0);
  if (!tile_.defined() || tile_.numel() < rows * kTileColumns) {
    tile_ = at::empty({rows * kTileColumns}, normed.options());
  }
  for (int64_t first = 0; first < vocabulary; first += kTileColumns) {
    const int64_t n = std::min(kTileColumns, vocabulary - first);
    const at::Tensor weights = decoder_.head_rows(first, first + n);
    at::Tensor tile = tile_.narrow(0, 0, rows * n).view({rows, n});
    decoder_.ops().multiply(normed, weights, tile);
    const at::Tensor& bias = decoder_.head_bias();
    decoder_.ops().finish_logits(bias.defined() ? bias.narrow(0, first, n) : bias, tile);
    visit(first, weights, tile);
  }
}

std::vector<kernels::VocabularyState> Head::reduce(const at::Tensor& normed,
                                                   std::span<const int64_t> labels) {
  std::vector<kernels::VocabularyState> states(labels.size());
  const auto count = static_cast<int64_t>(labels.size());
  // Pieces of about the same size: none of a single row, which is multiplied in another order.
  const int64_t pieces = (count + kTileRows - 1) / kTileRows;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    const int64_t begin = count * piece / pieces;
    const int64_t rows = count * (piece + 1) / pieces - begin;
    const auto part = [&](auto all) {
      return all.subspan(static_cast<size_t>(begin), static_cast<size_t>(rows));
    };
    for_each_tile(normed.narrow(0, begin, rows),
                  [&](int64_t first, const at::Tensor&, at::Tensor& tile) {
                    decoder_.ops().reduce(first, tile, part(labels), part(std::span(states)));
                  });
  }
  return states;
}

at::Tensor Head::logits(const at::Tensor& normed) {
  const int64_t vocabulary = decoder_.architecture().vocab_size;
  at::Tensor all = at::empty({normed.size(0), vocabulary}, at::kFloat);
  for_each_tile(normed, [&](int64_t first, const at::Tensor&, at::Tensor& tile) {
    all.narrow(1, first, tile.size(1)).copy_(tile);
  });
  return all;
}

}  // namespace palimpsest::torch
