// Small matrices for tests: made, put together, compared.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "palimpsest/engine/internal/matrix.h"

namespace palimpsest::engine {

inline Matrix filled(int64_t rows, int64_t columns, float number) {
  Matrix matrix = host_matrix(rows, columns);
  std::fill_n(matrix.data(), matrix.size(), number);
  return matrix;
}

inline Matrix matrix_of(int64_t rows, int64_t columns, std::span<const float> numbers) {
  Matrix matrix = host_matrix(rows, columns);
  EXPECT_EQ(matrix.size(), static_cast<int64_t>(numbers.size()));
  std::ranges::copy(numbers, matrix.data());
  return matrix;
}

inline Matrix transposed(const Matrix& matrix) {
  Matrix turned = host_matrix(matrix.columns(), matrix.rows());
  for (int64_t r = 0; r < matrix.rows(); ++r) {
    for (int64_t c = 0; c < matrix.columns(); ++c) turned.row(c)[r] = matrix.row(r)[c];
  }
  return turned;
}

// One below the other.
inline Matrix stacked(const std::vector<Matrix>& parts) {
  int64_t rows = 0;
  for (const Matrix& part : parts) rows += part.rows();
  Matrix all = host_matrix(rows, parts.front().columns());
  int64_t row = 0;
  for (const Matrix& part : parts) {
    for (int64_t r = 0; r < part.rows(); ++r) {
      std::copy_n(part.row(r), part.columns(), all.row(row++));
    }
  }
  return all;
}

// Side by side, one row each.
inline Matrix joined(const std::vector<Matrix>& parts) {
  std::vector<float> numbers;
  for (const Matrix& part : parts) {
    EXPECT_EQ(part.rows(), 1);
    numbers.insert(numbers.end(), part.data(), part.data() + part.columns());
  }
  return matrix_of(1, static_cast<int64_t>(numbers.size()), numbers);
}

// Shape and numbers, to the last bit; strides may differ.
inline bool equal(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns()) return false;
  for (int64_t r = 0; r < a.rows(); ++r) {
    const size_t bytes = sizeof(float) * static_cast<size_t>(a.columns());
    if (std::memcmp(a.row(r), b.row(r), bytes) != 0) return false;
  }
  return true;
}

// |a - b| <= error · (1 + |b|), number by number.
inline bool close(const Matrix& a, const Matrix& b, double error) {
  if (a.rows() != b.rows() || a.columns() != b.columns()) return false;
  for (int64_t r = 0; r < a.rows(); ++r) {
    for (int64_t c = 0; c < a.columns(); ++c) {
      const double expected = b.row(r)[c];
      if (!(std::fabs(a.row(r)[c] - expected) <= error * (1 + std::fabs(expected)))) return false;
    }
  }
  return true;
}

}  // namespace palimpsest::engine
