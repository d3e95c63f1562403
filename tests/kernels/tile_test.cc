#include "palimpsest/kernels/internal/tile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/numbers.h"

namespace palimpsest::kernels {
namespace {

struct PanelCase {
  int64_t m = 0;
  int64_t k = 0;
  bool transposed = false;
  int64_t ldb = kPanel;
  bool accumulate = false;
};

// multiply_panel against two loops in double; what lies beside and below c must stay.
void expect_product(const PanelCase& c) {
  const auto& [m, k, transposed, ldb, accumulate] = c;
  SCOPED_TRACE(testing::Message() << "m " << m << " k " << k << " transposed " << transposed
                                  << " ldb " << ldb << " accumulate " << accumulate);
  const int64_t slack = 3;  // rows of A are further apart than its width
  const int64_t stride = (transposed ? m : k) + slack;
  const std::vector<float> left = random_numbers((transposed ? k : m) * stride, 1);
  const StridedMatrix a{left.data(), transposed ? 1 : stride, transposed ? stride : 1};
  const std::vector<float> panel = random_numbers(k * ldb, 2);
  const int64_t ldc = kPanel + 5;
  std::vector<float> found((m + 1) * ldc, kUntouched);
  const std::vector<float> before = random_numbers(m * kPanel, 3);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < kPanel; ++j) found[i * ldc + j] = before[i * kPanel + j];
  }
  multiply_panel(a, m, k, panel.data(), ldb, found.data(), ldc, accumulate);
  for (int64_t i = 0; i <= m; ++i) {
    for (int64_t j = 0; j < ldc; ++j) {
      if (i == m || j >= kPanel) {
        ASSERT_EQ(found[i * ldc + j], kUntouched) << i << " " << j;
        continue;
      }
      double sum = accumulate ? before[i * kPanel + j] : 0;
      double size = std::fabs(sum);
      for (int64_t x = 0; x < k; ++x) {
        const double term =
            static_cast<double>(left[i * a.row + x * a.column]) * panel[x * ldb + j];
        sum += term;
        size += std::fabs(term);
      }
      ASSERT_NEAR(found[i * ldc + j], sum, 1e-6 * (1 + size)) << i << " " << j;
    }
  }
}

TEST(MultiplyPanelTest, EveryHeight) {
  for (int64_t m = 1; m <= 30; ++m) {
    for (const int64_t k : {1, 2, 15, 16, 33}) {
      for (const bool transposed : {false, true}) {
        for (const int64_t ldb : {kPanel, kPanel + 7, 2 * kPanel}) {
          expect_product({m, k, transposed, ldb, false});
          expect_product({m, k, transposed, ldb, true});
        }
      }
    }
  }
}

TEST(MultiplyPanelTest, NoDepthIsZeroOrWhatWasThere) {
  for (const int64_t m : {1, 4, 13}) {
    expect_product({.m = m, .k = 0, .accumulate = false});
    expect_product({.m = m, .k = 0, .accumulate = true});
  }
}

TEST(PackTransposedTest, PanelsFilledUpWithZeros) {
  const int64_t columns = 5;
  const int64_t ldx = 9;
  for (int64_t rows = 1; rows <= 50; ++rows) {
    const std::vector<float> x = random_numbers(rows * ldx, 4);
    std::vector<float> out(round_up_to_panel(rows) * columns + 1, kUntouched);
    pack_transposed(x.data(), ldx, rows, columns, out.data());
    for (int64_t r = 0; r < round_up_to_panel(rows); ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t index = r / kPanel * columns * kPanel + c * kPanel + r % kPanel;
        ASSERT_EQ(out[index], r < rows ? x[r * ldx + c] : 0) << rows << ": " << r << " " << c;
      }
    }
    ASSERT_EQ(out.back(), kUntouched);
  }
}

TEST(PackRowsTest, FilledUpWithZeros) {
  const int64_t rows = 3;
  for (int64_t columns = 1; columns <= 40; ++columns) {
    const int64_t ldx = columns + 2;
    const int64_t width = round_up_to_panel(columns);
    const std::vector<float> x = random_numbers(rows * ldx, 5);
    std::vector<float> out(rows * width + 1, kUntouched);
    pack_rows(x.data(), ldx, rows, columns, out.data());
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < width; ++c) {
        ASSERT_EQ(out[r * width + c], c < columns ? x[r * ldx + c] : 0) << r << " " << c;
      }
    }
    ASSERT_EQ(out.back(), kUntouched);
  }
}

TEST(DotTest, EveryLength) {
  const std::vector<float> a = random_numbers(300, 6);
  const std::vector<float> b = random_numbers(300, 7);
  double sum = 0;
  double size = 0;
  for (int64_t n = 0; n <= 300; ++n) {
    EXPECT_NEAR(dot(a.data(), b.data(), n), sum, 1e-6 * (1 + size)) << n;
    if (n == 300) break;
    sum += static_cast<double>(a[n]) * b[n];
    size += std::fabs(static_cast<double>(a[n]) * b[n]);
  }
}

TEST(AddScaledTest, EveryLength) {
  const std::vector<float> x = random_numbers(70, 8);
  for (int64_t n = 0; n <= 70; ++n) {
    std::vector<float> y = random_numbers(71, 9);
    const std::vector<float> before = y;
    add_scaled(y.data(), x.data(), -1.5F, n);
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_NEAR(y[i], before[i] - 1.5 * x[i], 1e-6 * (1 + std::fabs(x[i]))) << n << " " << i;
    }
    EXPECT_EQ(y[n], before[n]) << n;
  }
}

}  // namespace
}  // namespace palimpsest::kernels
