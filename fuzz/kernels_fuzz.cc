// Products and attention of any shape, on every instruction set that the processor has: what plain
// loops in double say, nothing written beside the result, weights of 16 bits and pieces of a
// product equal to the bit to the whole in float32.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "palimpsest/base/instruction_set.h"
#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/kernels/internal/attention.h"
#include "palimpsest/kernels/internal/matmul.h"
#include "palimpsest/kernels/internal/widen.h"
#include "tests/kernels/attention_problem.h"
#include "tests/kernels/numbers.h"

namespace palimpsest::kernels {
namespace {

// Of a product, or of attention's scores. Few inputs may have many, so that the others are quick.
constexpr int64_t kManyTerms = 1 << 18;
constexpr int64_t kFewTerms = 1 << 12;

int64_t max_terms(FuzzedDataProvider& input) {
  return input.ConsumeIntegralInRange(0, 63) == 63 ? kManyTerms : kFewTerms;
}

void check(bool holds) {
  if (!holds) std::abort();
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

// ---- products

// Each matrix ends where its last number does, so that reading on is found.
struct Factors {
  bool column_major = false;  // the columns of b lie one after the other
  bool transposed_x = false;  // and those of x
  int64_t rows = 0, depth = 0, columns = 0;
  int64_t x_stride = 0, b_stride = 0, out_stride = 0;
  std::vector<float> x, b, before;
  std::vector<uint16_t> short_b;
  kernels::DType short_type = kernels::DType::kBFloat16;

  kernels::StridedMatrix left() const {
    return {x.data(), transposed_x ? 1 : x_stride, transposed_x ? x_stride : 1};
  }
  kernels::MatmulMatrix right(bool wide) const {
    return {wide ? static_cast<const void*>(b.data()) : short_b.data(), column_major ? 1 : b_stride,
            column_major ? b_stride : 1, wide ? kernels::DType::kFloat32 : short_type};
  }
};

int64_t extent(int64_t outer, int64_t inner, int64_t stride) {
  return outer == 0 || inner == 0 ? 0 : (outer - 1) * stride + inner;
}

// Numbers that all three types have: eight bits and a small exponent.
std::vector<float> short_numbers(int64_t n, uint64_t seed) {
  std::vector<float> numbers = kernels::random_numbers(n, seed);
  for (float& number : numbers) number = std::round(std::clamp(number, -3.0F, 3.0F) * 32) / 32;
  return numbers;
}

Factors make_factors(FuzzedDataProvider& input) {
  Factors f;
  f.column_major = input.ConsumeBool();
  f.transposed_x = !f.column_major && input.ConsumeBool();
  f.depth = input.ConsumeIntegralInRange<int64_t>(0, 1000);
  const int64_t most = max_terms(input) / std::max<int64_t>(f.depth, 16);
  f.rows = input.ConsumeIntegralInRange<int64_t>(0, std::min<int64_t>(600, most));
  f.columns = input.ConsumeIntegralInRange<int64_t>(
      0, std::min<int64_t>(300, most / std::max<int64_t>(f.rows, 1)));
  f.x_stride = (f.transposed_x ? f.rows : f.depth) + input.ConsumeIntegralInRange(0, 20);
  f.b_stride = (f.column_major ? f.depth : f.columns) + input.ConsumeIntegralInRange(0, 20);
  f.out_stride = f.columns + input.ConsumeIntegralInRange(0, 20);
  f.short_type = input.ConsumeBool() ? kernels::DType::kFloat16 : kernels::DType::kBFloat16;
  const auto seed = input.ConsumeIntegral<uint64_t>();
  f.x = kernels::random_numbers(
      f.transposed_x ? extent(f.depth, f.rows, f.x_stride) : extent(f.rows, f.depth, f.x_stride),
      seed);
  f.b = short_numbers(f.column_major ? extent(f.columns, f.depth, f.b_stride)
                                     : extent(f.depth, f.columns, f.b_stride),
                      seed + 1);
  f.before = kernels::random_numbers(extent(f.rows, f.columns, f.out_stride), seed + 2);
  f.short_b.resize(f.b.size());
  kernels::narrow(f.short_type, f.b.data(), static_cast<int64_t>(f.b.size()), f.short_b.data());
  return f;
}

kernels::MatmulTask task_of(const Factors& f, bool wide, bool accumulate, std::vector<float>& out) {
  out = f.before;
  return {.x = f.left(),
          .b = f.right(wide),
          .out = out.data(),
          .out_stride = f.out_stride,
          .rows = f.rows,
          .depth = f.depth,
          .columns = f.columns,
          .accumulate = accumulate};
}

// Its loops would be most of what the fuzzer watches.
[[clang::no_sanitize("coverage")]] void check_product(const Factors& f, bool accumulate,
                                                      const std::vector<float>& out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t row = static_cast<int64_t>(i) / f.out_stride;
    const int64_t column = static_cast<int64_t>(i) % f.out_stride;
    if (column >= f.columns) {
      check(out[i] == f.before[i]);
      continue;
    }
    const kernels::StridedMatrix x = f.left();
    const kernels::MatmulMatrix b = f.right(true);
    double sum = accumulate ? f.before[i] : 0;
    double size = std::fabs(sum);
    for (int64_t k = 0; k < f.depth; ++k) {
      const double term = static_cast<double>(x.data[row * x.row + k * x.column]) *
                          f.b[static_cast<size_t>(k * b.row + column * b.column)];
      sum += term;
      size += std::fabs(term);
    }
    check(std::fabs(out[i] - sum) <= 1e-6 * (1 + size));
  }
}

void multiply(FuzzedDataProvider& input) {
  static WorkerPool pool(1);
  kernels::Matmul product(pool);
  const Factors f = make_factors(input);
  const bool accumulate = input.ConsumeBool();
  std::vector<float> whole;
  product.run(task_of(f, true, accumulate, whole));
  check_product(f, accumulate, whole);

  std::vector<float> other;
  product.run(task_of(f, false, accumulate, other));
  check(same_bits(whole, other));

  if (f.rows > 0 && f.columns > 0 && f.depth > 0) {  // the same rows in two pieces
    const auto cut = input.ConsumeIntegralInRange<int64_t>(0, f.rows);
    kernels::MatmulTask part = task_of(f, true, accumulate, other);
    part.rows = cut;
    product.run(part);
    part.x.data += cut * part.x.row;
    part.out += cut * part.out_stride;
    part.rows = f.rows - cut;
    product.run(part);
    check(same_bits(whole, other));
  }
  if (f.column_major && f.rows == 1) {
    product.run_single(task_of(f, true, accumulate, whole));
    check_product(f, accumulate, whole);
    product.run_single(task_of(f, false, accumulate, other));
    check(same_bits(whole, other));
  }
}

// ---- attention

kernels::Problem make_problem(FuzzedDataProvider& input) {
  kernels::AttentionShape shape;
  shape.kv_heads = input.ConsumeIntegralInRange<int64_t>(1, 4);
  shape.heads = shape.kv_heads * input.ConsumeIntegralInRange<int64_t>(1, 4);
  shape.head_dim = input.ConsumeIntegralInRange<int64_t>(1, 70);
  shape.scale = input.ConsumeBool() ? 1.0F : 0.2F;
  shape.softcap = input.ConsumeBool() ? 0.0F : 2.5F;
  shape.window = input.ConsumeIntegralInRange<int64_t>(0, 70);
  const int64_t most = max_terms(input) / (shape.heads * shape.head_dim);
  const auto count = input.ConsumeIntegralInRange<int64_t>(1, std::min<int64_t>(110, most));
  const auto first =
      input.ConsumeIntegralInRange<int64_t>(0, std::clamp<int64_t>(most / count - count, 0, 200));
  kernels::Problem problem = kernels::random_problem(shape, first, count);
  problem.decoding = input.ConsumeBool();
  if (input.ConsumeBool()) {
    const auto seed = input.ConsumeIntegral<uint64_t>();
    for (const float number : kernels::random_numbers(problem.num_keys(), seed)) {
      problem.hidden.push_back(number > 0 ? 1 : 0);
    }
  }
  return problem;
}

std::vector<int64_t> make_cuts(FuzzedDataProvider& input, const kernels::Problem& problem) {
  std::vector<int64_t> cuts;
  int64_t left = problem.num_keys();
  while (left > 0 && cuts.size() < 3) {
    cuts.push_back(input.ConsumeIntegralInRange<int64_t>(0, left));
    left -= cuts.back();
  }
  cuts.push_back(left);
  return cuts;
}

void check_near(const std::vector<float>& found, const std::vector<double>& expected) {
  check(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    check(std::fabs(found[i] - expected[i]) <= 2e-5 * (1 + std::fabs(expected[i])));
  }
}

void attend_any(FuzzedDataProvider& input) {
  const kernels::Problem problem = make_problem(input);
  kernels::AttentionScratch scratch;
  const kernels::Found found = kernels::attended(problem, make_cuts(input, problem), scratch);
  const kernels::Attended expected = kernels::reference(problem);
  check_near(found.out, expected.out);
  check_near(found.log_sums, expected.log_sums);
  // However the keys are cut, and with memory that was used before.
  const kernels::Found again = kernels::attended(problem, {problem.num_keys()}, scratch);
  check(same_bits(found.out, again.out) && same_bits(found.log_sums, again.log_sums));
}

}  // namespace
}  // namespace palimpsest::kernels

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  FuzzedDataProvider input(data, size);
  const std::vector<InstructionSet>& sets = available_instruction_sets();
  use_instruction_set(sets[input.ConsumeIntegralInRange<size_t>(0, sets.size() - 1)]);
  if (input.ConsumeBool()) {
    kernels::multiply(input);
  } else {
    kernels::attend_any(input);
  }
  return 0;
}
