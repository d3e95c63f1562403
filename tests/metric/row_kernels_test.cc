#include "palimpsest/metric/internal/row_kernels.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Lengths on both sides of every block and vector boundary.
const std::vector<int64_t> kLengths = {1,  2,   3,   7,   15,  16,  17,  31,   33,   64,
                                       65, 255, 256, 257, 511, 512, 513, 1023, 1025, 4099};

std::vector<double> random_row(Random& random, int64_t length, double scale) {
  std::vector<double> row(static_cast<size_t>(length));
  for (double& x : row) x = scale * random.normal();
  return row;
}

template <class To>
std::vector<To> convert(const std::vector<double>& row) {
  return {row.begin(), row.end()};
}

// Σ exp(x - max) in long double.
template <class Real>
long double exact_log_sum(const std::vector<Real>& row) {
  const Real max = *std::max_element(row.begin(), row.end());
  long double sum = 0;
  for (Real x : row) sum += std::exp(static_cast<long double>(x) - static_cast<long double>(max));
  return std::log(sum);
}

// The same, as the loss of the greatest logit.
template <class Real>
double log_sum(const std::vector<Real>& row) {
  return token_loss(row, argmax(row));
}

TEST(RowKernelsTest, WorkedExample) {
  const std::vector<float> row = {1.2F, 0.4F};
  EXPECT_NEAR(token_loss(row, 1), 1.1711007, 1e-6);
  EXPECT_EQ(argmax(row), 0);
  EXPECT_FALSE(in_top_k(row, 1, 1));
  EXPECT_TRUE(in_top_k(row, 1, 2));
}

TEST(RowKernelsTest, DoubleRowsAreRightToRounding) {
  Random random(1);
  for (int64_t length : kLengths) {
    for (double scale : {0.1, 3.0, 100.0}) {
      const std::vector<double> row = random_row(random, length, scale);
      EXPECT_NEAR(log_sum(row), static_cast<double>(exact_log_sum(row)), 1e-13)
          << length << " logits of scale " << scale;
    }
  }
}

TEST(RowKernelsTest, FloatRowsAreRightToOneInAMillion) {
  Random random(2);
  for (int64_t length : kLengths) {
    for (double scale : {0.1, 3.0, 100.0}) {
      const auto row = convert<float>(random_row(random, length, scale));
      EXPECT_NEAR(log_sum(row), static_cast<double>(exact_log_sum(row)), 1e-6)
          << length << " logits of scale " << scale;
    }
  }
}

// Equal logits make equal rounding errors, which do not average out.
TEST(RowKernelsTest, FloatRowsOfEqualLogitsAreRightToOneInAMillion) {
  for (float gap : {0.0F, 0.1F, 0.7F, 3.3F, 8.1F, 10.37F, 12.1F, 40.0F, 86.9F, 87.1F, 200.0F}) {
    std::vector<float> row(50000, 0.1F);
    row[777] = 0.1F + gap;
    EXPECT_NEAR(log_sum(row), static_cast<double>(exact_log_sum(row)), 1e-6) << gap;
  }
}

TEST(RowKernelsTest, RisingRowsChangeTheMaximumInEveryBlock) {
  std::vector<double> row(5000);
  for (size_t i = 0; i < row.size(); ++i) row[i] = 0.01 * static_cast<double>(i);
  EXPECT_NEAR(log_sum(row), static_cast<double>(exact_log_sum(row)), 1e-12);
  const auto floats = convert<float>(row);
  EXPECT_NEAR(log_sum(floats), static_cast<double>(exact_log_sum(floats)), 1e-6);
}

TEST(RowKernelsTest, HugeLogitsDoNotOverflow) {
  EXPECT_EQ(token_loss(std::vector<float>{3e38F, -3e38F}, 0), 0);
  EXPECT_NEAR(token_loss(std::vector<double>{1e8, 1e8}, 1), std::log(2.0), 1e-15);
  EXPECT_NEAR(token_loss(std::vector<float>{1e6F, 1e6F}, 1), std::log(2.0), 1e-7);
  EXPECT_NEAR(token_loss(std::vector<double>{0, -1000}, 1), 1000, 1e-12);
}

TEST(RowKernelsTest, MinusInfinityIsProbabilityZero) {
  const std::vector<double> row = {0, -kInfinity, 0};
  EXPECT_NEAR(token_loss(row, 0), std::log(2.0), 1e-15);
  EXPECT_EQ(token_loss(row, 1), kInfinity);
  EXPECT_NEAR(token_loss(convert<float>(row), 0), std::log(2.0), 1e-7);
  EXPECT_EQ(token_loss(convert<float>(row), 1), kInfinity);
  std::vector<float> late(2000, -std::numeric_limits<float>::infinity());
  late[1900] = 5;
  EXPECT_NEAR(token_loss(late, 1900), 0, 1e-7);
  EXPECT_EQ(argmax(late), 1900);
}

TEST(RowKernelsTest, NanIsRefusedWhereverItStands) {
  for (int64_t length : kLengths) {
    for (int64_t index : {int64_t{0}, length / 2, length - 1}) {
      std::vector<double> row(static_cast<size_t>(length), 0.5);
      row[static_cast<size_t>(index)] = kNan;
      const std::string expected =
          "the logit of class " + std::to_string(index) + " is not a number";
      EXPECT_EQ(error_of([&] { token_loss(row, 0); }), expected);
      EXPECT_EQ(error_of([&] { token_loss(convert<float>(row), 0); }), expected);
      EXPECT_EQ(error_of([&] { argmax(row); }), expected);
      EXPECT_EQ(error_of([&] { argmax(convert<float>(row)); }), expected);
      EXPECT_EQ(error_of([&] { in_top_k(row, 0, length); }), expected);
      EXPECT_EQ(error_of([&] { in_top_k(convert<float>(row), 0, length); }), expected);
    }
  }
  EXPECT_NE(error_of([&] { token_loss(std::vector<double>{-kInfinity, kNan}, 0); }), "");
  EXPECT_NE(error_of([&] { token_loss(std::vector<double>{kInfinity, kNan}, 0); }), "");
}

TEST(RowKernelsTest, RowsWithoutADistributionAreRefused) {
  const std::string infinite = "a logit is infinite, so there is no distribution";
  EXPECT_EQ(error_of([] { token_loss(std::vector<double>{kInfinity, 0}, 1); }), infinite);
  EXPECT_EQ(error_of([] { token_loss(std::vector<float>{HUGE_VALF, 0}, 1); }), infinite);
  const std::string nothing = "every logit is -infinity, so there is no distribution";
  EXPECT_EQ(error_of([] { token_loss(std::vector<double>{-kInfinity}, 0); }), nothing);
  EXPECT_EQ(error_of([] { token_loss(std::vector<float>(600, -HUGE_VALF), 0); }), nothing);
}

TEST(RowKernelsTest, ArgmaxIsTheFirstMaximum) {
  Random random(3);
  for (int64_t length : kLengths) {
    std::vector<double> row(static_cast<size_t>(length));
    // Few values, so that there are ties.
    for (double& x : row) x = static_cast<double>(random.below(5));
    const int64_t expected = std::max_element(row.begin(), row.end()) - row.begin();
    EXPECT_EQ(argmax(row), expected);
    EXPECT_EQ(argmax(convert<float>(row)), expected);
  }
  EXPECT_EQ(argmax(std::vector<double>{-kInfinity, -kInfinity}), 0);
  EXPECT_EQ(argmax(std::vector<double>{0, kInfinity}), 1);
}

TEST(RowKernelsTest, TopKIsWhatAStableSortGives) {
  Random random(4);
  for (int64_t length : {1, 2, 5, 40, 600}) {
    std::vector<double> row(static_cast<size_t>(length));
    for (double& x : row) x = static_cast<double>(random.below(7));
    std::vector<int64_t> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return row[static_cast<size_t>(a)] > row[static_cast<size_t>(b)];
    });
    for (int64_t k :
         {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{3}, length - 1, length, length + 9}) {
      const auto top = order.begin() + std::clamp<int64_t>(k, 0, length);
      for (int64_t target = 0; target < length; target += 1 + length / 20) {
        const bool expected = std::find(order.begin(), top, target) != top;
        EXPECT_EQ(in_top_k(row, target, k), expected) << length << " " << k << " " << target;
        EXPECT_EQ(in_top_k(convert<float>(row), target, k), expected);
      }
    }
  }
}

TEST(RowKernelsTest, DenseLossWeighsTheClasses) {
  const std::vector<double> row = {0.3, -1.0, 2.0};
  const double expected = 0.25 * token_loss(row, 0) + 0.75 * token_loss(row, 2);
  EXPECT_NEAR(dense_loss(row, std::vector<double>{0.25, 0, 0.75}), expected, 1e-15);
  EXPECT_NEAR(dense_loss(std::vector<double>{0, -kInfinity}, std::vector<double>{1, 0}), 0, 1e-15);
}

}  // namespace
}  // namespace palimpsest::metric
