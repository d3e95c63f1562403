// Products of rows with a matrix, x · B, at the processor's speed, whose results depend on nothing
// but the row and the matrix: not on how many rows there are, nor on where a row stands among them,
// nor on how many threads share the work. Every element is the same sum in the same order: blocks
// of kMatmulDepth terms from first to last, each block summed by itself.
//
// A matrix library promises no such thing. On some processors OpenBLAS sums the last rows of a
// matrix in another order than the others, and a text scored alone and among others differs in the
// sixth digit.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/kernels/dtype.h"
#include "palimpsest/kernels/internal/tile.h"

namespace palimpsest::kernels {

constexpr int64_t kMatmulDepth = 384;  // a panel of so many terms fits into a first-level cache

// Memory that starts on a cache line; its numbers are lost when it grows.
class ScratchFloats {
 public:
  float* at_least(int64_t n);

 private:
  std::vector<float> memory_;
};

// b(k, n) is number k · row + n · column. One of the strides is 1. Numbers of 16 bits are widened
// a tile at a time, which changes no result.
struct MatmulMatrix {
  const void* data = nullptr;
  int64_t row = 0;
  int64_t column = 1;
  DType dtype = DType::kFloat32;
};

// out(r, n) = or += Σ_k x(r, k) b(k, n).
struct MatmulTask {
  StridedMatrix x;  // column stride 1, or row stride 1 (only if b's column stride is 1)
  MatmulMatrix b;
  float* out = nullptr;
  int64_t out_stride = 0;
  int64_t rows = 0;
  int64_t depth = 0;
  int64_t columns = 0;
  bool accumulate = false;
};

// One caller at a time. Keeps the memory that it works in.
class Matmul {
 public:
  explicit Matmul(WorkerPool& pool);

  void run(const MatmulTask& task);

  // As run() for a single row and b with row stride 1, but summed in whichever order reads b
  // fastest: for decoding, where only the largest result counts.
  void run_single(const MatmulTask& task);

 private:
  void run_column_major(const MatmulTask& task);
  void multiply_column_major(const MatmulTask& task, int64_t row, int64_t column, int worker);
  void pack_columns(const MatmulTask& task);
  void pack_rows_of_x(const MatmulTask& task);
  void run_row_major(const MatmulTask& task);
  void multiply_row_major(const MatmulTask& task, int64_t row, int64_t column, int worker);

  WorkerPool& pool_;
  ScratchFloats rows_;               // of x
  ScratchFloats columns_;            // of b
  std::vector<ScratchFloats> work_;  // one per thread
};

}  // namespace palimpsest::kernels
