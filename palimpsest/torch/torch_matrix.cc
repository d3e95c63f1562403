#include "palimpsest/torch/internal/torch_matrix.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::torch {
namespace {

class TorchStorage : public engine::Storage {
 public:
  explicit TorchStorage(at::Tensor tensor) : tensor_(std::move(tensor)) {}
  const at::Tensor& tensor() const { return tensor_; }

 private:
  at::Tensor tensor_;  // any that has the memory; where in it a matrix is, is the matrix's to say
};

kernels::DType dtype_of(at::ScalarType type) {
  for (const kernels::DType dtype :
       {kernels::DType::kFloat32, kernels::DType::kFloat16, kernels::DType::kBFloat16}) {
    if (scalar_type(dtype) == type) return dtype;
  }
  PALIMPSEST_CHECK(false);
  return kernels::DType::kFloat32;
}

}  // namespace

at::ScalarType scalar_type(kernels::DType dtype) {
  switch (dtype) {
    case kernels::DType::kFloat32:
      return at::kFloat;
    case kernels::DType::kFloat16:
      return at::kHalf;
    case kernels::DType::kBFloat16:
      return at::kBFloat16;
  }
  return at::kFloat;
}

engine::Matrix matrix_of(const at::Tensor& tensor, bool readable) {
  PALIMPSEST_CHECK(tensor.dim() == 2 && (tensor.stride(1) == 1 || tensor.size(1) <= 1));
  const engine::Matrix::Layout layout{.rows = tensor.size(0),
                                      .columns = tensor.size(1),
                                      .stride = std::max(tensor.stride(0), tensor.size(1)),
                                      .dtype = dtype_of(tensor.scalar_type())};
  auto* numbers = readable ? static_cast<std::byte*>(tensor.data_ptr()) : nullptr;
  return {std::make_shared<TorchStorage>(tensor), tensor.storage_offset(), layout, numbers};
}

at::Tensor tensor_of(const engine::Matrix& matrix) {
  const std::vector<int64_t> shape = {matrix.rows(), matrix.columns()};
  const std::vector<int64_t> strides = {matrix.stride(), 1};
  if (const auto* storage = dynamic_cast<const TorchStorage*>(matrix.storage().get())) {
    return at::as_strided(storage->tensor(), shape, strides, matrix.offset());
  }
  // The tensor keeps the host's memory alive.
  return at::from_blob(
      matrix.bytes(), shape, strides, [owner = matrix.storage()](void*) {},
      at::TensorOptions().dtype(scalar_type(matrix.dtype())));
}

}  // namespace palimpsest::torch
