#include "palimpsest/stat/internal/sparse_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/random.h"
#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

// 41 rows of 30 columns, about a third of them filled; the last row equals the first.
SparseRows random_sparse_rows() {
  Random random(3);
  SparseRows data{.columns = 30};
  for (size_t r = 0; r < 40; ++r) {
    for (uint32_t c = 0; c < data.columns; ++c) {
      if (random.below(3) == 0) data.entries.push_back({c, static_cast<float>(random.normal())});
    }
    data.starts.push_back(data.entries.size());
  }
  for (size_t i = 0; i < data.starts[1]; ++i) data.entries.push_back(SparseEntry(data.entries[i]));
  data.starts.push_back(data.entries.size());
  return data;
}

TEST(SparseRowsTest, GramMatrixIsTheProductOfAllPairs) {
  const SparseRows data = random_sparse_rows();
  const DenseMatrix gram = gram_matrix(data, 1);
  ASSERT_EQ(gram.rows, 41U);
  ASSERT_EQ(gram.columns, 41U);
  for (size_t a = 0; a < data.size(); ++a) {
    for (size_t b = 0; b < data.size(); ++b) {
      double product = 0;
      for (const SparseEntry& left : data.row(a)) {
        for (const SparseEntry& right : data.row(b)) {
          if (left.column == right.column)
            product += static_cast<double>(left.value) * static_cast<double>(right.value);
        }
      }
      EXPECT_EQ(gram.at(a, b), product) << a << " " << b;
    }
  }
}

TEST(SparseRowsTest, EqualRowsHaveEqualProductsForAnyNumberOfThreads) {
  const SparseRows data = random_sparse_rows();
  const DenseMatrix gram = gram_matrix(data, 1);
  for (size_t c = 0; c < gram.columns; ++c) EXPECT_EQ(gram.at(0, c), gram.at(40, c));
  for (int threads : {2, 7}) EXPECT_EQ(gram_matrix(data, threads).values, gram.values);
}

TEST(SparseRowsTest, NoRowsAndEmptyRows) {
  EXPECT_EQ(gram_matrix({.columns = 3}, 1).rows, 0U);
  const DenseMatrix gram = gram_matrix({.entries = {{1, 2}}, .starts = {0, 0, 1}, .columns = 3}, 1);
  EXPECT_EQ(gram.values, (std::vector<double>{0, 0, 0, 4}));
}

TEST(SparseRowsTest, RefusesBadRows) {
  auto gram = [](std::vector<SparseEntry> entries) {
    const size_t count = entries.size();
    gram_matrix({.entries = std::move(entries), .starts = {0, count}, .columns = 3}, 1);
  };
  expect_contains(error_of([&] { gram({{3, 1}}); }), "beyond 3");
  expect_contains(error_of([&] { gram({{0, NAN}}); }), "not finite");
  expect_contains(error_of([&] { gram({{1, 1}, {1, 1}}); }), "do not ascend");
}

}  // namespace
}  // namespace palimpsest::stat
