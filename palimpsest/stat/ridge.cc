#include "palimpsest/stat/internal/ridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {
namespace {

// target -= Σ_k factors[k·stride]·rows[k], over `terms` rows that lie `row_step` apart. Four rows
// at a time, so that the target is loaded and stored a quarter as often.
void subtract_rows(double* __restrict target, size_t count, const double* __restrict rows,
                   size_t row_step, const double* factors, size_t stride, size_t terms) {
  size_t k = 0;
  for (; k + 4 <= terms; k += 4) {
    const double f0 = factors[k * stride];
    const double f1 = factors[(k + 1) * stride];
    const double f2 = factors[(k + 2) * stride];
    const double f3 = factors[(k + 3) * stride];
    const double* r0 = rows + k * row_step;
    const double* r1 = r0 + row_step;
    const double* r2 = r1 + row_step;
    const double* r3 = r2 + row_step;
    for (size_t j = 0; j < count; ++j) {
      target[j] -= (f0 * r0[j] + f1 * r1[j]) + (f2 * r2[j] + f3 * r3[j]);
    }
  }
  for (; k < terms; ++k) {
    const double f = factors[k * stride];
    const double* r = rows + k * row_step;
    for (size_t j = 0; j < count; ++j) target[j] -= f * r[j];
  }
}

void require_square(const DenseMatrix& matrix) {
  if (matrix.rows != matrix.columns) {
    throw Error(fmt::format("the matrix is not square but {} x {}", matrix.rows, matrix.columns));
  }
}

void require_penalty(double penalty) {
  if (penalty > 0 && std::isfinite(penalty)) return;
  throw Error({.what = fmt::format("the penalty {} is out of range", penalty),
               .expected = "a number greater than 0"});
}

}  // namespace

Cholesky::Cholesky(DenseMatrix matrix) : factor_(std::move(matrix)) {
  require_square(factor_);
  const size_t n = factor_.rows;
  for (size_t i = 0; i < n; ++i) {
    // Row i of U from the rows above it: UᵀU = A, solved for the columns from i on.
    double* row = factor_.row(i) + i;
    subtract_rows(row, n - i, factor_.values.data() + i, n, factor_.values.data() + i, n, i);
    if (!(row[0] > 0 && std::isfinite(row[0]))) throw Error("the matrix is not positive definite");
    const double scale = 1 / std::sqrt(row[0]);
    for (size_t j = 0; j < n - i; ++j) row[j] *= scale;
  }
}

void Cholesky::solve(DenseMatrix& b) const {
  const size_t n = factor_.rows;
  if (b.rows != n) throw Error(fmt::format("there are {} rows, but {} are needed", b.rows, n));
  for (size_t i = 0; i < n; ++i) {  // Uᵀ·X = B
    subtract_rows(b.row(i), b.columns, b.values.data(), b.columns, factor_.values.data() + i, n, i);
    for (size_t j = 0; j < b.columns; ++j) b.at(i, j) /= factor_.at(i, i);
  }
  for (size_t i = n; i-- > 0;) {  // U·X = B
    const size_t after = n - i - 1;
    if (after > 0) {
      subtract_rows(b.row(i), b.columns, b.row(i + 1), b.columns, factor_.row(i) + i + 1, 1, after);
    }
    for (size_t j = 0; j < b.columns; ++j) b.at(i, j) /= factor_.at(i, i);
  }
}

DenseMatrix ridge_smoother(const DenseMatrix& gram, std::span<const size_t> fitted,
                           std::span<const size_t> scored, double penalty) {
  require_square(gram);
  require_penalty(penalty);
  for (const auto rows : {fitted, scored}) {
    for (size_t row : rows) {
      if (row >= gram.rows) throw Error(fmt::format("there is no row {}", row));
    }
  }
  DenseMatrix system(fitted.size(), fitted.size());
  DenseMatrix products(fitted.size(), scored.size());
  for (size_t i = 0; i < fitted.size(); ++i) {
    const double* row = gram.row(fitted[i]);
    for (size_t j = 0; j < fitted.size(); ++j) system.at(i, j) = row[fitted[j]];
    for (size_t j = 0; j < scored.size(); ++j) products.at(i, j) = row[scored[j]];
    system.at(i, i) += penalty;
  }
  Cholesky(std::move(system)).solve(products);
  return products;
}

std::vector<double> ridge_coefficients(const DenseMatrix& gram, std::span<const double> targets,
                                       double penalty) {
  require_square(gram);
  require_penalty(penalty);
  DenseMatrix system = gram;
  for (size_t i = 0; i < system.rows; ++i) system.at(i, i) += penalty;
  DenseMatrix solution(targets.size(), 1);
  std::copy(targets.begin(), targets.end(), solution.values.begin());
  Cholesky(std::move(system)).solve(solution);
  return solution.values;
}

}  // namespace palimpsest::stat
