#include "palimpsest/torch/head.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "palimpsest/torch/cpu_attention.h"

namespace palimpsest::torch {
namespace {

// A tile of 4 MB: large enough for the matrix library's full rate, small enough that it is still in
// a cache when it is reduced.
constexpr int64_t kTileNumbers = 1 << 20;
constexpr int64_t kTileColumns = 1024;
constexpr int64_t kGrain = 8;

}  // namespace

void Head::for_each_tile(
    const at::Tensor& normed,
    const std::function<void(int64_t, const at::Tensor&, at::Tensor&)>& visit) {
  const Architecture& a = decoder_.architecture();
  const int64_t rows = normed.size(0);
  const int64_t columns = std::clamp<int64_t>(kTileNumbers / std::max<int64_t>(rows, 1), 256, 8192);
  const float cap = static_cast<float>(a.logit_softcap.value_or(0));
  const float* bias = data_or_null(decoder_.head_bias());
  if (!tile_.defined() || tile_.numel() < rows * columns) {
    tile_ = at::empty({rows * columns}, normed.options());
  }
  for (int64_t first = 0; first < a.vocab_size; first += columns) {
    const int64_t n = std::min(columns, a.vocab_size - first);
    const at::Tensor weights = decoder_.head_rows(first, first + n);
    at::Tensor tile = tile_.narrow(0, 0, rows * n).view({rows, n});
    decoder_.ops().multiply(normed, weights, tile);
    if (bias != nullptr || cap > 0) {
      pool_.for_ranges(rows, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          kernels::finish_logits(tile.data_ptr<float>() + row * n,
                                 bias == nullptr ? nullptr : bias + first, cap, n);
        }
      });
    }
    visit(first, weights, tile);
  }
}

std::vector<kernels::VocabularyState> Head::reduce(const at::Tensor& normed,
                                                   std::span<const int64_t> labels) {
  std::vector<kernels::VocabularyState> states(labels.size());
  // In pieces, so that a tile has enough columns for the matrix library.
  constexpr int64_t kRows = kTileNumbers / kTileColumns;
  const auto count = static_cast<int64_t>(labels.size());
  for (int64_t piece = 0; piece < count; piece += kRows) {
    const int64_t rows = std::min(kRows, count - piece);
    for_each_tile(
        normed.narrow(0, piece, rows), [&](int64_t first, const at::Tensor&, at::Tensor& tile) {
          const int64_t n = tile.size(1);
          pool_.for_ranges(rows, kGrain, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
              const auto i = static_cast<size_t>(piece + row);
              kernels::take_in(states[i], tile.data_ptr<float>() + row * n, first, n, labels[i]);
            }
          });
        });
  }
  return states;
}

at::Tensor Head::logits(const at::Tensor& normed) {
  const int64_t vocabulary = decoder_.architecture().vocab_size;
  at::Tensor all = at::empty({normed.size(0), vocabulary}, normed.options());
  for_each_tile(normed, [&](int64_t first, const at::Tensor&, at::Tensor& tile) {
    all.narrow(1, first, tile.size(1)).copy_(tile);
  });
  return all;
}

}  // namespace palimpsest::torch
