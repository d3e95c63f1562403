// ROUGE over the golden pairs; bench/peers/rouge_peer.py does the same with rouge_score.
#include "palimpsest/text/rouge.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/text/internal/lcs.h"
#include "tests/support/golden.h"

namespace palimpsest {
namespace {

struct Pair {
  std::string target;
  std::string prediction;
};

// All golden pairs with all types, without (0) and with (1) stemmer.
void score_golden_pairs(benchmark::State& state) {
  const Json golden = read_golden("text/rouge.json.gz");
  const bool use_stemmer = state.range(0) != 0;
  std::vector<Pair> pairs;
  double expected = 0;
  for (const Json& pair : golden.at("pairs")) {
    pairs.push_back({pair[0], pair[1]});
    for (const Json& value : pair[use_stemmer ? 3 : 2]) expected += value.get<double>();
  }
  const text::RougeScorer scorer({.types = golden.at("types"), .use_stemmer = use_stemmer});
  for ([[maybe_unused]] auto _ : state) {
    double sum = 0;
    for (const Pair& pair : pairs) {
      for (const auto& [type, score] : scorer.score(pair.target, pair.prediction)) {
        sum += score.precision + score.recall + score.fmeasure;
      }
    }
    if (std::abs(sum - expected) > 1e-8) state.SkipWithError("the scores are wrong");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(pairs.size()));
}
BENCHMARK(score_golden_pairs)->ArgName("stemmer")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// One long line against another: length alone (0, rougeL) and positions too (1, rougeLsum).
void match_long_sequences(benchmark::State& state) {
  Random random(1);
  std::vector<uint32_t> rows(20'000);
  std::vector<uint32_t> columns(20'000);
  for (uint32_t& token : rows) token = static_cast<uint32_t>(random.below(5000));
  for (uint32_t& token : columns) token = static_cast<uint32_t>(random.below(5000));
  text::LcsMatcher matcher(5000);
  for ([[maybe_unused]] auto _ : state) {
    matcher.set_columns(columns);
    const int64_t length = matcher.length(rows);
    if (state.range(0) == 1 && static_cast<int64_t>(matcher.positions(rows).size()) != length) {
      state.SkipWithError("length and positions differ");
    }
    benchmark::DoNotOptimize(length);
  }
}
BENCHMARK(match_long_sequences)
    ->ArgName("positions")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace palimpsest

BENCHMARK_MAIN();
