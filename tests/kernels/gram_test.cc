#include "palimpsest/kernels/internal/gram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "palimpsest/kernels/internal/tile.h"
#include "tests/kernels/numbers.h"

namespace palimpsest::kernels {
namespace {

struct GramShape {
  int64_t rows = 0;
  int64_t inputs = 0;
  int64_t outputs = 0;
};

const std::vector<GramShape> kShapes = {{1, 1, 1},    {1, 40, 3},   {5, 7, 9},
                                        {16, 16, 16}, {17, 300, 2}, {40, 513, 90}};

double inner(const float* a, const float* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST(GramMatrixTest, LowerHalfOfTheProduct) {
  GramScratch scratch;
  for (const auto& [rows, columns, unused] : kShapes) {
    const int64_t ldx = columns + 3;
    const std::vector<float> x = random_numbers(rows * ldx, 1);
    std::vector<float> gram;
    gram_matrix(x.data(), ldx, rows, columns, gram, false, scratch);
    const int64_t width = round_up_to_panel(rows);
    for (int64_t t = 0; t < rows; ++t) {
      for (int64_t s = 0; s <= t; ++s) {
        EXPECT_NEAR(gram[t * width + s], inner(x.data() + t * ldx, x.data() + s * ldx, columns),
                    1e-6 * static_cast<double>(columns))
            << rows << " " << columns << ": " << t << " " << s;
      }
    }
  }
}

// A wide matrix given in pieces, as the head's tiles come.
TEST(GramMatrixTest, AccumulatesPieces) {
  const int64_t rows = 21;
  const int64_t columns = 700;
  const std::vector<float> x = random_numbers(rows * columns, 2);
  GramScratch scratch;
  std::vector<float> whole;
  gram_matrix(x.data(), columns, rows, columns, whole, false, scratch);
  std::vector<float> pieces(rows * round_up_to_panel(rows), 0.0F);
  for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{0, 1}, {1, 300}, {300, 700}}) {
    gram_matrix(x.data() + begin, columns, rows, end - begin, pieces, true, scratch);
  }
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t s = 0; s <= t; ++s) {
      const int64_t index = t * round_up_to_panel(rows) + s;
      EXPECT_NEAR(pieces[index], whole[index], 1e-3) << t << " " << s;
    }
  }
}

// What it is for: the norm of Σ dy xᵀ without forming it.
TEST(GramProductTest, IsTheNormOfTheWeightGradient) {
  GramScratch scratch;
  for (const auto& [rows, inputs, outputs] : kShapes) {
    const std::vector<float> x = random_numbers(rows * inputs, 3);
    const std::vector<float> dy = random_numbers(rows * outputs, 4);
    double expected = 0;
    for (int64_t o = 0; o < outputs; ++o) {
      for (int64_t i = 0; i < inputs; ++i) {
        double sum = 0;
        for (int64_t t = 0; t < rows; ++t) {
          sum += static_cast<double>(dy[t * outputs + o]) * x[t * inputs + i];
        }
        expected += sum * sum;
      }
    }
    std::vector<float> inputs_gram;
    std::vector<float> outputs_gram;
    gram_matrix(x.data(), inputs, rows, inputs, inputs_gram, false, scratch);
    gram_matrix(dy.data(), outputs, rows, outputs, outputs_gram, false, scratch);
    EXPECT_NEAR(gram_product(inputs_gram, outputs_gram, rows), expected, 1e-5 * expected)
        << rows << " " << inputs << " " << outputs;
  }
}

TEST(NormSumsTest, EveryLength) {
  const std::vector<float> x = random_numbers(10000, 5);
  for (const int64_t n : {0, 1, 2, 31, 32, 33, 100, 4096, 4097, 10000}) {
    double squares = 0;
    double absolutes = 0;
    double greatest = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double size = std::fabs(static_cast<double>(x[i]));
      squares += size * size;
      absolutes += size;
      greatest = std::max(greatest, size);
    }
    EXPECT_NEAR(sum_of_squares(x.data(), n), squares, 1e-6 * squares) << n;
    EXPECT_NEAR(absolute_sum(x.data(), n), absolutes, 1e-6 * absolutes) << n;
    EXPECT_EQ(absolute_max(x.data(), n), greatest) << n;
  }
}

// The greatest may stand anywhere and be negative.
TEST(NormSumsTest, GreatestWhereverItStands) {
  for (int64_t index = 0; index < 70; ++index) {
    std::vector<float> x(70, 1.0F);
    x[index] = -2;
    EXPECT_EQ(absolute_max(x.data(), 70), 2) << index;
  }
}

}  // namespace
}  // namespace palimpsest::kernels
