// Ridge regression in the dual form, for data with more columns than rows. K = X·Xᵀ is the Gram
// matrix of the rows (sparse_rows.h). The weights w that minimise ‖y - X·w‖² + λ‖w‖², and the
// values that they give for other rows, are
//
//   w = Xᵀα,  α = (K + λI)^-1 y        values of other rows: S·y,  S = K_other,fitted (K + λI)^-1
//
// S does not depend on y, so fitting again with other targets is only a product of a matrix and a
// vector. There is no intercept; give the rows a constant column instead. If there are no rows, the
// matrix is empty. All computations are in double, by a Cholesky factorisation. They take about
// n³/6 multiplications for n rows, and n² for each other row.
#pragma once

#include <span>
#include <vector>

#include "palimpsest/stat/internal/dense_matrix.h"

namespace palimpsest::stat {

// The factor of a symmetric positive definite matrix A = UᵀU. Only the upper triangle of A is read.
class Cholesky {
 public:
  // Throws Error if the matrix is not square or not positive definite.
  explicit Cholesky(DenseMatrix matrix);

  // Replaces B [n, any] by A^-1·B. Columns do not influence each other, so equal columns stay equal
  // to the bit. Throws Error if B has another number of rows.
  void solve(DenseMatrix& b) const;

 private:
  DenseMatrix factor_;  // U; the part below the diagonal is not used
};

// Returns Sᵀ [fitted, scored]. Column j gives the value of row scored[j] as a combination of the
// targets of the rows `fitted`. Throws Error unless the Gram matrix is square, λ > 0 and the rows
// exist.
DenseMatrix ridge_smoother(const DenseMatrix& gram, std::span<const size_t> fitted,
                           std::span<const size_t> scored, double penalty);

// Returns α [rows] of a fit to all rows. Throws Error in the same cases, and unless there is one
// target per row.
std::vector<double> ridge_coefficients(const DenseMatrix& gram, std::span<const double> targets,
                                       double penalty);

}  // namespace palimpsest::stat
