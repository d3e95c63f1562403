#include "palimpsest/engine/internal/matrix.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/checked.h"

namespace palimpsest::engine {
namespace {

constexpr int64_t kCacheLine = 64;

class HostStorage : public Storage {
 public:
  explicit HostStorage(int64_t bytes)
      : memory_(static_cast<std::byte*>(std::aligned_alloc(
            kCacheLine,
            static_cast<size_t>(checked_add(std::max<int64_t>(bytes, 1), kCacheLine - 1) /
                                kCacheLine * kCacheLine)))) {
    if (memory_ == nullptr) throw std::bad_alloc();
    prefer_large_pages(bytes);
  }
  ~HostStorage() override { std::free(memory_); }
  HostStorage(const HostStorage&) = delete;
  HostStorage& operator=(const HostStorage&) = delete;

  std::byte* memory() const { return memory_; }

 private:
  // Filling small pages for the first time takes longer than reading weights from a file.
  void prefer_large_pages(int64_t bytes) {
    constexpr int64_t kLargePage = int64_t{2} << 20U;
    const auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory_) % kLargePage);
    const int64_t begin = (kLargePage - address) % kLargePage;
    const int64_t large = (bytes - begin) / kLargePage * kLargePage;
    if (large > 0) ::madvise(memory_ + begin, static_cast<size_t>(large), MADV_HUGEPAGE);
  }

  std::byte* memory_;
};

}  // namespace

Matrix::Matrix(std::shared_ptr<Storage> storage, int64_t offset, const Layout& layout,
               std::byte* host)
    : storage_(std::move(storage)), host_(host), offset_(offset), layout_(layout) {}

float* Matrix::data() const {
  PALIMPSEST_CHECK(host_ != nullptr && layout_.dtype == kernels::DType::kFloat32);
  return reinterpret_cast<float*>(host_);
}

std::byte* Matrix::bytes() const {
  PALIMPSEST_CHECK(host_ != nullptr);
  return host_;
}

Matrix Matrix::slice(int64_t begin, int64_t count) const {
  PALIMPSEST_CHECK(begin >= 0 && count >= 0 && begin + count <= layout_.rows);
  Matrix part = *this;
  part.layout_.rows = count;
  part.offset_ += begin * layout_.stride;
  if (host_ != nullptr) part.host_ += begin * layout_.stride * kernels::byte_size(layout_.dtype);
  return part;
}

Matrix Matrix::slice_columns(int64_t begin, int64_t count) const {
  PALIMPSEST_CHECK(begin >= 0 && count >= 0 && begin + count <= layout_.columns);
  Matrix part = *this;
  part.layout_.columns = count;
  part.offset_ += begin;
  if (host_ != nullptr) part.host_ += begin * kernels::byte_size(layout_.dtype);
  return part;
}

Matrix Matrix::reshaped(int64_t rows, int64_t columns) const {
  PALIMPSEST_CHECK(is_contiguous() && rows * columns <= size());
  Matrix other = *this;
  other.layout_.rows = rows;
  other.layout_.columns = columns;
  other.layout_.stride = columns;
  return other;
}

Matrix host_matrix(const Matrix::Layout& layout) {
  const int64_t bytes =
      checked_mul(checked_mul(layout.rows, layout.stride), kernels::byte_size(layout.dtype));
  auto storage = std::make_shared<HostStorage>(bytes);
  std::byte* memory = storage->memory();
  return {std::move(storage), 0, layout, memory};
}

Matrix host_matrix(int64_t rows, int64_t columns) {
  return host_matrix({.rows = rows, .columns = columns, .stride = columns});
}

Matrix host_zeros(int64_t rows, int64_t columns) {
  Matrix zeros = host_matrix(rows, columns);
  std::memset(zeros.bytes(), 0, sizeof(float) * static_cast<size_t>(zeros.size()));
  return zeros;
}

Matrix host_copy(const Matrix& matrix) {
  Matrix copy = host_matrix(matrix.rows(), matrix.columns());
  for (int64_t row = 0; row < matrix.rows(); ++row) {
    std::copy_n(matrix.row(row), matrix.columns(), copy.row(row));
  }
  return copy;
}

}  // namespace palimpsest::engine
