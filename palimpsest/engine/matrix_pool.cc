#include "palimpsest/engine/internal/matrix_pool.h"

#include "palimpsest/base/internal/checked.h"

namespace palimpsest::engine {

Matrix MatrixPool::make(int64_t rows, int64_t columns) {
  const int64_t wanted = checked_mul(rows, columns);
  const Matrix* best = nullptr;
  for (const Matrix& matrix : made_) {
    const bool is_free = matrix.storage().use_count() == 1;
    const bool fits = matrix.size() >= wanted && matrix.size() / 2 <= wanted;
    if (!is_free || !fits) continue;
    if (best == nullptr || matrix.size() < best->size()) best = &matrix;
  }
  if (best == nullptr) best = &made_.emplace_back(host_matrix(1, wanted));
  return best->reshaped(rows, columns);
}

}  // namespace palimpsest::engine
