// Ridge regression in the dual, for data with more columns than rows. With the Gram matrix K = X·Xᵀ of
// the rows (sparse_rows.h) the weights w that minimise ‖y - X·w‖² + λ‖w‖² and the values they give are
//
//   w = Xᵀα,  α = (K + λI)^-1 y        values of other rows: S·y,  S = K_other,fitted (K + λI)^-1
//
// S does not depend on y: refitting with other targets is a product of a matrix and a vector. There is
// no intercept: give the rows a constant column. No rows give an empty matrix. All in double by a
// Cholesky factorisation, about n³/6 products for n rows and n² for each row to be valued.
#pragma once

#include <span>
#include <vector>

#include "palimpsest/stat/internal/dense_matrix.h"

namespace palimpsest::stat {

// The factor of a symmetric positive definite matrix A = UᵀU; only the upper triangle of A is read.
class Cholesky {
 public:
  // Throws Error if the matrix is not square or not positive definite.
  explicit Cholesky(DenseMatrix matrix);

  // Replaces B: [n, any] by A^-1·B. Columns do not influence each other: equal ones stay equal to the
  // bit. Throws Error if B has another number of rows.
  void solve(DenseMatrix& b) const;

 private:
  DenseMatrix factor_;  // U; what lies below the diagonal is not used
};

// Sᵀ: [fitted, scored]; column j gives the value of row scored[j] as a combination of the targets of
// the rows `fitted`. Throws Error unless the Gram matrix is square, λ > 0 and the rows exist.
DenseMatrix ridge_smoother(const DenseMatrix& gram, std::span<const size_t> fitted,
                           std::span<const size_t> scored, double penalty);

// α: [rows], of a fit to all rows. Throws Error likewise, and if there is not one target per row.
std::vector<double> ridge_coefficients(const DenseMatrix& gram, std::span<const double> targets,
                                       double penalty);

}  // namespace palimpsest::stat
