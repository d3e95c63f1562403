#include "palimpsest/engine/internal/gradient_norms.h"

#include <gtest/gtest.h>

#include <limits>

#include "palimpsest/base/error.h"
#include "tests/support/golden_models.h"

namespace palimpsest::engine {
namespace {

using enum model::NormOrder;

class GradientNormsTest : public testing::Test {
 protected:
  const model::Architecture architecture_ = model::read_architecture(
      read_file(golden_model_folder("llama") / "config.json"), "config.json");
};

TEST_F(GradientNormsTest, ParametersHaveTheNumbersOfTheirList) {
  const GradientNorms norms(architecture_, {kTwo}, 1);
  const std::vector<model::Parameter> all = model::parameters(architecture_);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(norms.parameter(all[i].name), static_cast<int64_t>(i));
  }
  EXPECT_THROW(norms.parameter("no.such.weight"), BugError);
}

TEST_F(GradientNormsTest, JoinsThePiecesOfAGradient) {
  GradientNorms norms(architecture_, {kInfinity, kOne, kTwo}, 2);
  norms.add(1, 3, std::vector<float>{1, -2});
  norms.add(1, 3, std::vector<float>{-4, 2});
  const auto found = norms.norms(1);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0][3], 4);
  EXPECT_EQ(found[1][3], 9);
  EXPECT_EQ(found[2][3], 5);
}

TEST_F(GradientNormsTest, ExamplesAndParametersApart) {
  GradientNorms norms(architecture_, {kTwo}, 2);
  norms.add(0, 0, std::vector<float>{3});
  norms.add_square(1, 2, 16);
  norms.add_square(1, 2, 9);
  const size_t count = model::parameters(architecture_).size();
  std::vector<double> first(count);
  first[0] = 3;
  std::vector<double> second(count);
  second[2] = 5;
  EXPECT_EQ(norms.norms(0), (std::vector<std::vector<double>>{first}));
  EXPECT_EQ(norms.norms(1), (std::vector<std::vector<double>>{second}));
}

// Gram matrices may leave a rounding error below zero.
TEST_F(GradientNormsTest, ASquareBelowZeroIsZero) {
  GradientNorms norms(architecture_, {kTwo}, 1);
  norms.add_square(0, 0, -1e-12);
  EXPECT_EQ(norms.norms(0)[0][0], 0);
}

// A small norm would mean a familiar text.
TEST_F(GradientNormsTest, AGradientThatIsNoNumberHasNoNorm) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const model::NormOrder order : {kOne, kTwo, kInfinity}) {
    for (const float bad : {nan, infinity}) {
      GradientNorms norms(architecture_, {order}, 1);
      norms.add(0, 0, std::vector<float>{1, bad, 2});
      norms.add(0, 0, std::vector<float>{3});
      EXPECT_THROW(norms.norms(0), Error);
    }
  }
  GradientNorms squares(architecture_, {kTwo}, 1);
  squares.add_square(0, 0, nan);
  EXPECT_THROW(squares.norms(0), Error);
}

TEST_F(GradientNormsTest, KnowsWhetherSquaresAreAllThatIsAskedFor) {
  EXPECT_TRUE(GradientNorms(architecture_, {kTwo}, 1).only_two_norm());
  EXPECT_TRUE(GradientNorms(architecture_, {kTwo, kTwo}, 1).only_two_norm());
  EXPECT_FALSE(GradientNorms(architecture_, {kTwo, kOne}, 1).only_two_norm());
  EXPECT_FALSE(GradientNorms(architecture_, {kInfinity}, 1).only_two_norm());
}

// An order that is asked for twice must not be summed twice.
TEST_F(GradientNormsTest, AnOrderTwiceGivesItTwice) {
  GradientNorms norms(architecture_, {kTwo, kTwo, kOne, kOne}, 1);
  norms.add(0, 0, std::vector<float>{3, -4});
  const auto found = norms.norms(0);
  EXPECT_EQ(found[0][0], 5);
  EXPECT_EQ(found[1][0], 5);
  EXPECT_EQ(found[2][0], 7);
  EXPECT_EQ(found[3][0], 7);
}

}  // namespace
}  // namespace palimpsest::engine
