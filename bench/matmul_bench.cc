// Our products beside a matrix library's, with many rows (scoring) and with few (generation).

#include <benchmark/benchmark.h>
#include <cblas.h>

#include <cmath>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/kernels/internal/matmul.h"

namespace palimpsest {
namespace {

constexpr int64_t kDepth = 768;
constexpr int64_t kColumns = 4096;

struct Matrices {
  explicit Matrices(int64_t count)
      : rows(count),
        x(normal(count * kDepth)),
        weight(normal(kColumns * kDepth)),
        out(static_cast<size_t>(count * kColumns)) {}

  static std::vector<float> normal(int64_t n) {
    Random random(1);
    std::vector<float> numbers(static_cast<size_t>(n));
    for (float& number : numbers) number = static_cast<float>(random.normal());
    return numbers;
  }

  kernels::MatmulTask task() {
    return {.x = {.data = x.data(), .row = kDepth, .column = 1},
            .b = {.data = weight.data(), .row = 1, .column = kDepth},
            .out = out.data(),
            .out_stride = kColumns,
            .rows = rows,
            .depth = kDepth,
            .columns = kColumns};
  }

  void run_library() {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(rows), kColumns, kDepth,
                1, x.data(), kDepth, weight.data(), kDepth, 0, out.data(), kColumns);
  }

  int64_t rows;
  std::vector<float> x, weight, out;
};

void product(benchmark::State& state) {
  Matrices matrices(state.range(0));
  WorkerPool pool(0);
  kernels::Matmul product(pool);
  for ([[maybe_unused]] auto _ : state) product.run(matrices.task());
  const std::vector<float> ours = matrices.out;
  matrices.run_library();
  for (size_t i = 0; i < ours.size(); ++i) {
    if (!(std::abs(ours[i] - matrices.out[i]) <= 1e-3F)) state.SkipWithError("the products differ");
  }
}

void library_product(benchmark::State& state) {
  Matrices matrices(state.range(0));
  for ([[maybe_unused]] auto _ : state) matrices.run_library();
}

BENCHMARK(product)->Arg(2048)->Arg(32)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(library_product)->Arg(2048)->Arg(32)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace palimpsest

BENCHMARK_MAIN();
