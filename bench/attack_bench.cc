// Scoring 100,000 traces by every attack that needs no gradients, with a reference model: reading
// both trace files alone, scoring alone, and both together as `palimpsest mia` does it. The scores
// of the files are compared with those of the traces in memory before anything is timed.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/base/random.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest {
namespace {

constexpr int64_t kTraces = 100'000;
constexpr int64_t kTokens = 50;

// Words of English-like lengths, so that compression has as much to do as in prose.
std::string random_text(Random& random, const std::vector<std::string>& words) {
  std::string text;
  for (int64_t t = 0; t < kTokens; ++t) {
    if (t > 0) text += ' ';
    // The smaller of two draws twice over: common words are common.
    text += words[std::min(std::min(random.below(words.size()), random.below(words.size())),
                           random.below(words.size()))];
  }
  return text;
}

std::vector<std::string> random_words() {
  Random random(1);
  std::vector<std::string> words;
  for (int64_t w = 0; w < 5000; ++w) {
    std::string word;
    const uint64_t length = 2 + random.below(8);
    for (uint64_t i = 0; i < length; ++i) word += static_cast<char>('a' + random.below(26));
    words.push_back(word);
  }
  return words;
}

// The same example under two models differs in its log-probabilities alone.
trace::Trace random_trace(int64_t index, int64_t model, const std::vector<std::string>& words) {
  Random random = Random(2).split(static_cast<uint64_t>(index));
  trace::Trace trace{.index = std::to_string(index),
                     .text = random_text(random, words),
                     .num_labels = kTokens,
                     .logprob = std::vector<double>(),
                     .mean = std::vector<double>(),
                     .var = std::vector<double>(),
                     .argmax = std::vector<int64_t>(),
                     .label = std::vector<int64_t>()};
  Random noise = Random(3).split(static_cast<uint64_t>(2 * index + model));
  for (int64_t t = 0; t < kTokens; ++t) {
    const double loss = -std::log(1 - random.uniform()) * 2;
    trace.logprob->push_back(trace::to_float32(-loss * (0.5 + noise.uniform())));
    trace.mean->push_back(trace::to_float32(-6 * random.uniform()));
    trace.var->push_back(trace::to_float32(4 * random.uniform()));
    trace.label->push_back(static_cast<int64_t>(random.below(32'000)));
    const bool right = random.below(2) == 0;
    trace.argmax->push_back(right ? trace.label->back()
                                  : static_cast<int64_t>(random.below(32'000)));
  }
  trace.given_avg_loss = *trace::avg_loss(trace);
  return trace;
}

// Traces of both models in memory and in files, which go when the program ends.
struct Input {
  std::filesystem::path folder;
  std::filesystem::path files[2];
  std::vector<trace::Trace> traces[2];

  Input() {
    folder = std::filesystem::temp_directory_path() / fmt::format("attack_bench.{}", ::getpid());
    std::filesystem::create_directory(folder);
    const std::vector<std::string> words = random_words();
    for (int64_t model = 0; model < 2; ++model) {
      files[model] = folder / fmt::format("{}.jsonl", model);
      trace::TraceWriter writer(files[model], {.model = std::to_string(model), .dataset = "bench"});
      for (int64_t i = 0; i < kTraces; ++i) {
        traces[model].push_back(random_trace(i, model, words));
        writer.write(traces[model].back());
      }
      writer.commit();
    }
  }
  ~Input() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
};

// A sum over all scores, so that no compiler can leave any out.
double score_all(const Input& input, const attack::AttackTable& attacks, WorkerPool& pool) {
  std::vector<attack::ParameterValues> values;
  for (const attack::Attack& attack : attacks) values.push_back(attack.values());
  std::vector<double> sums(static_cast<size_t>(kTraces));
  pool.for_ranges(kTraces, 1000, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      for (size_t a = 0; a < attacks.size(); ++a) {
        sums[i] += *attacks[a].score_of(input.traces[0][i], &input.traces[1][i], values[a]);
      }
    }
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

attack::TraceScores score_files(const Input& input, const attack::AttackTable& attacks) {
  return attack::score_traces(input.files[0], attacks, {.reference = input.files[1]});
}

void require_equal_scores(const Input& input, const attack::AttackTable& attacks) {
  const attack::TraceScores scores = score_files(input, attacks);
  for (size_t a = 0; a < attacks.size(); ++a) {
    const attack::ParameterValues values = attacks[a].values();
    for (size_t i = 0; i < static_cast<size_t>(kTraces); ++i) {
      if (scores.lacking[a].empty() &&
          scores.columns[a][i] ==
              attacks[a].score_of(input.traces[0][i], &input.traces[1][i], values)) {
        continue;
      }
      fmt::print(stderr, "attack_bench: wrong result: {} of trace {}\n", attacks[a].name, i);
      std::exit(1);
    }
  }
}

void time_read(benchmark::State& state, const Input& input) {
  WorkerPool pool(0);
  std::vector<trace::LocatedTrace> block;
  for ([[maybe_unused]] auto _ : state) {
    for (const auto& file : input.files) {
      trace::TraceReader reader(file);
      while (reader.next_block(block, pool)) benchmark::DoNotOptimize(block.data());
    }
  }
}

void time_score(benchmark::State& state, const Input& input, const attack::AttackTable& attacks) {
  WorkerPool pool(0);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(score_all(input, attacks, pool));
}

void time_files(benchmark::State& state, const Input& input, const attack::AttackTable& attacks) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(score_files(input, attacks));
}

}  // namespace
}  // namespace palimpsest

int main(int argc, char** argv) {
  using namespace palimpsest;
  benchmark::Initialize(&argc, argv);
  const Input input;
  attack::AttackTable attacks = attack::default_attack_table();
  // A gradient norm is only read: what it costs is the backward pass.
  std::erase_if(
      attacks, [](const attack::Attack& one) { return !attack::gradient_norms_of({one}).empty(); });
  require_equal_scores(input, attacks);
  const auto unit = benchmark::kMillisecond;
  // Wall time, since all of it uses every core.
  benchmark::RegisterBenchmark("read_traces", [&](auto& state) { time_read(state, input); })
      ->Unit(unit)
      ->UseRealTime();
  for (const attack::Attack& attack : attacks) {
    benchmark::RegisterBenchmark(("score_traces_by_" + attack.name).c_str(),
                                 [&input, table = attack::AttackTable{attack}](auto& state) {
                                   time_score(state, input, table);
                                 })
        ->Unit(unit)
        ->UseRealTime();
  }
  benchmark::RegisterBenchmark("score_traces",
                               [&](auto& state) { time_score(state, input, attacks); })
      ->Unit(unit)
      ->UseRealTime();
  benchmark::RegisterBenchmark("read_and_score_traces",
                               [&](auto& state) { time_files(state, input, attacks); })
      ->Unit(unit)
      ->UseRealTime();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
