#include "palimpsest/stat/logistic_regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/normal.h"
#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

SparseRows dense(const std::vector<std::vector<float>>& rows) {
  SparseRows data;
  data.columns = static_cast<uint32_t>(rows.at(0).size());
  for (const auto& row : rows) {
    for (uint32_t c = 0; c < data.columns; ++c) {
      if (row[c] != 0) data.entries.push_back({c, row[c]});
    }
    data.starts.push_back(data.entries.size());
  }
  return data;
}

std::vector<size_t> all_of(const SparseRows& data) {
  std::vector<size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return rows;
}

// The gradient of ½‖w‖² + C Σ log(1 + exp(-y w·x)), which vanishes at the solution.
std::vector<double> gradient(const SparseRows& data, const std::vector<bool>& labels,
                             const std::vector<double>& w, double c) {
  std::vector<double> result = w;
  for (size_t r = 0; r < data.size(); ++r) {
    const double y = labels[r] ? 1 : -1;
    const double slope = -c * y * logistic(-y * dot(data.row(r), w));
    for (const SparseEntry& entry : data.row(r)) {
      result[entry.column] += slope * static_cast<double>(entry.value);
    }
  }
  return result;
}

TEST(LogisticRegressionTest, OneRowSolvesItsOwnEquation) {
  const SparseRows data = dense({{2}});
  const auto w = fit_logistic(data, all_of(data), {true}, {.c = 3, .tolerance = 1e-9});
  EXPECT_NEAR(w[0], 3 * 2 * logistic(-2 * w[0]), 1e-8);
}

TEST(LogisticRegressionTest, TheGradientVanishesAtTheSolution) {
  for (double c : {0.1, 1.0, 50.0}) {
    Random random(5);
    std::vector<std::vector<float>> rows(60, std::vector<float>(8));
    std::vector<bool> labels;
    for (auto& row : rows) {
      for (float& value : row) value = static_cast<float>(random.normal());
      row[7] = 1;
      labels.push_back(row[0] + random.normal() > 0);
    }
    const SparseRows data = dense(rows);
    const auto w =
        fit_logistic(data, all_of(data), labels, {.c = c, .tolerance = 1e-10, .max_rounds = 5000});
    for (double slope : gradient(data, labels, w, c)) EXPECT_NEAR(slope, 0, 1e-5 * (1 + c));
  }
}

TEST(LogisticRegressionTest, UsesOnlyTheRowsAskedFor) {
  const SparseRows data = dense({{1, 0}, {0, 1}, {1, 0}});
  const std::vector<size_t> rows = {0, 2};
  const auto w = fit_logistic(data, rows, {true, true}, {});
  EXPECT_GT(w[0], 0.1);
  EXPECT_EQ(w[1], 0);
}

TEST(LogisticRegressionTest, HandlesEmptyRowsAndNoRows) {
  const SparseRows data = dense({{0, 0}, {1, 0}});
  EXPECT_EQ(fit_logistic(data, {}, {}, {}), (std::vector<double>{0, 0}));
  const auto w = fit_logistic(data, all_of(data), {false, true}, {});
  EXPECT_GT(w[0], 0);
}

TEST(LogisticRegressionTest, HugeRowsStayFinite) {
  const SparseRows data = dense({{1e6F}, {-1e6F}, {1e-6F}});
  const auto w = fit_logistic(data, all_of(data), {true, false, false}, {.c = 1e3});
  EXPECT_TRUE(std::isfinite(w[0]));
  EXPECT_GT(w[0], 0);
}

TEST(LogisticRegressionTest, RefusesBadInput) {
  const SparseRows data = dense({{1, 2}});
  expect_contains(error_of([&] { fit_logistic(data, all_of(data), {}, {}); }), "0 labels");
  expect_contains(error_of([&] { fit_logistic(data, all_of(data), {true}, {.c = 0}); }), "C = 0");
  const std::vector<size_t> beyond = {1};
  expect_contains(error_of([&] { fit_logistic(data, beyond, {true}, {}); }), "no row 1");
  SparseRows narrow = data;
  narrow.columns = 1;
  expect_contains(error_of([&] { fit_logistic(narrow, all_of(data), {true}, {}); }), "beyond 1");
}

}  // namespace
}  // namespace palimpsest
