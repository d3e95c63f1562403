// Our products beside the matrix library's, with many rows (scoring) and with few (generation).

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <benchmark/benchmark.h>

#include "palimpsest/torch/tensor_product.h"
#include "palimpsest/torch/threads.h"

namespace palimpsest {
namespace {

struct Matrices {
  explicit Matrices(int64_t rows)
      : x(at::randn({rows, 768})), weight(at::randn({4096, 768})), out(at::empty({rows, 4096})) {}

  at::Tensor x, weight, out;
};

void product(benchmark::State& state) {
  Matrices matrices(state.range(0));
  torch::arrange_threads(0);
  WorkerPool pool(0);
  kernels::Product product(pool);
  for (auto _ : state)
    product.run(torch::forward_product(matrices.x, matrices.weight, matrices.out));
  const at::Tensor expected = at::mm(matrices.x, matrices.weight.t());
  if (!expected.allclose(matrices.out, 1e-4, 1e-3)) state.SkipWithError("the products differ");
}

void library_product(benchmark::State& state) {
  Matrices matrices(state.range(0));
  torch::arrange_threads(0);
  for (auto _ : state) at::mm_out(matrices.out, matrices.x, matrices.weight.t());
}

BENCHMARK(product)->Arg(2048)->Arg(32)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(library_product)->Arg(2048)->Arg(32)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace palimpsest

BENCHMARK_MAIN();
