#include "palimpsest/torch/head.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace palimpsest::torch {
namespace {

// A tile of 4 MB: large enough for the matrix library's full rate, small enough that it is still in
// a cache when it is reduced.
constexpr int64_t kTileNumbers = 1 << 20;
constexpr int64_t kTileRows = 1024;

}  // namespace

void Head::for_each_tile(
    const at::Tensor& normed,
    const std::function<void(int64_t, const at::Tensor&, at::Tensor&)>& visit) {
  const int64_t vocabulary = decoder_.architecture().vocab_size;
  const int64_t rows = normed.size(0);
  const int64_t columns = std::clamp<int64_t>(kTileNumbers / std::max<int64_t>(rows, 1), 256, 8192);
  if (!tile_.defined() || tile_.numel() < rows * columns) {
    tile_ = at::empty({rows * columns}, normed.options());
  }
  for (int64_t first = 0; first < vocabulary; first += columns) {
    const int64_t n = std::min(columns, vocabulary - first);
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
  for (int64_t begin = 0; begin < count; begin += kTileRows) {
    const int64_t rows = std::min(kTileRows, count - begin);
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
