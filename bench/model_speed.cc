// How fast models run: makes checkpoints of about 100 million random parameters in FOLDER (kept,
// for bench/peers/model_peer.py) and prints {name: seconds} as JSON, NAME_against being what NAME
// is compared with; names that end in _mb are megabytes. Every result is checked: modes that must
// agree do, or the program fails. docs/speed.md says what is measured and why so.
//
//   model_speed FOLDER [--only memory|scoring|gradients|drafting|batching|loading|streaming|
//                               stored]

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/random_checkpoint.h"
#include "bench/timing.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/random.h"
#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest {
namespace {

using std::filesystem::path;

struct Run {
  path folder;
  Json results = Json::object();

  void add(const std::string& name, const TimedPair& pair) {
    results[name] = pair.ours;
    results[name + "_against"] = pair.against;
  }
};

// ---- models and texts

path checkpoint(const Run& run, const RandomCheckpoint& options) {
  path folder =
      run.folder / fmt::format("{}_{}", options.bfloat16 ? "bf16" : "f32", options.vocab_size);
  write_random_checkpoint(options, folder);
  return folder;
}

std::unique_ptr<model::LanguageModel> load(const path& folder,
                                           const model::ModelOptions& options = {}) {
  return engine::EngineLoader().load(folder, options);
}

std::vector<model::Sequence> random_sequences(const model::LanguageModel& model, int64_t count,
                                              int64_t length) {
  Random random(static_cast<uint64_t>(length));
  std::vector<model::Sequence> sequences(static_cast<size_t>(count));
  for (model::Sequence& sequence : sequences) {
    for (int64_t t = 0; t < length; ++t) {
      const auto vocab_size = static_cast<uint64_t>(model.info().vocab_size);
      sequence.ids.push_back(static_cast<int64_t>(random.below(vocab_size)));
    }
    sequence.labels = sequence.ids;
  }
  return sequences;
}

std::vector<model::Prompt> random_prompts(const model::LanguageModel& model, int64_t count) {
  constexpr int64_t kLength = 8;
  std::vector<model::Prompt> prompts;
  for (model::Sequence& sequence : random_sequences(model, count, kLength)) {
    prompts.push_back({.ids = std::move(sequence.ids)});
  }
  return prompts;
}

// The operations without which these sequences cannot be scored: two per weight of the layers
// and token, queries with keys and probabilities with values below the diagonal, and the head where
// there is a label.
double useful_operations(const model::Architecture& a,
                         const std::vector<model::Sequence>& sequences) {
  double weights = 0;
  for (const model::Parameter& parameter : model::parameters(a)) {
    if (parameter.name == a.embedding || parameter.name == a.head) continue;
    if (parameter.shape.size() == 2) weights += static_cast<double>(model::num_elements(parameter));
  }
  const auto width = static_cast<double>(a.hidden_size);
  double operations = 0;
  for (const model::Sequence& sequence : sequences) {
    const auto length = static_cast<double>(sequence.ids.size());
    operations += 2 * weights * length;
    operations += 2 * length * (length + 1) * width * static_cast<double>(a.num_layers);
    operations += 2 * (length - 1) * width * static_cast<double>(a.vocab_size);
  }
  return operations;
}

// ---- checks

void must(bool holds, const std::string& what) {
  if (!holds) throw BugError(what);
}

void must_agree(const std::vector<model::SequenceScores>& a,
                const std::vector<model::SequenceScores>& b, const std::string& what) {
  constexpr double kTolerance = 1e-5;  // float32 in another order of summation
  constexpr double kNormTolerance = 1e-4;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t t = 0; t < a[i].logprob.size(); ++t) {
      must(std::abs(a[i].logprob[t] - b[i].logprob[t]) <= kTolerance,
           what + ": the log-probabilities differ");
    }
    if (a[i].gradient_norms.empty() || b[i].gradient_norms.empty()) continue;
    const double norm = a[i].gradient_norms[0];
    must(std::abs(norm - b[i].gradient_norms[0]) <= kNormTolerance * norm,
         what + ": the gradient norms differ");
  }
}

// What the peer has to find too.
void keep_scores(const Run& run, const std::string& name,
                 const std::vector<model::Sequence>& sequences,
                 const std::vector<model::SequenceScores>& scores) {
  Json kept = {{"ids", Json::array()}, {"logprob", Json::array()}};
  for (const model::Sequence& sequence : sequences) kept["ids"].push_back(sequence.ids);
  for (const model::SequenceScores& one : scores) {
    kept["logprob"].push_back(one.logprob);
    if (one.gradient_norms.empty()) continue;
    kept["gradient_norms"].push_back(one.gradient_norms[0]);
  }
  write_file(run.folder / (name + ".json"), kept.dump());
}

// ---- what is measured

// A line of /proc/self/status in MB.
double status_mb(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::stod(line.substr(key.size() + 1)) / 1024;
  }
  throw SystemError("/proc/self/status does not say " + std::string(key));
}

// The first part, so that nothing has been warmed up: what the process has at most while it scores,
// beyond what it had with the weights loaded.
void measure_memory(Run& run) {
  const auto model = load(checkpoint(run, {.vocab_size = 128000}));
  const std::vector<model::Sequence> sequences = random_sequences(*model, 32, 512);
  std::ofstream("/proc/self/clear_refs") << 5;  // forget the peak of loading
  const double before = status_mb("VmRSS");
  model->score(sequences, {});
  run.results["score_memory_mb"] = status_mb("VmHWM") - before;
}

void measure_scoring(Run& run) {
  constexpr int kRounds = 3;
  constexpr int64_t kTokens = 2048;
  for (const int64_t vocab_size : {32000, 128000}) {
    const path folder = checkpoint(run, {.vocab_size = vocab_size});
    const auto model = load(folder);
    const path config = folder / "config.json";
    const model::Architecture architecture =
        model::read_architecture(read_file(config), config.string());
    for (const int64_t length : {128, 512}) {
      const auto sequences = random_sequences(*model, kTokens / length, length);
      const double operations = useful_operations(architecture, sequences);
      std::vector<model::SequenceScores> scores =
          model->score({sequences.data(), 1}, {});  // warm up
      const std::string name = fmt::format("score_{}_v{}", length, vocab_size);
      run.add(name, median_pair(kRounds, [&] {
                return against_multiply(operations, [&] { scores = model->score(sequences, {}); });
              }));
      keep_scores(run, name, sequences, scores);
    }
  }
}

// One example after the other, each gradient formed, as p = 1 must: a yardstick without a peer. A
// quarter of the examples is enough to tell.
double one_by_one_seconds(model::LanguageModel& model,
                          const std::vector<model::Sequence>& sequences) {
  constexpr size_t kPart = 4;
  return kPart * seconds_of([&] {
           for (const model::Sequence& sequence :
                std::span(sequences).first(sequences.size() / kPart)) {
             model.score({&sequence, 1}, {.gradient_norms = {model::NormOrder::kOne}});
           }
         });
}

void measure_gradients(Run& run) {
  constexpr int kRounds = 3;
  const auto model = load(checkpoint(run, {}));
  for (const auto& [count, length] : {std::pair(32, 100), std::pair(4, 512)}) {
    const auto sequences = random_sequences(*model, count, length);
    std::vector<model::SequenceScores> scores = model->score({sequences.data(), 1}, {});
    std::vector<model::SequenceScores> with_norms = scores;
    const std::string name = fmt::format("gradient_{}", length);
    run.add(name, median_pair(kRounds, [&] {
              TimedPair pair;
              pair.against = seconds_of([&] { scores = model->score(sequences, {}); });
              pair.ours = seconds_of([&] {
                with_norms = model->score(sequences, {.gradient_norms = {model::NormOrder::kTwo}});
              });
              return pair;
            }));
    must_agree(scores, with_norms, name);
    keep_scores(run, name, sequences, with_norms);
    if (length == 100) run.results[name + "_one_by_one"] = one_by_one_seconds(*model, sequences);
  }
}

// A text that the model has by heart is one that greedy decoding gives: so is its own output.
void measure_drafting(Run& run) {
  constexpr int kRounds = 3;
  const auto model = load(checkpoint(run, {}));
  const model::GenerateOptions options{.max_new_tokens = 128};
  std::vector<model::Prompt> plain = random_prompts(*model, 1);
  std::vector<model::Prompt> drafted = plain;
  drafted[0].draft = model->generate(plain, options)[0].ids;
  run.add("drafted_generation", median_pair(kRounds, [&] {
            std::vector<model::Generation> a;
            std::vector<model::Generation> b;
            TimedPair pair;
            pair.against = seconds_of([&] { a = model->generate(plain, options); });
            pair.ours = seconds_of([&] { b = model->generate(drafted, options); });
            must(a[0].ids == b[0].ids, "the draft changed the text");
            return pair;
          }));
}

double forward_tokens(const std::vector<model::Generation>& generations) {
  int64_t tokens = 0;
  for (const model::Generation& one : generations) tokens += one.forward_tokens;
  return static_cast<double>(tokens);
}

// 64 texts of 32 tokens, against the same with 48 of them ended after 4, which should take the
// share of tokens that is left. Not fewer than 16 go on: reading all weights is what a step with a
// few texts costs, however few they are.
void measure_batching(Run& run) {
  constexpr int kRounds = 3;
  constexpr size_t kLong = 16;
  constexpr size_t kStop = 4;
  const auto model = load(checkpoint(run, {}));
  const std::vector<model::Prompt> prompts = random_prompts(*model, 64);
  const model::GenerateOptions all{.max_new_tokens = 32};
  const std::vector<model::Generation> whole = model->generate(prompts, all);
  model::GenerateOptions some = all;
  some.should_stop = [&](std::span<const int64_t> ids) {
    return ids.size() == kStop &&
           std::none_of(whole.begin(), whole.begin() + kLong, [&](auto& one) {
             return std::ranges::equal(ids, std::span(one.ids).first(kStop));
           });
  };
  double share = 0;
  const TimedPair pair = median_pair(kRounds, [&] {
    std::vector<model::Generation> a;
    std::vector<model::Generation> b;
    const double full = seconds_of([&] { a = model->generate(prompts, all); });
    const double took = seconds_of([&] { b = model->generate(prompts, some); });
    for (size_t i = 0; i < b.size(); ++i) {
      must(b[i].ids.size() == (i < kLong ? a[i].ids.size() : kStop), "the wrong texts were ended");
      must(std::ranges::equal(b[i].ids, std::span(a[i].ids).first(b[i].ids.size())),
           "a text depends on who else is in the batch");
    }
    share = forward_tokens(b) / forward_tokens(a);
    return TimedPair{.ours = took, .against = full * share};
  });
  run.add("batched_generation", pair);
  run.results["full_generation"] = pair.against / share;
  Json kept;
  for (size_t i = 0; i < prompts.size(); ++i) {
    kept.push_back({{"prompt", prompts[i].ids}, {"text", whole[i].ids}});
  }
  write_file(run.folder / "full_generation.json", kept.dump());
}

void read_all(const path& file) {
  std::vector<char> block(size_t{1} << 20U);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  must(descriptor >= 0, "the checkpoint cannot be read");
  while (::read(descriptor, block.data(), block.size()) > 0) {
  }
  ::close(descriptor);
}

// Both from the page cache.
void measure_loading(Run& run) {
  constexpr int kRounds = 5;
  const path folder = checkpoint(run, {});
  load(folder);
  run.add("load", median_pair(kRounds, [&] {
            return TimedPair{
                .ours = seconds_of([&] { load(folder); }),
                .against = seconds_of([&] { read_all(folder / "model.safetensors"); })};
          }));
}

// The other ways to keep a 16-bit checkpoint, against all of it widened in memory.
void measure_residence(Run& run, const std::string& name, model::Residence residence) {
  const path folder = checkpoint(run, {.bfloat16 = true});
  const auto whole = load(folder, {.residence = model::Residence::kResident});
  const auto other = load(folder, {.residence = residence});
  const auto sequences = random_sequences(*whole, 128, 128);
  std::vector<model::SequenceScores> a;
  std::vector<model::SequenceScores> b;
  run.add(name, {.ours = seconds_of([&] { b = other->score(sequences, {}); }),
                 .against = seconds_of([&] { a = whole->score(sequences, {}); })});
  must_agree(a, b, name);
}

void measure_streaming(Run& run) {
  measure_residence(run, "streamed", model::Residence::kStreamed);
}

void measure_stored(Run& run) {
  measure_residence(run, "stored", model::Residence::k16Bit);
}

constexpr std::array<std::pair<std::string_view, void (*)(Run&)>, 8> kParts = {{
    {"memory", measure_memory},
    {"scoring", measure_scoring},
    {"gradients", measure_gradients},
    {"drafting", measure_drafting},
    {"batching", measure_batching},
    {"loading", measure_loading},
    {"streaming", measure_streaming},
    {"stored", measure_stored},
}};

void run_parts(const path& folder, std::string_view only) {
  make_folder(folder);
  Run run{.folder = folder};
  bool found = false;
  for (const auto& [name, measure] : kParts) {
    if (!only.empty() && only != name) continue;
    found = true;
    const double took = seconds_of([&measure = measure, &run] { measure(run); });
    fmt::print(stderr, "  {} ({:.0f} s)\n", name, took);
  }
  if (!found) throw Error({.what = "there is no such part", .found = std::string(only)});
  fmt::print("{}\n", run.results.dump());
}

}  // namespace
}  // namespace palimpsest

int main(int argc, char** argv) {
  const bool is_right = argc == 2 || (argc == 4 && std::string_view(argv[2]) == "--only");
  if (!is_right || argv[1][0] == '-') {
    fmt::print(stderr, "usage: model_speed FOLDER [--only PART]\n");
    return 2;
  }
  try {
    palimpsest::run_parts(argv[1], argc == 4 ? argv[3] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "model_speed: {}\n", error.what());
    return 1;
  }
  return 0;
}
