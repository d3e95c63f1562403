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
  for_each_piece(std::ssize(labels), [&](int64_t begin, int64_t rows) {
    const auto part = [&](auto all) {
      return all.subspan(static_cast<size_t>(begin), static_cast<size_t>(rows));
    };
    for_each_tile(normed.slice(begin, rows), [&](int64_t first, const Matrix&, const Matrix& tile) {
      decoder_.ops().reduce(first, tile, part(labels), part(std::span(states)));
    });
  });
  return states;
}

std::vector<int64_t> Head::ranks(const Matrix& normed, std::span<const int64_t> labels) {
  std::vector<int64_t> ranks(labels.size());
  for_each_piece(std::ssize(labels), [&](int64_t begin, int64_t rows) {
    std::vector<float> bounds(static_cast<size_t>(rows));
    const auto visit = [&](const auto& use) {
      for_each_tile(normed.slice(begin, rows),
                    [&](int64_t first, const Matrix&, const Matrix& tile) {
                      const Matrix here = decoder_.ops().to_host(tile);
                      for (int64_t row = 0; row < rows; ++row) use(first, here, row);
                    });
    };
    visit([&](int64_t first, const Matrix& tile, int64_t row) {
      const int64_t label = labels[static_cast<size_t>(begin + row)] - first;
      if (label >= 0 && label < tile.columns())
        bounds[static_cast<size_t>(row)] = tile.row(row)[label];
    });
    visit([&](int64_t first, const Matrix& tile, int64_t row) {
      const float bound = bounds[static_cast<size_t>(row)];
      const int64_t label = labels[static_cast<size_t>(begin + row)] - first;
      const float* logits = tile.row(row);
      int64_t& rank = ranks[static_cast<size_t>(begin + row)];
      for (int64_t v = 0; v < tile.columns(); ++v) {
        rank += logits[v] > bound || (logits[v] == bound && v < label) ? 1 : 0;
      }
    });
  });
  return ranks;
}

void Head::for_each_piece(int64_t count, const std::function<void(int64_t, int64_t)>& visit) {
  // Pieces of about the same size: none of a single row, which is multiplied in another order.
  const int64_t pieces = (count + kTileRows - 1) / kTileRows;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    const int64_t begin = count * piece / pieces;
    visit(begin, count * (piece + 1) / pieces - begin);
  }
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
