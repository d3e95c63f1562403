#include "palimpsest/base/array.h"

#include <gtest/gtest.h>

#include <limits>

#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

TEST(ArrayTest, ANumberIsARankZeroArray) {
  const Array scalar = 2.5;
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(scalar.size(), 1);
  EXPECT_EQ(scalar.scalar(), 2.5);
  EXPECT_EQ(scalar.values()[0], 2.5);
  EXPECT_FALSE(scalar.is_scalar_zero());
  EXPECT_TRUE(Array().is_scalar_zero());
  EXPECT_FALSE(Array::zeros({1}).is_scalar_zero());
}

TEST(ArrayTest, SumsAlongEachAxis) {
  const Array a({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(sum_axis(a, 0), Array::vector({5, 7, 9}));
  EXPECT_EQ(sum_axis(a, 1), Array::vector({6, 15}));
  EXPECT_EQ(sum_axis(a, -1), Array::vector({6, 15}));
  EXPECT_EQ(sum_axis(Array::vector({1, 2}), 0), Array(3));
  EXPECT_EQ(sum_axis(Array::zeros({0, 2}), 0), Array::vector({0, 0}));
}

TEST(ArrayTest, RefusesAnAxisThatIsNotThere) {
  EXPECT_THROW(sum_axis(Array(1), 0), Error);
  EXPECT_THROW(sum_axis(Array::zeros({2}), 1), Error);
  EXPECT_THROW(sum_axis(Array::zeros({2}), -2), Error);
}

TEST(ArrayTest, RefusesAShapeThatIsTooLarge) {
  const int64_t huge = std::numeric_limits<int64_t>::max() / 2;
  EXPECT_THROW(element_count({huge, 3}), Error);
  EXPECT_THROW(element_count({-1}), Error);
}

TEST(ArrayTest, ValuesOfATemporaryAreACopy) {
  double sum = 0;
  for (const double value : Array({2, 2}, {1, 2, 3, 4}).values()) sum += value;
  for (const double value : Array(5).values()) sum += value;
  EXPECT_EQ(sum, 15);
}

TEST(ArrayTest, DescribesShapes) {
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(to_string(Shape{2, 3}), "[2, 3]");
}

}  // namespace
}  // namespace palimpsest
