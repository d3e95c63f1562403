// Rows with few non-zero entries among many columns, such as the n-grams of texts, and their Gram
// matrix: the products of every row with every other. If there are more columns than rows, a linear
// method needs nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/stat/internal/dense_matrix.h"

namespace palimpsest::stat {

struct SparseEntry {
  uint32_t column = 0;
  float value = 0;
};

// Rows stored one after the other. Row r has the entries entries[starts[r]] … entries[starts[r + 1]
// - 1], in ascending order of their columns.
struct SparseRows {
  std::vector<SparseEntry> entries;
  std::vector<size_t> starts = {0};
  uint32_t columns = 0;

  size_t size() const { return starts.size() - 1; }
  std::span<const SparseEntry> row(size_t r) const {
    return std::span(entries).subspan(starts[r], starts[r + 1] - starts[r]);
  }
};

// X·Xᵀ [rows, rows], in double. Every product is summed in the order of the columns. So the matrix
// is symmetric and equal rows have equal products, both to the bit, for any number of threads (0:
// one per core). The time grows with the number of columns that pairs of rows share. Throws Error
// if a column is not below `columns`, if the columns of a row do not ascend, or if a value is not
// finite.
DenseMatrix gram_matrix(const SparseRows& data, int threads);

}  // namespace palimpsest::stat
