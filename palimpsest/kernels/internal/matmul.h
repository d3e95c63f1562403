// A fast matmul x · B whose results are reproducible: each row of the result depends only on its
// row of x and on B. It does not depend on the number of rows, on the position of the row among
// them, or on the number of threads. Every element is the same sum in the same order: the terms are
// summed in blocks of kMatmulDepth, and the blocks are added from first to last.
//
// Matrix libraries do not promise this. On some processors OpenBLAS sums the last rows of a matrix
// in another order than the others. A text that is scored alone then differs from the same text in
// a batch in the sixth digit.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/kernels/dtype.h"
#include "palimpsest/kernels/internal/tile.h"

namespace palimpsest::kernels {

constexpr int64_t kMatmulDepth = 384;  // a panel of this depth fits into a first-level cache

// Memory that starts on a cache line. Its contents are lost when it grows.
class ScratchFloats {
 public:
  float* at_least(int64_t n);

 private:
  std::vector<float> memory_;
};

// b(k, n) is the number at index k · row + n · column. One of the strides must be 1. 16-bit numbers
// are widened one tile at a time, which does not change the result.
struct MatmulMatrix {
  const void* data = nullptr;
  int64_t row = 0;
  int64_t column = 1;
  DType dtype = DType::kFloat32;
};

// out(r, n) = Σ_k x(r, k) b(k, n); += if `accumulate` is set.
struct MatmulTask {
  StridedMatrix x;  // column stride 1; or row stride 1, if b's column stride is 1
  MatmulMatrix b;
  float* out = nullptr;
  int64_t out_stride = 0;
  int64_t rows = 0;
  int64_t depth = 0;
  int64_t columns = 0;
  bool accumulate = false;
};

// Must be used by one thread at a time. It keeps its work space between calls.
class Matmul {
 public:
  explicit Matmul(WorkerPool& pool);

  void run(const MatmulTask& task);

  // Like run(), for a single row and a b with row stride 1. The sum is taken in the order that
  // reads b fastest. It is meant for decoding, where only the position of the largest result
  // matters.
  void run_single(const MatmulTask& task);

 private:
  void run_column_major(const MatmulTask& task);
  void multiply_column_major(const MatmulTask& task, int64_t row, int64_t column, int worker);
  void pack_columns(const MatmulTask& task);
  void pack_rows_of_x(const MatmulTask& task);
  void run_row_major(const MatmulTask& task);
  void multiply_row_major(const MatmulTask& task, int64_t row, int64_t column, int worker);

  WorkerPool& pool_;
  ScratchFloats rows_;               // packed rows of x
  ScratchFloats columns_;            // packed columns of b
  std::vector<ScratchFloats> work_;  // work space, one per thread
};

}  // namespace palimpsest::kernels
