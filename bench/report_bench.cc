// A report with bootstrap intervals against TAPAS': bench/peers/report_peer.py measures a part of
// the same work and says what all of it would take. The AUC is checked before anything is timed.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "bench/formula_scores.h"
#include "palimpsest/report/attack_summary.h"
#include "palimpsest/report/internal/summary_bootstrap.h"

namespace palimpsest {
namespace {

constexpr uint64_t kSummaries = 100;
constexpr uint64_t kScores = 10'000;
constexpr int64_t kResamples = 1'000;
constexpr double kFirstAuc = 0.58618088;  // what stat_peer.py --values prints

// Summary s holds the items s·kScores … of the formula; those above 0.5 are predicted positive.
report::ScoresTable make_table() {
  report::ScoresTable table{.columns = {}, .classes = {{"0", ""}, {"1", ""}}, .attacks = {}};
  for (uint64_t s = 0; s < kSummaries; ++s) {
    report::AttackRows& rows = table.attacks.emplace_back();
    for (uint64_t i = s * kScores; i < (s + 1) * kScores; ++i) {
      rows.labels.push_back(static_cast<int32_t>(i % 2));
      rows.scores.push_back(formula_score(i));
      rows.predictions.push_back(rows.scores.back() > 0.5 ? 1 : 0);
    }
  }
  return table;
}

void time_report(benchmark::State& state) {
  const report::ScoresTable table = make_table();
  const std::vector<size_t> metrics = report::select_summary_metrics("all");
  const size_t auc = report::select_summary_metrics("auc")[0];
  for ([[maybe_unused]] auto _ : state) {
    std::vector<report::AttackSummary> summaries =
        report::summarize_attacks(table, {.metrics = metrics});
    report::add_bootstrap_intervals(summaries, metrics, {.resamples = kResamples});
    const report::MetricValue& first = summaries[0].metrics[auc];
    if (std::abs(*first.value - kFirstAuc) > 1e-12 || !first.interval->contains(kFirstAuc)) {
      fmt::print(stderr, "report_bench: wrong result: the first AUC is {}\n", *first.value);
      std::exit(1);
    }
  }
}

}  // namespace
}  // namespace palimpsest

int main(int argc, char** argv) {
  using namespace palimpsest;
  benchmark::Initialize(&argc, argv);
  benchmark::RegisterBenchmark("report_100_summaries",
                               [](benchmark::State& state) { time_report(state); })
      ->Unit(benchmark::kSecond)
      ->Iterations(1)
      ->UseRealTime();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
