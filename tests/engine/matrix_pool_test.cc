#include "palimpsest/engine/internal/matrix_pool.h"

#include <gtest/gtest.h>

namespace palimpsest::engine {
namespace {

TEST(MatrixPoolTest, GivesOutAgainWhatNobodyHolds) {
  MatrixPool pool;
  const float* first = nullptr;
  {
    const Matrix matrix = pool.make(4, 6);
    first = matrix.data();
  }
  const Matrix again = pool.make(3, 5);
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(again.rows(), 3);
  EXPECT_EQ(again.stride(), 5);
  EXPECT_EQ(pool.size(), 1);
}

TEST(MatrixPoolTest, NeverSharesMemoryThatIsHeld) {
  MatrixPool pool;
  Matrix part = pool.make(4, 6).slice(1, 2);
  const Matrix other = pool.make(4, 6);
  EXPECT_NE(other.data(), part.data() - 6);
  part = Matrix();
  const Matrix third = pool.make(4, 6);
  EXPECT_NE(third.data(), other.data());
  EXPECT_EQ(pool.size(), 2);
}

TEST(MatrixPoolTest, DoesNotWasteALargeMatrixOnASmallOne) {
  MatrixPool pool;
  const float* large = pool.make(100, 100).data();
  EXPECT_NE(pool.make(10, 10).data(), large);
  EXPECT_EQ(pool.make(50, 100).data(), large);
  EXPECT_EQ(pool.size(), 2);
}

}  // namespace
}  // namespace palimpsest::engine
