#include "palimpsest/kernels/internal/transpose.h"

#include <gtest/gtest.h>

#include "tests/kernels/numbers.h"

namespace palimpsest::kernels {
namespace {

TEST(TransposeTest, EverySize) {
  for (int64_t rows = 0; rows <= 19; ++rows) {
    for (int64_t columns = 0; columns <= 19; ++columns) {
      SCOPED_TRACE(testing::Message() << rows << " x " << columns);
      const int64_t ldx = columns + 2;
      const int64_t ldo = rows + 3;
      const std::vector<float> x = random_numbers(rows * ldx, 1);
      std::vector<float> out(static_cast<size_t>((columns + 1) * ldo), kUntouched);
      transpose(x.data(), ldx, rows, columns, out.data(), ldo);
      for (int64_t c = 0; c <= columns; ++c) {
        for (int64_t r = 0; r < ldo; ++r) {
          const bool inside = c < columns && r < rows;
          ASSERT_EQ(out[c * ldo + r], inside ? x[r * ldx + c] : kUntouched) << c << " " << r;
        }
      }
    }
  }
}

}  // namespace
}  // namespace palimpsest::kernels
