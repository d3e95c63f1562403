#include "palimpsest/engine/internal/head.h"

#include <algorithm>

namespace palimpsest::engine {
namespace {

// A tile of at most 4 MB: large enough for a product's full rate, small enough that it is still in
// a cache when it is reduced. Its width does not depend on the rows, so that sums over the
// vocabulary do not either.
constexpr int64_t kTileColumns = 1024;
constexpr int64_t kTileRows = 1024;

}  // namespace

void Head::for_each_tile(const Matrix& normed,
                         const std::function<void(int64_t, const Matrix&, const Matrix&)>& visit) {
  const int64_t vocabulary = decoder_.architecture().vocab_size;
  const int64_t rows = normed.rows();
  if (!tile_.defined() || tile_.size() < rows * kTileColumns) {
    tile_ = decoder_.ops().make(1, rows * kTileColumns);
  }
  for (int64_t first = 0; first < vocabulary; first += kTileColumns) {
    const int64_t n = std::min(kTileColumns, vocabulary - first);
    const Matrix weights = decoder_.head_rows(first, first + n);
    const Matrix tile = tile_.reshaped(rows, n);
    decoder_.ops().multiply(normed, weights, tile);
    const Matrix& bias = decoder_.head_bias();
    decoder_.ops().finish_logits(bias.defined() ? bias.slice_columns(first, n) : bias, tile);
    visit(first, weights, tile);
  }
}

std::vector<kernels::VocabularyState> Head::reduce(const Matrix& normed,
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
    for_each_tile(normed.slice(begin, rows), [&](int64_t first, const Matrix&, const Matrix& tile) {
      decoder_.ops().reduce(first, tile, part(labels), part(std::span(states)));
    });
  }
  return states;
}

Matrix Head::logits(const Matrix& normed) {
  Matrix all = host_matrix(normed.rows(), decoder_.architecture().vocab_size);
  for_each_tile(normed, [&](int64_t first, const Matrix&, const Matrix& tile) {
    const Matrix here = decoder_.ops().to_host(tile);
    for (int64_t row = 0; row < here.rows(); ++row) {
      std::copy_n(here.row(row), here.columns(), all.row(row) + first);
    }
  });
  return all;
}

}  // namespace palimpsest::engine
