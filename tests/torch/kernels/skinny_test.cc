#include "palimpsest/torch/kernels/skinny.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/torch/kernels/numbers.h"

namespace palimpsest::kernels {
namespace {

constexpr float kUntouched = 12345;

// Columns [begin, end) of x · weightᵀ, the others left alone.
TEST(MultiplySkinnyTest, EveryNumberOfRows) {
  const int64_t inputs = 37;
  const int64_t outputs = 101;
  const std::vector<float> weight = random_numbers(outputs * inputs, 1);
  for (int64_t rows = 1; rows <= kMostSkinnyRows; ++rows) {
    const std::vector<float> x = random_numbers(rows * inputs, 2);
    std::vector<float> packed;
    pack_skinny(x.data(), rows, inputs, packed);
    for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{0, outputs}, {1, 50}, {98, 101}}) {
      std::vector<float> out(rows * outputs, kUntouched);
      multiply_skinny(weight.data(), inputs, outputs, x.data(), packed, rows, begin, end,
                      out.data());
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t o = 0; o < outputs; ++o) {
          if (o < begin || o >= end) {
            ASSERT_EQ(out[r * outputs + o], kUntouched) << rows << ": " << r << " " << o;
            continue;
          }
          double sum = 0;
          double size = 0;
          for (int64_t i = 0; i < inputs; ++i) {
            const double term = static_cast<double>(x[r * inputs + i]) * weight[o * inputs + i];
            sum += term;
            size += std::fabs(term);
          }
          ASSERT_NEAR(out[r * outputs + o], sum, 1e-6 * size) << rows << ": " << r << " " << o;
        }
      }
    }
  }
}

// A row's result does not depend on how many others are multiplied with it, from two on: what
// generation needs to give the same tokens in any batch.
TEST(MultiplySkinnyTest, RowsDoNotSeeEachOther) {
  const int64_t inputs = 70;
  const int64_t outputs = 20;
  const std::vector<float> weight = random_numbers(outputs * inputs, 3);
  const std::vector<float> x = random_numbers(kMostSkinnyRows * inputs, 4);
  std::vector<float> packed;
  std::vector<float> all(kMostSkinnyRows * outputs);
  pack_skinny(x.data(), kMostSkinnyRows, inputs, packed);
  multiply_skinny(weight.data(), inputs, outputs, x.data(), packed, kMostSkinnyRows, 0, outputs,
                  all.data());
  std::vector<float> two(2 * outputs);
  pack_skinny(x.data(), 2, inputs, packed);
  multiply_skinny(weight.data(), inputs, outputs, x.data(), packed, 2, 0, outputs, two.data());
  for (size_t i = 0; i < two.size(); ++i) EXPECT_EQ(two[i], all[i]) << i;
}

}  // namespace
}  // namespace palimpsest::kernels
