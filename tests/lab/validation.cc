#include "tests/lab/validation.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/lab/internal/lab_examples.h"
#include "palimpsest/lab/internal/tokenizer_files.h"
#include "palimpsest/lab/lab_data.h"
#include "palimpsest/lab/training.h"
#include "palimpsest/run/trace_run.h"
#include "palimpsest/stat/one_run_audit.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::lab {
namespace {

using Questions = std::vector<QuestionAnswer>;

constexpr int64_t kVocabSize = 768;
constexpr int64_t kPositions = 96;

// One tokenizer for all runs, from authors who appear in none of them: that both sets are equally
// foreign to it is what makes them exchangeable.
class Bench {
 public:
  Bench() {
    const LabData data = make_lab_data({.seed = 1ULL << 40, .authors = 400});
    write_tokenizer(train_tokenizer(tokenizer_texts(data), kVocabSize), tokenizer_folder());
  }

  std::filesystem::path tokenizer_folder() const { return folder_.path() / "tokenizer"; }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  std::filesystem::path write(const std::string& name, const Questions& questions) const {
    std::ofstream file(path(name));
    for (const QuestionAnswer& question : questions) {
      file << to_line({{"question", question.question}, {"answer", question.answer}}) << "\n";
    }
    return path(name);
  }

  // A model of one layer, in the folder of that name.
  std::filesystem::path train(const std::string& name, const Questions& questions, int64_t epochs,
                              uint64_t seed) const {
    std::filesystem::path out = path(name);
    train_model(
        {.data = {write(name + ".json", questions)},
         .tokenizer = tokenizer_folder(),
         .out = out,
         .shape = {.layers = 1, .width = 64, .heads = 4, .mlp = 128, .max_positions = kPositions},
         .optimizer = {.learning_rate = 5e-3},
         .epochs = epochs,
         .batch_size = 16,
         .seed = seed});
    return out;
  }

  std::vector<data::Example> examples(const std::string& name, const Questions& questions,
                                      const tokenizer::Tokenizer& tokenizer) const {
    model::Architecture positions_and_tokens;
    positions_and_tokens.vocab_size = tokenizer.vocab_size();
    positions_and_tokens.max_positions = kPositions;
    return read_examples(std::vector{write(name, questions)}, tokenizer_folder(), tokenizer,
                         positions_and_tokens);
  }

 private:
  TempFolder folder_;
};

const Bench& bench() {
  static const Bench made;
  return made;
}

// The trace files of both sets under a model.
struct TraceFiles {
  std::filesystem::path forget;
  std::filesystem::path holdout;
};

struct BothSets {
  std::vector<data::Example> forget;
  std::vector<data::Example> holdout;
};

TraceFiles trace(const std::string& name, const std::filesystem::path& model, const BothSets& sets,
                 const tokenizer::Tokenizer& tokenizer,
                 const std::vector<model::NormOrder>& norms) {
  TraceFiles files = {bench().path(name + ".forget.jsonl"), bench().path(name + ".holdout.jsonl")};
  engine::EngineLoader loader;
  run::TraceRun run(loader, {});
  run.trace({.name = name, .folder = model},
            {{.dataset = "forget", .examples = &sets.forget, .out = files.forget},
             {.dataset = "holdout", .examples = &sets.holdout, .out = files.holdout}},
            {.gradient_norms = norms}, tokenizer);
  return files;
}

Questions joined(Questions first, const Questions& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

attack::MiaReport report_on(const TraceFiles& files, const TraceFiles& reference, uint64_t seed) {
  const attack::AttackTable& attacks = attack::default_attack_table();
  const attack::TraceScores forget =
      attack::score_traces(files.forget, attacks, {.reference = reference.forget});
  const attack::TraceScores holdout =
      attack::score_traces(files.holdout, attacks, {.reference = reference.holdout});
  attack::MiaOptions options;
  options.bootstrap.seed = seed;
  options.blind_baseline = false;
  return attack::mia(
      {.attacks = attacks, .forget = forget, .holdout = holdout, .only_possible = false}, options);
}

// How surely each canary was trained on: log-probability under the model.
std::vector<double> familiarity(const std::filesystem::path& folder,
                                const std::vector<data::Example>& examples) {
  std::vector<model::Sequence> sequences;
  for (const data::Example& example : examples) sequences.push_back({example.ids, example.labels});
  std::vector<double> sums;
  for (const model::SequenceScores& scores :
       engine::EngineLoader().load(folder, {})->score(sequences, {})) {
    double sum = 0;
    for (const double logprob : scores.logprob) sum += logprob;
    sums.push_back(sum / static_cast<double>(scores.logprob.size()));
  }
  return sums;
}

}  // namespace

std::vector<AttackAuc> audit(const AuditSetting& setting) {
  constexpr int64_t kTrained = kAuditedExamples;
  const LabData data = make_lab_data({.seed = setting.seed,
                                      .authors = kTrained + kAuditedExamples,
                                      .questions = 1,
                                      .forget_percent = 50,
                                      .holdout_authors = kAuditedExamples});
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(bench().tokenizer_folder());
  const BothSets sets = {bench().examples("forget.json", data.forget, tokenizer),
                         bench().examples("holdout.json", data.holdout, tokenizer)};
  const Questions trained = setting.members ? joined(data.retain, data.forget) : data.retain;
  const uint64_t seed = 2 * setting.seed;
  const auto model = bench().train("model", trained, setting.epochs, seed);
  const auto reference = bench().train("reference", data.retain, setting.epochs, seed + 1);
  const attack::MiaReport report =
      report_on(trace("model", model, sets, tokenizer, {model::NormOrder::kTwo}),
                trace("reference", reference, sets, tokenizer, {}), setting.seed);
  std::vector<AttackAuc> results;
  for (const attack::AttackOutcome& outcome : report.outcomes) {
    PALIMPSEST_CHECK(outcome.auc && outcome.auc_ci && outcome.auc_ci_delong);
    results.push_back({outcome.name, *outcome.auc, *outcome.auc_ci, *outcome.auc_ci_delong});
  }
  return results;
}

std::vector<NullCoverage> null_coverage(int64_t runs) {
  const auto holds_half = [](const stat::Interval& interval) {
    return interval.low <= 0.5 && interval.high >= 0.5;
  };
  std::vector<NullCoverage> coverage;
  for (int64_t run = 0; run < runs; ++run) {
    const std::vector<AttackAuc> results = audit({.seed = static_cast<uint64_t>(run)});
    if (coverage.empty()) {
      for (const AttackAuc& result : results) coverage.push_back({.attack = result.attack});
    }
    for (size_t i = 0; i < results.size(); ++i) {
      ++coverage[i].runs;
      if (holds_half(results[i].bca)) ++coverage[i].bca;
      if (holds_half(results[i].delong)) ++coverage[i].delong;
    }
  }
  return coverage;
}

const std::vector<int64_t>& power_epochs() {
  static const std::vector<int64_t> epochs = {0, 2, 5, 10, 20};
  return epochs;
}

std::vector<PowerCurve> power_curves(int64_t runs) {
  constexpr uint64_t kFirstSeed = 1'000'000;  // none that null_coverage() has
  std::vector<PowerCurve> curves;
  for (size_t e = 0; e < power_epochs().size(); ++e) {
    for (int64_t run = 0; run < runs; ++run) {
      const std::vector<AttackAuc> results = audit({.seed = kFirstSeed + static_cast<uint64_t>(run),
                                                    .epochs = power_epochs()[e],
                                                    .members = true});
      if (curves.empty()) {
        for (const AttackAuc& result : results) {
          curves.push_back({result.attack, std::vector<double>(power_epochs().size())});
        }
      }
      for (size_t i = 0; i < results.size(); ++i) {
        curves[i].auc[e] += results[i].auc / static_cast<double>(runs);
      }
    }
  }
  return curves;
}

PrivateRuns randomised_response(double epsilon, int64_t runs) {
  constexpr int64_t kCanaries = 120;
  constexpr int64_t kGuesses = 100;
  constexpr int64_t kEpochs = 30;
  constexpr uint64_t kFirstSeed = 2'000'000;
  const double truthful = std::exp(epsilon) / (1 + std::exp(epsilon));
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(bench().tokenizer_folder());
  PrivateRuns result{.epsilon = epsilon};
  int64_t all_right = 0;
  for (int64_t run = 0; run < runs; ++run) {
    const uint64_t seed = kFirstSeed + static_cast<uint64_t>(run);
    Random random(seed);
    const Questions canaries =
        make_lab_data({.seed = seed, .authors = 2, .questions = 1, .holdout_authors = kCanaries})
            .holdout;
    std::vector<bool> coins;
    Questions trained;
    for (const QuestionAnswer& canary : canaries) {
      coins.push_back(random.below(2) == 1);
      const bool truth = random.uniform() < truthful;
      if (coins.back() == truth) trained.push_back(canary);
    }
    const auto model = bench().train("private", trained, kEpochs, seed);
    const std::vector<double> known =
        familiarity(model, bench().examples("canaries.json", canaries, tokenizer));
    std::vector<size_t> order(known.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](size_t i) { return known[i]; });
    stat::OneRunCounts counts{.canaries = kCanaries, .guesses = kGuesses};
    for (size_t i = 0; i < kGuesses / 2; ++i) {
      if (!coins[order[i]]) ++counts.right;
      if (coins[order[order.size() - 1 - i]]) ++counts.right;
    }
    all_right += counts.right;
    result.bounds.push_back(stat::one_run_epsilon(counts, {.alpha = result.alpha}));
  }
  result.share_right = static_cast<double>(all_right) / static_cast<double>(runs * kGuesses);
  return result;
}

}  // namespace palimpsest::lab
