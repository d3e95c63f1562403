// A matrix as the engine passes it around: a shape and a piece of memory that it shares with its
// copies and with views of its rows. Where the memory is, is the business of whoever made it
// (Ops): host memory, whose numbers everybody may read, or a device's, which only its own Ops
// understands. No arithmetic happens here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "palimpsest/kernels/dtype.h"

namespace palimpsest::engine {

// The memory behind matrices. Freed with the last of them.
class Storage {
 public:
  virtual ~Storage() = default;
};

// Copies are cheap and share the numbers. Threads may share one as they may share an array.
class Matrix {
 public:
  Matrix() = default;  // no matrix: a weight that a model lacks
  // `storage` holds a matrix of this shape from number `offset` on; `host` is the address of its
  // first number, or null if the memory cannot be read from here.
  struct Layout {
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t stride = 0;  // numbers from row to row, at least `columns`
    DType dtype = DType::kFloat32;
  };
  Matrix(std::shared_ptr<Storage> storage, int64_t offset, const Layout& layout, std::byte* host);

  bool defined() const { return storage_ != nullptr; }
  int64_t rows() const { return layout_.rows; }
  int64_t columns() const { return layout_.columns; }
  int64_t stride() const { return layout_.stride; }
  int64_t size() const { return layout_.rows * layout_.columns; }
  DType dtype() const { return layout_.dtype; }
  bool is_contiguous() const { return layout_.stride == layout_.columns || layout_.rows <= 1; }

  // The numbers of a float32 matrix in host memory.
  float* data() const;
  float* row(int64_t index) const { return data() + index * layout_.stride; }
  // The same for any type.
  std::byte* bytes() const;

  const std::shared_ptr<Storage>& storage() const { return storage_; }
  int64_t offset() const { return offset_; }

  // Rows [begin, begin + count).
  Matrix slice(int64_t begin, int64_t count) const;
  // Columns [begin, begin + count) of all rows.
  Matrix slice_columns(int64_t begin, int64_t count) const;
  // The first rows · columns numbers of a contiguous matrix in another shape.
  Matrix reshaped(int64_t rows, int64_t columns) const;

 private:
  std::shared_ptr<Storage> storage_;
  std::byte* host_ = nullptr;
  int64_t offset_ = 0;
  Layout layout_;
};

// The address, or null if there is no matrix.
inline const float* data_or_null(const Matrix& matrix) {
  return matrix.defined() ? matrix.data() : nullptr;
}

// New host memory, not written to, that starts on a cache line; in large pages where the system
// has them and the matrix is large.
Matrix host_matrix(int64_t rows, int64_t columns);
Matrix host_matrix(const Matrix::Layout& layout);
Matrix host_zeros(int64_t rows, int64_t columns);

// A contiguous copy in new host memory; the matrix is in host memory, float32.
Matrix host_copy(const Matrix& matrix);

}  // namespace palimpsest::engine
