// Computes norms of weight gradients without forming the gradients. The gradient of a linear map's
// weight is Σ_t dy_t x_tᵀ. Its squared 2-norm is Σ_{t,s} (x_t·x_s)(dy_t·dy_s), which needs two T×T
// matrices instead of one matrix of the weight's size.
#pragma once

#include <cstdint>
#include <vector>

namespace palimpsest::kernels {

struct GramScratch {
  std::vector<float> panels;
  // A compact copy of the rows. If rows were far apart, they could map to the same cache lines.
  std::vector<float> rows;
};

// Computes gram = x xᵀ, or gram += x xᵀ if `accumulate` is set. x is [rows, columns] with row
// stride ldx, and gram is [rows, round_up_to_panel(rows)]. Only the entries on and below the
// diagonal are valid.
void gram_matrix(const float* x, int64_t ldx, int64_t rows, int64_t columns,
                 std::vector<float>& gram, bool accumulate, GramScratch& scratch);

// Σ_{t,s} a(t, s) b(t, s) for two such matrices, both of which are taken as symmetric.
double gram_product(const std::vector<float>& a, const std::vector<float>& b, int64_t rows);

// Norms of n numbers in one pass, with sums in double: Σ x², Σ |x| and max |x|.
double sum_of_squares(const float* x, int64_t n);
double absolute_sum(const float* x, int64_t n);
double absolute_max(const float* x, int64_t n);

}  // namespace palimpsest::kernels
