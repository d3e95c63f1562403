#include "palimpsest/engine/internal/matrix.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>

#include "palimpsest/base/error.h"
#include "tests/engine/matrices.h"
#include "tests/support/expect_error.h"

namespace palimpsest::engine {
namespace {

// 0, 1, 2, … row by row.
Matrix counting(int64_t rows, int64_t columns) {
  Matrix matrix = host_matrix(rows, columns);
  std::iota(matrix.data(), matrix.data() + matrix.size(), 0.0F);
  return matrix;
}

TEST(MatrixTest, NoMatrix) {
  const Matrix none;
  EXPECT_FALSE(none.defined());
  EXPECT_EQ(none.rows(), 0);
  EXPECT_EQ(none.columns(), 0);
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(data_or_null(none), nullptr);
  EXPECT_THROW(none.data(), BugError);
  EXPECT_THROW(none.bytes(), BugError);
}

TEST(MatrixTest, RowsOneAfterTheOther) {
  const Matrix matrix = counting(3, 5);
  EXPECT_TRUE(matrix.defined());
  EXPECT_EQ(matrix.rows(), 3);
  EXPECT_EQ(matrix.columns(), 5);
  EXPECT_EQ(matrix.stride(), 5);
  EXPECT_EQ(matrix.size(), 15);
  EXPECT_EQ(matrix.dtype(), kernels::DType::kFloat32);
  EXPECT_EQ(matrix.offset(), 0);
  EXPECT_TRUE(matrix.is_contiguous());
  EXPECT_EQ(matrix.row(2)[4], 14);
  EXPECT_EQ(data_or_null(matrix), matrix.data());
  EXPECT_EQ(matrix.bytes(), reinterpret_cast<std::byte*>(matrix.data()));
}

TEST(MatrixTest, MemoryStartsOnACacheLine) {
  for (const int64_t columns : {0, 1, 3, 16, 1000, 3'000'000}) {
    const Matrix matrix = host_matrix(1, columns);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(matrix.data()) % 64, 0u) << columns;
  }
}

TEST(MatrixTest, CopiesShareTheNumbers) {
  Matrix first = counting(2, 2);
  // The copy is what is tested. NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const Matrix second = first;
  first.row(1)[0] = 77;
  EXPECT_EQ(second.row(1)[0], 77);
  EXPECT_EQ(second.storage(), first.storage());
  EXPECT_EQ(first.storage().use_count(), 2);
}

// The memory lives as long as anything refers to it.
TEST(MatrixTest, ASliceKeepsTheMemory) {
  Matrix slice;
  {
    const Matrix whole = counting(4, 3);
    slice = whole.slice(1, 2);
  }
  EXPECT_TRUE(equal(slice, matrix_of(2, 3, std::vector<float>{3, 4, 5, 6, 7, 8})));
  EXPECT_EQ(slice.storage().use_count(), 1);
}

TEST(MatrixTest, SlicesOfRows) {
  const Matrix matrix = counting(4, 3);
  const Matrix middle = matrix.slice(1, 2);
  EXPECT_EQ(middle.rows(), 2);
  EXPECT_EQ(middle.columns(), 3);
  EXPECT_EQ(middle.stride(), 3);
  EXPECT_EQ(middle.offset(), 3);
  EXPECT_TRUE(middle.is_contiguous());
  EXPECT_EQ(middle.data(), matrix.row(1));
  middle.row(0)[0] = -1;
  EXPECT_EQ(matrix.row(1)[0], -1);
  EXPECT_EQ(middle.slice(1, 1).row(0)[2], 8);  // a slice of a slice
  EXPECT_EQ(middle.slice(1, 1).offset(), 6);
  EXPECT_EQ(matrix.slice(4, 0).rows(), 0);
}

TEST(MatrixTest, SlicesOfColumns) {
  const Matrix matrix = counting(3, 5);
  const Matrix middle = matrix.slice_columns(1, 2);
  EXPECT_EQ(middle.rows(), 3);
  EXPECT_EQ(middle.columns(), 2);
  EXPECT_EQ(middle.stride(), 5);
  EXPECT_EQ(middle.offset(), 1);
  EXPECT_EQ(middle.size(), 6);
  EXPECT_FALSE(middle.is_contiguous());
  EXPECT_TRUE(equal(middle, matrix_of(3, 2, std::vector<float>{1, 2, 6, 7, 11, 12})));
  const Matrix corner = middle.slice(1, 2).slice_columns(1, 1);
  EXPECT_TRUE(equal(corner, matrix_of(2, 1, std::vector<float>{7, 12})));
  EXPECT_EQ(corner.offset(), 7);
  EXPECT_TRUE(middle.slice(2, 1).is_contiguous());  // a single row has no gaps
  EXPECT_EQ(matrix.slice_columns(5, 0).columns(), 0);
}

TEST(MatrixTest, RefusesSlicesBeyondIt) {
  const Matrix matrix = counting(3, 5);
  EXPECT_THROW(matrix.slice(-1, 1), BugError);
  EXPECT_THROW(matrix.slice(0, -1), BugError);
  EXPECT_THROW(matrix.slice(2, 2), BugError);
  EXPECT_THROW(matrix.slice(4, 0), BugError);
  EXPECT_THROW(matrix.slice_columns(-1, 1), BugError);
  EXPECT_THROW(matrix.slice_columns(0, -1), BugError);
  EXPECT_THROW(matrix.slice_columns(3, 3), BugError);
  EXPECT_THROW(matrix.slice(0, 2).slice(0, 3), BugError);
}

TEST(MatrixTest, AnotherShape) {
  const Matrix matrix = counting(3, 4);
  const Matrix wide = matrix.reshaped(2, 6);
  EXPECT_EQ(wide.stride(), 6);
  EXPECT_EQ(wide.row(1)[0], 6);
  EXPECT_EQ(wide.storage(), matrix.storage());
  const Matrix fewer = matrix.reshaped(2, 2);  // the first numbers
  EXPECT_TRUE(equal(fewer, matrix_of(2, 2, std::vector<float>{0, 1, 2, 3})));
  EXPECT_EQ(matrix.slice(1, 2).reshaped(1, 8).row(0)[0], 4);
  EXPECT_EQ(matrix.slice_columns(2, 2).slice(1, 1).reshaped(2, 1).row(1)[0], 7);
}

TEST(MatrixTest, RefusesAShapeThatDoesNotFit) {
  const Matrix matrix = counting(3, 4);
  EXPECT_THROW(matrix.reshaped(13, 1), BugError);
  EXPECT_THROW(matrix.slice(1, 2).reshaped(3, 4), BugError);
  EXPECT_THROW(matrix.slice_columns(0, 2).reshaped(2, 3), BugError);  // there are gaps
}

TEST(MatrixTest, RoomBetweenTheRows) {
  const Matrix matrix = host_matrix({.rows = 3, .columns = 2, .stride = 7});
  EXPECT_FALSE(matrix.is_contiguous());
  EXPECT_EQ(matrix.size(), 6);
  EXPECT_EQ(matrix.row(2), matrix.data() + 14);
  for (int64_t i = 0; i < 21; ++i) matrix.data()[i] = static_cast<float>(i);
  const Matrix copy = host_copy(matrix);
  EXPECT_TRUE(copy.is_contiguous());
  EXPECT_NE(copy.storage(), matrix.storage());
  EXPECT_TRUE(equal(copy, matrix));
  EXPECT_EQ(copy.data()[2], 7);
}

TEST(MatrixTest, NumbersOf16Bits) {
  const Matrix matrix =
      host_matrix({.rows = 3, .columns = 4, .stride = 6, .dtype = kernels::DType::kBFloat16});
  EXPECT_EQ(matrix.dtype(), kernels::DType::kBFloat16);
  EXPECT_THROW(matrix.data(), BugError);  // they are no floats
  EXPECT_EQ(matrix.slice(2, 1).bytes(), matrix.bytes() + int64_t{2} * 6 * 2);
  EXPECT_EQ(matrix.slice_columns(3, 1).bytes(), matrix.bytes() + int64_t{3} * 2);
  EXPECT_EQ(matrix.slice(1, 2).slice_columns(1, 2).offset(), 7);
}

// As a device's matrices are: nothing here may look at them.
TEST(MatrixTest, MemoryThatCannotBeReadFromHere) {
  const Matrix matrix(std::make_shared<Storage>(), 10, {.rows = 3, .columns = 4, .stride = 4},
                      nullptr);
  EXPECT_TRUE(matrix.defined());
  EXPECT_THROW(matrix.data(), BugError);
  EXPECT_THROW(matrix.bytes(), BugError);
  const Matrix part = matrix.slice(1, 2).slice_columns(2, 1);
  EXPECT_EQ(part.offset(), 16);
  EXPECT_THROW(part.bytes(), BugError);
}

TEST(MatrixTest, Zeros) {
  EXPECT_TRUE(equal(host_zeros(3, 7), filled(3, 7, 0)));
  EXPECT_EQ(host_zeros(0, 5).size(), 0);
}

TEST(MatrixTest, SizesThatDoNotFit) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max() / 2;
  EXPECT_THROW(host_matrix(kHuge, 3), Error);
  EXPECT_THROW(host_matrix(kHuge, 1), Error);
}

}  // namespace
}  // namespace palimpsest::engine
