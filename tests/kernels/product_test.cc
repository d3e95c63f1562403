#include "palimpsest/kernels/product.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/torch/kernels/numbers.h"

namespace palimpsest::kernels {
namespace {

constexpr float kUntouched = 12345;

struct Shape {
  int64_t rows = 0;
  int64_t depth = 0;
  int64_t columns = 0;
};

// A product with everything that it reads, and room beside what it writes.
struct Case {
  Case(const Shape& shape, bool upright, bool accumulate)
      : x(random_numbers(shape.rows * (shape.depth + 2), 1)),
        b(random_numbers(shape.depth * shape.columns, 2)),
        before(random_numbers(shape.rows * shape.columns, 3)),
        out((shape.rows + 1) * (shape.columns + 3), kUntouched) {
    task = {.x = x.data(),
            .x_stride = shape.depth + 2,
            .b = {.data = b.data(),
                  .row = upright ? 1 : shape.columns,
                  .column = upright ? shape.depth : 1},
            .out = out.data(),
            .out_stride = shape.columns + 3,
            .rows = shape.rows,
            .depth = shape.depth,
            .columns = shape.columns,
            .accumulate = accumulate};
    for (int64_t r = 0; r < shape.rows && accumulate; ++r) {
      for (int64_t c = 0; c < shape.columns; ++c) {
        out[r * task.out_stride + c] = before[r * shape.columns + c];
      }
    }
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
          const double term =
              static_cast<double>(x[r * task.x_stride + k]) * b[k * task.b.row + c * task.b.column];
          sum += term;
          size += std::fabs(term);
        }
        ASSERT_NEAR(found, sum, 1e-6 * (1 + size)) << r << " " << c;
      }
    }
  }

  std::vector<float> x, b, before, out;
  ProductTask task;
};

// Around the sizes at which something is cut: panels of 16, 48 and 96 columns, 128 and 512 rows, a
// depth of kProductDepth, and what is packed at a time.
TEST(ProductTest, EveryKindOfEdge) {
  WorkerPool pool(3);
  Product product(pool);
  for (const Shape& shape : {Shape{1, 1, 1},
                             {2, 3, 5},
                             {15, 7, 47},
                             {16, 64, 48},
                             {17, 65, 49},
                             {127, 20, 97},
                             {129, 33, 50},
                             {300, 10, 100},
                             {513, 5, 49},
                             {20, kProductDepth, 30},
                             {20, kProductDepth + 1, 30},
                             {33, 2 * kProductDepth + 7, 50},
                             {7, 20, 193},
                             {3, 40'000, 60}}) {
    for (const bool upright : {true, false}) {
      for (const bool accumulate : {true, false}) {
        SCOPED_TRACE(testing::Message()
                     << shape.rows << " x " << shape.depth << " x " << shape.columns << ", upright "
                     << upright << ", accumulate " << accumulate);
        Case one(shape, upright, accumulate);
        product.run(one.task);
        one.expect_product();
      }
    }
  }
}

TEST(ProductTest, NothingToMultiply) {
  WorkerPool pool(2);
  Product product(pool);
  Case none({0, 5, 4}, true, false);
  product.run(none.task);
  none.expect_product();
  for (const bool upright : {true, false}) {
    for (const bool accumulate : {true, false}) {
      Case used({16, 8, 4}, upright, false);
      product.run(used.task);
      Case empty({3, 0, 4}, upright, accumulate);
      product.run(empty.task);
      empty.expect_product();
    }
  }
}

// The promise: not within rounding, but to the last bit.
TEST(ProductTest, ARowDoesNotSeeTheOthers) {
  const Shape shape{600, kProductDepth + 100, 70};
  WorkerPool pool(2);
  WorkerPool alone(1);
  Product on_two(pool);
  Product on_one(alone);
  for (const bool upright : {true, false}) {
    for (const bool accumulate : {true, false}) {
      Case all(shape, upright, accumulate);
      on_two.run(all.task);
      for (const auto& [first, count] :
           {std::pair<int64_t, int64_t>{0, 1}, {599, 1}, {3, 2}, {100, 20}, {127, 150}, {1, 599}}) {
        for (Product* product : {&on_one, &on_two}) {
          Case some(shape, upright, accumulate);
          some.task.x += first * some.task.x_stride;
          some.task.out += first * some.task.out_stride;
          some.task.rows = count;
          product->run(some.task);
          for (int64_t i = 0; i < count * some.task.out_stride; ++i) {
            ASSERT_EQ(some.task.out[i], all.task.out[first * some.task.out_stride + i])
                << first << " " << count << " " << i;
          }
        }
      }
    }
  }
}

TEST(ProductTest, OneRowInAnyOrder) {
  WorkerPool pool(2);
  Product product(pool);
  for (const bool accumulate : {true, false}) {
    Case one({1, 1000, 301}, true, accumulate);
    product.run_single(one.task);
    one.expect_product();
  }
}

}  // namespace
}  // namespace palimpsest::kernels
