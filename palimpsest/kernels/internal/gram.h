// Norms of weight gradients that are never formed. The gradient of a linear map's weight is
// Σ_t dy_t x_tᵀ; its squared 2-norm is Σ_{t,s} (x_t·x_s)(dy_t·dy_s), which needs two T×T matrices
// instead of one of the weight's size.
#pragma once

#include <cstdint>
#include <vector>

namespace palimpsest::kernels {

struct GramScratch {
  std::vector<float> panels;
  std::vector<float> rows;  // close together: far apart they may meet in the same lines of a cache
};

// gram [rows, round_up_to_panel(rows)] = or += x xᵀ for x [rows, columns] with row stride ldx; only
// entries on and below the diagonal are meant.
void gram_matrix(const float* x, int64_t ldx, int64_t rows, int64_t columns,
                 std::vector<float>& gram, bool accumulate, GramScratch& scratch);

// Σ_{t,s} a(t, s) b(t, s) of two such matrices, both taken as symmetric.
double gram_product(const std::vector<float>& a, const std::vector<float>& b, int64_t rows);

// The p-norms of n numbers, one pass; sums in double.
double sum_of_squares(const float* x, int64_t n);
double absolute_sum(const float* x, int64_t n);
double absolute_max(const float* x, int64_t n);

}  // namespace palimpsest::kernels
