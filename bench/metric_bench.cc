// Metrics against the speed of memory: the token cross-entropy of 4,096 × 32,000 float logits must
// take at most three times as long as reading those logits once, both on one thread. The result is
// checked against a plain loop in double before anything is timed.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest {
namespace {

constexpr int64_t kSequences = 8;
constexpr int64_t kLength = 512;
constexpr int64_t kTokens = kSequences * kLength;
constexpr int64_t kClasses = 32000;

struct Data {
  std::vector<float> logits;     // [kTokens, kClasses]
  std::vector<int32_t> targets;  // [kTokens], none of them masked
};

const Data& data() {
  static const Data made = [] {
    Data d;
    Random random(7);
    // Random numbers for some rows, then the same ones again shifted: quick to make, no two rows
    // alike in alignment.
    std::vector<float> pattern(static_cast<size_t>(kClasses) * 61 + 17);
    for (float& logit : pattern) logit = static_cast<float>(16 * random.uniform() - 8);
    d.logits.resize(static_cast<size_t>(kTokens * kClasses));
    for (size_t i = 0; i < d.logits.size(); ++i) d.logits[i] = pattern[i % pattern.size()];
    for (int64_t i = 0; i < kTokens; ++i) {
      d.targets.push_back(1 + static_cast<int32_t>(random.below(kClasses - 1)));
    }
    return d;
  }();
  return made;
}

stat::MeanStat evaluate(const metric::Metric& metric) {
  const metric::Features examples = {
      {"y", metric::TensorView({kSequences, kLength}, data().targets)}};
  const metric::TensorView logits({kSequences, kLength, kClasses}, data().logits);
  return *metric::evaluate_batch(metric, examples, logits).get<stat::MeanStat>();
}

double reference_loss() {
  double loss = 0;
  for (int64_t i = 0; i < kTokens; ++i) {
    const float* row = data().logits.data() + i * kClasses;
    const double max = *std::max_element(row, row + kClasses);
    double sum = 0;
    for (int64_t v = 0; v < kClasses; ++v) sum += std::exp(row[v] - max);
    loss += std::log(sum) + max - row[data().targets[static_cast<size_t>(i)]];
  }
  return loss;
}

void require(bool holds, const std::string& what) {
  if (holds) return;
  fmt::print(stderr, "metric_bench: wrong result: {}\n", what);
  std::exit(1);
}

// The yardstick: every byte once, with the widest loads there are and nothing to compute.
#if defined(__x86_64__) && defined(__gnu_linux__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
uint64_t
combine(const uint64_t* words, int64_t count) {
  uint64_t all = 0;
  for (int64_t i = 0; i < count; ++i) all ^= words[i];
  return all;
}

void read_once(benchmark::State& state) {
  const auto* words = reinterpret_cast<const uint64_t*>(data().logits.data());
  const int64_t count = kTokens * kClasses / 2;
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(combine(words, count));
  state.SetBytesProcessed(state.iterations() * count * 8);
}

void run_metric(benchmark::State& state, const char* spec) {
  const metric::MetricPtr made = metric::make_metric(spec);
  for ([[maybe_unused]] auto _ : state) {
    const stat::MeanStat stat = evaluate(*made);
    benchmark::DoNotOptimize(stat.accum().values().data());
  }
  state.SetBytesProcessed(state.iterations() * kTokens * kClasses * 4);
}

void check_results() {
  const stat::MeanStat loss = evaluate(*metric::make_metric("sequence_token_cross_entropy_loss"));
  const double expected = reference_loss();
  require(loss.weight().scalar() == kTokens, "the number of tokens");
  require(std::abs(loss.accum().scalar() - expected) <= 1e-6 * expected,
          fmt::format("the loss is {}, not {}", loss.accum().scalar(), expected));
  const double top_1 =
      evaluate(*metric::make_metric("sequence_token_top_k_accuracy:k=1")).accum().scalar();
  const double argmax = evaluate(*metric::make_metric("sequence_token_accuracy")).accum().scalar();
  require(top_1 == argmax, "the accuracy is not the top-1 accuracy");
}

}  // namespace
}  // namespace palimpsest

int main(int argc, char** argv) {
  using namespace palimpsest;
  benchmark::Initialize(&argc, argv);
  check_results();
  const auto unit = benchmark::kMillisecond;
  benchmark::RegisterBenchmark("read_once", [](benchmark::State& state) {
    read_once(state);
  })->Unit(unit);
  for (const char* spec : {"sequence_token_cross_entropy_loss", "sequence_token_accuracy",
                           "sequence_token_top_k_accuracy:k=5", "sequence_cross_entropy_loss"}) {
    benchmark::RegisterBenchmark(spec, run_metric, spec)->Unit(unit);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
