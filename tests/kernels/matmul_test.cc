#include "palimpsest/kernels/internal/matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/kernels/internal/widen.h"
#include "tests/kernels/numbers.h"

namespace palimpsest::kernels {
namespace {

struct Shape {
  int64_t rows = 0;
  int64_t depth = 0;
  int64_t columns = 0;
};

struct Kind {
  bool column_major = true;
  bool accumulate = false;
  bool transposed_x = false;  // the columns of x lie one after the other
  DType dtype = DType::kFloat32;
};

// Random numbers that begin again after a prime number of them: large matrices are filled quickly.
std::vector<float> many_numbers(int64_t n, uint64_t seed) {
  constexpr int64_t kPeriod = 9973;
  std::vector<float> numbers = random_numbers(std::min(n, kPeriod), seed);
  numbers.resize(static_cast<size_t>(n));
  for (size_t i = kPeriod; i < numbers.size(); ++i) numbers[i] = numbers[i - kPeriod];
  return numbers;
}

// A product with everything that it reads, and room beside what it writes.
struct Case {
  Case(const Shape& shape, const Kind& kind)
      : x(many_numbers((shape.rows + 2) * (shape.depth + 2), 1)),
        b(many_numbers((shape.depth + 1) * (shape.columns + 1), 2)),
        before(many_numbers(shape.rows * shape.columns, 3)),
        out((shape.rows + 1) * (shape.columns + 3), kUntouched) {
    task = {.x = {.data = x.data(),
                  .row = kind.transposed_x ? 1 : shape.depth + 2,
                  .column = kind.transposed_x ? shape.rows + 2 : 1},
            .b = {.data = b.data(),
                  .row = kind.column_major ? 1 : shape.columns + 1,
                  .column = kind.column_major ? shape.depth + 1 : 1},
            .out = out.data(),
            .out_stride = shape.columns + 3,
            .rows = shape.rows,
            .depth = shape.depth,
            .columns = shape.columns,
            .accumulate = kind.accumulate};
    if (kind.dtype != DType::kFloat32) shorten(kind.dtype);
    for (int64_t r = 0; r < shape.rows && kind.accumulate; ++r) {
      for (int64_t c = 0; c < shape.columns; ++c) {
        out[r * task.out_stride + c] = before[r * shape.columns + c];
      }
    }
  }

  // b becomes numbers that the type has, and the task reads them in this type.
  void shorten(DType dtype) {
    short_b.resize(b.size());
    const auto n = static_cast<int64_t>(b.size());
    narrow(dtype, b.data(), n, short_b.data());
    ASSERT_TRUE(widen(dtype, reinterpret_cast<const std::byte*>(short_b.data()), n, b.data()));
    task.b.data = short_b.data();
    task.b.dtype = dtype;
  }
  // The same matrix in float32 again.
  void read_wide() { task.b = {b.data(), task.b.row, task.b.column, DType::kFloat32}; }

  // Some rows and columns of the product alone.
  void keep_rows(int64_t first, int64_t count) {
    task.x.data += first * task.x.row;
    task.out += first * task.out_stride;
    task.rows = count;
  }
  void keep_columns(int64_t first, int64_t count) {
    task.b.data = static_cast<const float*>(task.b.data) + first * task.b.column;
    task.out += first;
    task.columns = count;
  }

  void expect_product() const {
    for (int64_t r = 0; r <= task.rows; ++r) {
      for (int64_t c = 0; c < task.out_stride; ++c) {
        const float found = out[r * task.out_stride + c];
        if (r == task.rows || c >= task.columns) {
          ASSERT_EQ(found, kUntouched) << r << " " << c;
          continue;
        }
        double sum = task.accumulate ? before[r * task.columns + c] : 0;
        double size = std::fabs(sum);
        for (int64_t k = 0; k < task.depth; ++k) {
          const double term = static_cast<double>(x[r * task.x.row + k * task.x.column]) *
                              b[k * task.b.row + c * task.b.column];
          sum += term;
          size += std::fabs(term);
        }
        ASSERT_NEAR(found, sum, 1e-6 * (1 + size)) << r << " " << c;
      }
    }
  }

  std::vector<float> x, b, before, out;
  std::vector<uint16_t> short_b;
  MatmulTask task;
};

// What both wrote is the same, to the last bit.
void expect_same_bits(const Case& found, const Case& expected) {
  ASSERT_EQ(found.out.size(), expected.out.size());
  for (size_t i = 0; i < found.out.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(found.out[i]), std::bit_cast<uint32_t>(expected.out[i]))
        << i << ": " << found.out[i] << " " << expected.out[i];
  }
}

testing::Message describe(const Shape& shape, const Kind& kind) {
  return testing::Message() << shape.rows << " x " << shape.depth << " x " << shape.columns
                            << ", column_major " << kind.column_major << ", accumulate "
                            << kind.accumulate << ", transposed_x " << kind.transposed_x << ", "
                            << name_of(kind.dtype);
}

const std::vector<Kind> kKinds = {
    {.column_major = true},
    {.column_major = true, .accumulate = true},
    {.column_major = false},
    {.column_major = false, .accumulate = true},
    {.column_major = false, .transposed_x = true},
    {.column_major = false, .accumulate = true, .transposed_x = true}};

// Around the sizes at which something is cut: panels of 16, 48 and 96 columns, 128 and 512 rows, a
// depth of kMatmulDepth, and what is packed at a time.
const std::vector<Shape> kEdges = {{1, 1, 1},
                                   {2, 3, 5},
                                   {15, 7, 47},
                                   {16, 64, 48},
                                   {17, 65, 49},
                                   {127, 20, 97},
                                   {129, 33, 50},
                                   {300, 10, 100},
                                   {513, 5, 49},
                                   {20, kMatmulDepth, 30},
                                   {20, kMatmulDepth + 1, 30},
                                   {33, 2 * kMatmulDepth + 7, 50},
                                   {7, 20, 193},
                                   {3, 40'000, 60}};

TEST(MatmulTest, EveryKindOfEdge) {
  WorkerPool pool(3);
  Matmul product(pool);
  for (const Shape& shape : kEdges) {
    for (const Kind& kind : kKinds) {
      SCOPED_TRACE(describe(shape, kind));
      Case one(shape, kind);
      product.run(one.task);
      one.expect_product();
    }
  }
}

TEST(MatmulTest, NothingToMultiply) {
  WorkerPool pool(2);
  Matmul product(pool);
  Case none({0, 5, 4}, {});
  product.run(none.task);
  none.expect_product();
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(describe({}, kind));
    Case used({16, 8, 4}, {.column_major = kind.column_major});
    product.run(used.task);
    Case empty({3, 0, 4}, kind);
    product.run(empty.task);
    empty.expect_product();
  }
}

// The promise: not within rounding, but to the last bit.
TEST(MatmulTest, ARowDoesNotSeeTheOthers) {
  const Shape shape{600, kMatmulDepth + 100, 70};
  WorkerPool pool(2);
  WorkerPool alone(1);
  Matmul on_two(pool);
  Matmul on_one(alone);
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(describe(shape, kind));
    Case all(shape, kind);
    on_two.run(all.task);
    for (const auto& [first, count] :
         {std::pair<int64_t, int64_t>{0, 1}, {599, 1}, {3, 2}, {100, 20}, {127, 150}, {1, 599}}) {
      for (Matmul* product : {&on_one, &on_two}) {
        Case some(shape, kind);
        some.keep_rows(first, count);
        product->run(some.task);
        for (int64_t i = 0; i < count * some.task.out_stride; ++i) {
          ASSERT_EQ(some.task.out[i], all.task.out[first * some.task.out_stride + i])
              << first << " " << count << " " << i;
        }
      }
    }
  }
}

// Nor a column, and threads change nothing either: what a weight's gradient needs, whose rows are
// the outputs and whose columns the inputs.
TEST(MatmulTest, AColumnDoesNotSeeTheOthers) {
  const Shape shape{150, kMatmulDepth + 9, 230};
  WorkerPool pools[] = {WorkerPool(1), WorkerPool(2), WorkerPool(3)};
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(describe(shape, kind));
    Case all(shape, kind);
    Matmul(pools[0]).run(all.task);
    for (WorkerPool& pool : pools) {
      SCOPED_TRACE(testing::Message() << pool.size() << " threads");
      Matmul product(pool);
      Case again(shape, kind);
      product.run(again.task);
      expect_same_bits(again, all);
      for (const auto& [first, count] :
           {std::pair<int64_t, int64_t>{0, 1}, {229, 1}, {3, 16}, {10, 47}, {1, 97}, {31, 199}}) {
        Case some(shape, kind);
        some.keep_columns(first, count);
        product.run(some.task);
        for (int64_t r = 0; r < shape.rows; ++r) {
          for (int64_t c = 0; c < count; ++c) {
            ASSERT_EQ(some.task.out[r * some.task.out_stride + c],
                      all.task.out[r * all.task.out_stride + first + c])
                << first << " " << count << ": " << r << " " << c;
          }
        }
      }
    }
  }
}

// A row-major matrix that does not fit into what is packed at a time is multiplied in pieces.
TEST(MatmulTest, ThreadsDoNotSeeHowADeepMatrixIsCut) {
  const Shape shape{5, 40'000, 100};
  for (const bool transposed_x : {false, true}) {
    const Kind kind{.column_major = false, .transposed_x = transposed_x};
    WorkerPool one(1);
    Case expected(shape, kind);
    Matmul(one).run(expected.task);
    for (const int threads : {2, 3}) {
      WorkerPool pool(threads);
      Case found(shape, kind);
      Matmul(pool).run(found.task);
      expect_same_bits(found, expected);
    }
    Case last(shape, kind);
    last.keep_columns(90, 10);
    Matmul(one).run(last.task);
    for (int64_t c = 0; c < 10; ++c) ASSERT_EQ(last.task.out[c], expected.task.out[90 + c]) << c;
  }
}

TEST(MatmulTest, RefusesAColumnMajorMatrixWithTransposedRows) {
  WorkerPool pool(1);
  Case wrong({2, 3, 4}, {.column_major = true, .transposed_x = true});
  EXPECT_THROW(Matmul(pool).run(wrong.task), BugError);
}

TEST(MatmulTest, OneRowInAnyOrder) {
  WorkerPool pool(2);
  Matmul product(pool);
  for (const bool accumulate : {true, false}) {
    Case one({1, 1000, 301}, {.accumulate = accumulate});
    product.run_single(one.task);
    one.expect_product();
  }
}

class ShortProductTest : public testing::TestWithParam<DType> {};

// Widened a tile at a time or all at once.
TEST_P(ShortProductTest, EqualsTheProductOfTheWidenedMatrix) {
  WorkerPool pool(2);
  Matmul product(pool);
  for (const Shape& shape : kEdges) {
    for (Kind kind : kKinds) {
      kind.dtype = GetParam();
      SCOPED_TRACE(describe(shape, kind));
      Case narrow_case(shape, kind);
      product.run(narrow_case.task);
      Case wide(shape, kind);
      wide.read_wide();
      product.run(wide.task);
      wide.expect_product();
      expect_same_bits(narrow_case, wide);
    }
  }
}

TEST_P(ShortProductTest, NothingToMultiply) {
  WorkerPool pool(2);
  Matmul product(pool);
  for (Kind kind : kKinds) {
    kind.dtype = GetParam();
    Case empty({3, 0, 4}, kind);
    product.run(empty.task);
    empty.expect_product();
  }
}

TEST_P(ShortProductTest, OneRow) {
  for (const int threads : {1, 2}) {
    WorkerPool pool(threads);
    Matmul product(pool);
    for (const bool accumulate : {true, false}) {
      for (const Shape& shape : {Shape{1, 1, 1}, {1, 63, 20}, {1, 1000, 301}}) {
        const Kind kind{.accumulate = accumulate, .dtype = GetParam()};
        SCOPED_TRACE(describe(shape, kind));
        Case narrow_case(shape, kind);
        product.run_single(narrow_case.task);
        Case wide(shape, kind);
        wide.read_wide();
        product.run_single(wide.task);
        wide.expect_product();
        expect_same_bits(narrow_case, wide);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Halves, ShortProductTest,
                         testing::Values(DType::kFloat16, DType::kBFloat16),
                         [](const auto& dtype) { return std::string(name_of(dtype.param)); });

// As a vector without numbers has it.
TEST(MatmulTest, AMatrixWithoutRowsMayLieNowhere) {
  WorkerPool pool(1);
  Matmul product(pool);
  for (const int64_t rows : {1, 2, 1000}) {
    std::vector<float> out(3000, 1.0F);
    product.run({.x = {.data = nullptr, .row = 2, .column = 1},
                 .b = {.data = nullptr, .row = 1, .column = 1},
                 .out = out.data(),
                 .out_stride = 3,
                 .rows = rows,
                 .depth = 0,
                 .columns = 3});
    EXPECT_EQ(std::count(out.begin(), out.end(), 0.0F), 3 * rows);
  }
  std::vector<float> sums(3, 1.0F);
  product.run_single({.b = {.row = 1, .column = 1}, .out = sums.data(), .rows = 1, .columns = 3});
  EXPECT_EQ(sums, std::vector<float>(3));
}

TEST(MatmulTest, AMatrixOfOneColumnIsRowMajorAndColumnMajor) {
  WorkerPool pool(1);
  Matmul product(pool);
  const float dy[] = {1, 2, 3, 4, 5, 6};  // [3, 2], used transposed
  const float x[] = {7, 8, 9};            // [3, 1]: both of its strides are 1
  float out[] = {0, 0};
  product.run({.x = {.data = dy, .row = 1, .column = 2},
               .b = {.data = x, .row = 1, .column = 1},
               .out = out,
               .out_stride = 1,
               .rows = 2,
               .depth = 3,
               .columns = 1});
  EXPECT_EQ(out[0], 1 * 7 + 3 * 8 + 5 * 9);
  EXPECT_EQ(out[1], 2 * 7 + 4 * 8 + 6 * 9);
}

}  // namespace
}  // namespace palimpsest::kernels
