// A small row-major matrix of doubles.
#pragma once

#include <cstddef>
#include <vector>

namespace palimpsest::stat {

struct DenseMatrix {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<double> values;  // [rows, columns]

  DenseMatrix() = default;
  DenseMatrix(size_t row_count, size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count, 0.0) {}

  double* row(size_t r) { return values.data() + r * columns; }
  const double* row(size_t r) const { return values.data() + r * columns; }
  double& at(size_t r, size_t c) { return values[r * columns + c]; }
  double at(size_t r, size_t c) const { return values[r * columns + c]; }
};

}  // namespace palimpsest::stat
