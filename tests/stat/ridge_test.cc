#include "palimpsest/stat/internal/ridge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "palimpsest/base/random.h"
#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

DenseMatrix random_dense(uint64_t seed, size_t rows, size_t columns) {
  Random random(seed);
  DenseMatrix matrix(rows, columns);
  for (double& value : matrix.values) value = random.normal();
  return matrix;
}

DenseMatrix gram_of(const DenseMatrix& rows) {
  DenseMatrix gram(rows.rows, rows.rows);
  for (size_t a = 0; a < rows.rows; ++a) {
    for (size_t b = 0; b < rows.rows; ++b)
      gram.at(a, b) = std::inner_product(rows.row(a), rows.row(a) + rows.columns, rows.row(b), 0.0);
  }
  return gram;
}

TEST(RidgeTest, OneRowByHand) {
  // x = 2, y = 3, λ = 1: w = x·y/(x² + λ) = 1.2, and α = y/(x² + λ) = 0.6.
  DenseMatrix gram(2, 2);
  gram.values = {4, 10, 10, 25};  // of the rows 2 and 5
  const std::vector<size_t> fitted = {0};
  const std::vector<size_t> scored = {1};
  const DenseMatrix smoother = ridge_smoother(gram, fitted, scored, 1);
  ASSERT_EQ(smoother.values.size(), 1U);
  EXPECT_DOUBLE_EQ(smoother.values[0] * 3, 5 * 1.2);
  gram.rows = gram.columns = 1;
  gram.values = {4};
  EXPECT_DOUBLE_EQ(ridge_coefficients(gram, std::vector<double>{3}, 1)[0], 0.6);
}

// Sizes around the unrolled loops' steps.
TEST(RidgeTest, CholeskySolvesTheSystem) {
  for (size_t n : {1, 2, 3, 4, 5, 8, 33, 70}) {
    DenseMatrix a = gram_of(random_dense(n, n, n + 3));
    for (size_t i = 0; i < n; ++i) a.at(i, i) += 0.5;
    const DenseMatrix b = random_dense(7, n, 6);
    DenseMatrix x = b;
    Cholesky(a).solve(x);
    for (size_t r = 0; r < n; ++r) {
      for (size_t c = 0; c < b.columns; ++c) {
        double product = 0;
        for (size_t k = 0; k < n; ++k) product += a.at(r, k) * x.at(k, c);
        EXPECT_NEAR(product, b.at(r, c), 1e-9) << n;
      }
    }
  }
}

TEST(RidgeTest, CholeskyReadsTheUpperTriangleOnly) {
  DenseMatrix a(2, 2);
  a.values = {4, 2, NAN, 3};
  DenseMatrix b(2, 1);
  b.values = {8, 7};
  Cholesky(a).solve(b);
  EXPECT_NEAR(b.values[0], 1.25, 1e-15);
  EXPECT_NEAR(b.values[1], 1.5, 1e-15);
}

// The gradient of ‖y - Xw‖² + λ‖w‖² vanishes at w = Xᵀα, and the smoother gives other rows x·w.
TEST(RidgeTest, DualAndPrimalAgree) {
  constexpr double kLambda = 0.7;
  const DenseMatrix x = random_dense(5, 25, 40);
  const std::vector<double> y = random_dense(6, 20, 1).values;
  const DenseMatrix gram = gram_of(x);
  DenseMatrix first(20, 20);
  for (size_t r = 0; r < 20; ++r) std::copy_n(gram.row(r), 20, first.row(r));
  const std::vector<double> alpha = ridge_coefficients(first, y, kLambda);
  std::vector<double> w(x.columns, 0.0);
  for (size_t r = 0; r < 20; ++r) {
    for (size_t c = 0; c < x.columns; ++c) w[c] += alpha[r] * x.at(r, c);
  }
  auto value = [&](size_t r) { return std::inner_product(w.begin(), w.end(), x.row(r), 0.0); };
  for (size_t c = 0; c < x.columns; ++c) {
    double slope = kLambda * w[c];
    for (size_t r = 0; r < 20; ++r) slope -= (y[r] - value(r)) * x.at(r, c);
    EXPECT_NEAR(slope, 0, 1e-10);
  }
  std::vector<size_t> fitted(20);
  std::iota(fitted.begin(), fitted.end(), size_t{0});
  const std::vector<size_t> scored = {22, 24, 20};
  const DenseMatrix smoother = ridge_smoother(gram, fitted, scored, kLambda);
  for (size_t j = 0; j < scored.size(); ++j) {
    double by_smoother = 0;
    for (size_t r = 0; r < 20; ++r) by_smoother += y[r] * smoother.at(r, j);
    EXPECT_NEAR(by_smoother, value(scored[j]), 1e-10);
  }
}

TEST(RidgeTest, EqualRowsGetEqualWeightsToTheBit) {
  DenseMatrix x = random_dense(8, 30, 12);
  std::copy_n(x.row(0), x.columns, x.row(29));
  const DenseMatrix gram = gram_of(x);
  std::vector<size_t> fitted(20);
  std::iota(fitted.begin(), fitted.end(), size_t{5});
  const std::vector<size_t> scored = {0, 1, 2, 3, 25, 26, 29};
  const DenseMatrix smoother = ridge_smoother(gram, fitted, scored, 1);
  for (size_t r = 0; r < fitted.size(); ++r) EXPECT_EQ(smoother.at(r, 0), smoother.at(r, 6));
}

TEST(RidgeTest, NothingToFitGivesAnEmptyMatrix) {
  const DenseMatrix gram = gram_of(random_dense(1, 3, 3));
  const std::vector<size_t> scored = {0, 1};
  EXPECT_EQ(ridge_smoother(gram, {}, scored, 1).rows, 0U);
  EXPECT_EQ(ridge_smoother(gram, scored, {}, 1).columns, 0U);
  EXPECT_TRUE(ridge_coefficients({}, {}, 1).empty());
}

TEST(RidgeTest, RefusesBadInput) {
  const DenseMatrix gram = gram_of(random_dense(1, 3, 3));
  const std::vector<size_t> beyond = {3};
  const std::vector<double> targets = {1, 2, 3};
  expect_contains(error_of([&] { ridge_smoother(gram, beyond, {}, 1); }), "no row 3");
  expect_contains(error_of([&] { ridge_smoother(gram, {}, beyond, 1); }), "no row 3");
  expect_contains(error_of([&] { ridge_coefficients(gram, targets, 0); }), "penalty 0");
  expect_contains(error_of([&] { ridge_coefficients(DenseMatrix(2, 3), targets, 1); }), "2 x 3");
  expect_contains(error_of([&] { ridge_coefficients(DenseMatrix(2, 2), targets, 1); }), "3 rows");
  DenseMatrix indefinite(2, 2);
  indefinite.values = {1, 2, 2, 1};
  expect_contains(error_of([&] { Cholesky{indefinite}; }), "not positive definite");
}

}  // namespace
}  // namespace palimpsest::stat
