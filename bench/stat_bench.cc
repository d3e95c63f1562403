// The statistics against scikit-learn and numpy: bench/peers/stat_peer.py measures the same work on
// the same input, which both make from one formula. The results are checked against scikit-learn's
// before anything is timed.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "bench/formula_scores.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/bootstrap.h"
#include "palimpsest/stat/effective_epsilon.h"

namespace palimpsest {
namespace {

constexpr uint64_t kBootstrapScores = 10'000;
constexpr uint64_t kAucScores = 10'000'000;
constexpr uint64_t kEpsilonScores = 100'000;

// What stat_peer.py --values prints.
constexpr double kBootstrapAuc = 0.58618088;
constexpr double kAuc = 0.58320135413092;
constexpr double kEffectiveEpsilon = 1.3862943611198906;

void require_near(const std::optional<double>& found, double expected, const std::string& what) {
  if (found && std::abs(*found - expected) <= 1e-12) return;
  fmt::print(stderr, "stat_bench: wrong result: the {} is {}, not {}\n", what,
             found ? fmt::to_string(*found) : "undefined", expected);
  std::exit(1);
}

void time_bootstrap_auc(benchmark::State& state) {
  const stat::LabelledScores scores = formula_scores(kBootstrapScores);
  require_near(stat::auc(scores), kBootstrapAuc, "AUC of the resampled scores");
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(stat::bootstrap_auc(scores, {.resamples = 1000}));
  }
}

void time_auc(benchmark::State& state) {
  const stat::LabelledScores scores = formula_scores(kAucScores);
  require_near(stat::auc(scores), kAuc, "AUC");
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(stat::auc(scores));
}

void time_effective_epsilon(benchmark::State& state) {
  const stat::LabelledScores scores = formula_scores(kEpsilonScores);
  require_near(stat::effective_epsilon(scores), kEffectiveEpsilon, "effective epsilon");
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(stat::effective_epsilon(scores));
}

}  // namespace
}  // namespace palimpsest

int main(int argc, char** argv) {
  using namespace palimpsest;
  benchmark::Initialize(&argc, argv);
  const auto unit = benchmark::kMillisecond;
  // Wall time, since the bootstrap and long sorts use every core.
  benchmark::RegisterBenchmark("bootstrap_auc",
                               [](benchmark::State& state) { time_bootstrap_auc(state); })
      ->Unit(unit)
      ->UseRealTime();
  benchmark::RegisterBenchmark("auc", [](benchmark::State& state) { time_auc(state); })
      ->Unit(unit)
      ->UseRealTime();
  benchmark::RegisterBenchmark("effective_epsilon",
                               [](benchmark::State& state) { time_effective_epsilon(state); })
      ->Unit(unit)
      ->UseRealTime();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
