// The matrix type of the engine: a shape and memory. The memory is shared with copies of the matrix
// and with views of its rows and columns. The Ops that made the matrix decides where the memory is:
// in host memory, which all code may read, or on a device, where only that Ops can use it. There is
// no arithmetic here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "palimpsest/kernels/dtype.h"

namespace palimpsest::engine {

// The memory of one or more matrices. It is freed with the last of them.
class Storage {
 public:
  virtual ~Storage() = default;
};

// Copies are cheap and share the numbers. Threads may share a matrix under the same rules as an
// array.
class Matrix {
 public:
  Matrix() = default;  // no matrix, as for a weight that a model lacks
  struct Layout {
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t stride = 0;  // numbers from one row to the next, at least `columns`
    kernels::DType dtype = kernels::DType::kFloat32;
  };
  // The matrix begins at number `offset` of `storage`. `host` is the address of its first number,
  // or null if the memory is not host memory.
  Matrix(std::shared_ptr<Storage> storage, int64_t offset, const Layout& layout, std::byte* host);

  bool defined() const { return storage_ != nullptr; }
  int64_t rows() const { return layout_.rows; }
  int64_t columns() const { return layout_.columns; }
  int64_t stride() const { return layout_.stride; }
  int64_t size() const { return layout_.rows * layout_.columns; }
  kernels::DType dtype() const { return layout_.dtype; }
  bool is_contiguous() const { return layout_.stride == layout_.columns || layout_.rows <= 1; }

  // The address of a float32 matrix in host memory.
  float* data() const;
  float* row(int64_t index) const { return data() + index * layout_.stride; }
  // The address of a matrix of any type in host memory.
  std::byte* bytes() const;

  const std::shared_ptr<Storage>& storage() const { return storage_; }
  int64_t offset() const { return offset_; }

  // Rows [begin, begin + count).
  Matrix slice(int64_t begin, int64_t count) const;
  // Columns [begin, begin + count) of all rows.
  Matrix slice_columns(int64_t begin, int64_t count) const;
  // Another shape for the numbers of a contiguous matrix. The first `rows` times `columns` of them
  // are used.
  Matrix reshaped(int64_t rows, int64_t columns) const;

 private:
  std::shared_ptr<Storage> storage_;
  std::byte* host_ = nullptr;
  int64_t offset_ = 0;
  Layout layout_;
};

// The address of the numbers, or null if there is no matrix.
inline const float* data_or_null(const Matrix& matrix) {
  return matrix.defined() ? matrix.data() : nullptr;
}

// Allocates a matrix in host memory that starts on a cache line. Large matrices use large pages if
// the system has them. host_matrix() leaves the numbers uninitialised; host_zeros() sets them to 0.
Matrix host_matrix(int64_t rows, int64_t columns);
Matrix host_matrix(const Matrix::Layout& layout);
Matrix host_zeros(int64_t rows, int64_t columns);

// A contiguous copy in new host memory. `matrix` must be float32 and in host memory.
Matrix host_copy(const Matrix& matrix);

}  // namespace palimpsest::engine
