// Products of rows with a matrix, x · B, at the processor's speed, whose results depend on nothing
// but the row and the matrix: not on how many rows there are, nor on where a row stands among them,
// nor on how many threads share the work. Every element is the same sum in the same order: blocks
// of kProductDepth terms from first to last, each block summed by itself.
//
// A matrix library promises no such thing. On some processors OpenBLAS sums the last rows of a
// matrix in another order than the others, and a text scored alone and among others differs in the
// sixth digit.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/torch/kernels/tile.h"

namespace palimpsest::kernels {

constexpr int64_t kProductDepth = 384;  // a panel of so many terms fits into a first-level cache

// Memory that starts on a cache line; its numbers are lost when it grows.
class ScratchFloats {
 public:
  float* at_least(int64_t n);

 private:
  std::vector<float> memory_;
};

// out(r, n) = or += Σ_k x(r, k) b(k, n).
struct ProductTask {
  const float* x = nullptr;
  int64_t x_stride = 0;  // from row to row
  StridedMatrix b;       // one of its strides is 1
  float* out = nullptr;
  int64_t out_stride = 0;
  int64_t rows = 0;
  int64_t depth = 0;
  int64_t columns = 0;
  bool accumulate = false;
};

// One caller at a time. Keeps the memory that it works in.
class Product {
 public:
  explicit Product(WorkerPool& pool);

  void run(const ProductTask& task);

  // As run() for a single row and b with row stride 1, but summed in whichever order reads b
  // fastest: for decoding, where only the largest result counts.
  void run_single(const ProductTask& task);

 private:
  void run_upright(const ProductTask& task);
  void multiply_upright(const ProductTask& task, int64_t row, int64_t column, int worker);
  void pack_columns(const ProductTask& task);
  void run_lying(const ProductTask& task);
  void multiply_lying(const ProductTask& task, int64_t row, int64_t column, int worker);

  WorkerPool& pool_;
  ScratchFloats rows_;               // of x
  ScratchFloats columns_;            // of b
  std::vector<ScratchFloats> work_;  // a thread each
};

}  // namespace palimpsest::kernels
