#include "palimpsest/torch/internal/torch_matrix.h"

#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

#include <numeric>

#include "palimpsest/torch/internal/torch_ops.h"

namespace palimpsest::torch {
namespace {

using engine::Matrix;

float element(const at::Tensor& tensor, int64_t row, int64_t column) {
  return tensor[row][column].item<float>();
}

// 0, 1, 2 … in rows of `columns` numbers that lie `stride` apart.
Matrix host_numbers(int64_t rows, int64_t columns, int64_t stride) {
  const Matrix matrix = engine::host_matrix({.rows = rows, .columns = columns, .stride = stride});
  for (int64_t row = 0; row < rows; ++row) {
    std::iota(matrix.row(row), matrix.row(row) + columns, static_cast<float>(row * columns));
  }
  return matrix;
}

TEST(TorchMatrixTest, APartOfAMatrixIsThatPartOfTheTensor) {
  const Matrix matrix = matrix_of(at::arange(12, at::kFloat).view({3, 4}));
  EXPECT_EQ(matrix.rows(), 3);
  EXPECT_EQ(matrix.columns(), 4);
  const at::Tensor part = tensor_of(matrix.slice(1, 2).slice_columns(2, 2));
  EXPECT_EQ(part.sizes(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(element(part, 0, 0), 6);
  EXPECT_EQ(element(part, 1, 1), 11);
  part.mul_(2);
  EXPECT_EQ(element(tensor_of(matrix), 2, 3), 22);
  EXPECT_EQ(element(tensor_of(matrix.reshaped(2, 6)), 1, 0), 12);
  EXPECT_EQ(tensor_of(matrix.slice(3, 0)).size(0), 0);
}

// A tensor that begins in the middle of its memory.
TEST(TorchMatrixTest, AViewOfATensor) {
  const at::Tensor all = at::arange(12, at::kFloat).view({3, 4});
  const Matrix matrix = matrix_of(all.narrow(0, 1, 2).narrow(1, 1, 2));
  EXPECT_EQ(matrix.stride(), 4);
  EXPECT_EQ(element(tensor_of(matrix), 0, 0), 5);
  EXPECT_EQ(element(tensor_of(matrix.slice(1, 1)), 0, 1), 10);
}

TEST(TorchMatrixTest, HostMemoryLivesAsLongAsItsTensor) {
  at::Tensor tensor;
  {
    const Matrix host = host_numbers(2, 3, 5);
    tensor = tensor_of(host);
    EXPECT_EQ(tensor.data_ptr(), static_cast<void*>(host.bytes()));
  }
  EXPECT_EQ(element(tensor, 1, 2), 5);
}

TEST(TorchMatrixTest, PlacingConvertsAndReadingBackWidens) {
  const model::Architecture architecture;
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    const auto ops = make_torch_ops(architecture, type);
    const Matrix placed = ops->to_device(host_numbers(3, 4, 7));
    EXPECT_EQ(scalar_type(placed.dtype()), type);
    const Matrix back = ops->to_host(placed.slice(1, 2).slice_columns(1, 2));
    EXPECT_EQ(back.dtype(), kernels::DType::kFloat32);
    EXPECT_TRUE(back.is_contiguous());
    EXPECT_EQ(back.row(0)[0], 5);
    EXPECT_EQ(back.row(1)[1], 10);
    EXPECT_FALSE(ops->to_device(Matrix()).defined());
    const std::vector<int64_t> rows = {2, 0, 2};
    const Matrix picked = ops->to_host(ops->gather(placed, rows));
    EXPECT_EQ(picked.row(0)[0], 8);
    EXPECT_EQ(picked.row(1)[3], 3);
    EXPECT_EQ(picked.row(2)[1], 9);
  }
}

}  // namespace
}  // namespace palimpsest::torch
