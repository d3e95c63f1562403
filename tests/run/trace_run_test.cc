#include "palimpsest/run/trace_run.h"

#include <gtest/gtest.h>

#include "palimpsest/model/internal/fake_model.h"
#include "palimpsest/trace/trace_file.h"
#include "tests/run/tiny_tokenizer.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::run {
namespace {

std::vector<data::Example> examples(int64_t count, int64_t seed) {
  std::vector<data::Example> list;
  for (int64_t i = 0; i < count; ++i) {
    data::Example example{.index = std::to_string(i)};
    for (int64_t t = 0; t < 4 + i % 5; ++t) {
      example.ids.push_back((seed + 3 * i + t * t) % 20);
      example.labels.push_back(t < 2 ? kIgnoredLabel : example.ids.back());
    }
    example.prompt_ids = {example.ids[0], example.ids[1]};
    example.groups["part"] = i % 2 == 0 ? "even" : "odd";
    list.push_back(example);
  }
  return list;
}

// Fails after a number of batches, as a power cut does.
class FailingLoader : public model::ModelLoader {
 public:
  explicit FailingLoader(int64_t batches) : left_(batches) {}
  std::unique_ptr<model::LanguageModel> load(const std::filesystem::path& folder,
                                             const model::ModelOptions& options) override {
    return std::make_unique<Model>(inner_.load(folder, options), left_);
  }

  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override {
    return inner_.files(folder);
  }

 private:
  class Model : public model::LanguageModel {
   public:
    Model(std::unique_ptr<model::LanguageModel> inner, int64_t& left)
        : inner_(std::move(inner)), left_(left) {}
    const model::ModelInfo& info() const override { return inner_->info(); }
    std::vector<model::SequenceScores> score(std::span<const model::Sequence> sequences,
                                             const model::ScoreOptions& options) override {
      if (left_-- == 0) throw SystemError("the power went out");
      return inner_->score(sequences, options);
    }
    std::vector<model::Generation> generate(std::span<const model::Prompt> prompts,
                                            const model::GenerateOptions& options) override {
      return inner_->generate(prompts, options);
    }

   private:
    std::unique_ptr<model::LanguageModel> inner_;
    int64_t& left_;
  };
  model::FakeModelLoader inner_;
  int64_t left_;
};

struct Files {
  std::string forget, holdout;
  bool operator==(const Files&) const = default;
};

Files run(model::ModelLoader& loader, const TempFolder& folder, TraceCounts* counts = nullptr) {
  const auto forget = examples(9, 1);
  const auto holdout = examples(7, 5);
  TraceRun traces(loader, {.run = {.folder = folder.path() / "run", .work = {.batch_tokens = 12}}});
  const TraceCounts found = traces.trace(
      {.name = "fake", .folder = "fake"},
      {{.dataset = "forget", .examples = &forget, .out = folder.path() / "forget.jsonl"},
       {.dataset = "holdout", .examples = &holdout, .out = folder.path() / "holdout.jsonl"}},
      {.gradient_norms = {model::NormOrder::kTwo}}, tiny_tokenizer());
  if (counts != nullptr) *counts = found;
  return {folder.read("forget.jsonl"), folder.read("holdout.jsonl")};
}

TEST(TraceRunTest, WritesTracesThatCanBeRead) {
  const TempFolder folder;
  model::FakeModelLoader loader;
  run(loader, folder);
  trace::TraceReader reader(folder.path() / "forget.jsonl");
  EXPECT_EQ(reader.header().model, "fake");
  EXPECT_EQ(reader.header().dataset, "forget");
  trace::Trace trace;
  int64_t count = 0;
  while (reader.next(trace)) {
    EXPECT_EQ(trace.index, std::to_string(count));
    EXPECT_EQ(trace.num_labels, 2 + count % 5);
    EXPECT_EQ(trace.label->size(), trace.logprob->size());
    EXPECT_EQ(trace.tokens->size(), trace.logprob->size());
    EXPECT_EQ(trace.groups.at("part"), count % 2 == 0 ? "even" : "odd");
    EXPECT_GT(trace.grad_norm.at("2"), 0);
    ++count;
  }
  EXPECT_EQ(count, 9);
}

TEST(TraceRunTest, InMemoryItIsWhatTheFilesWouldHold) {
  const TempFolder folder;
  model::FakeModelLoader loader;
  run(loader, folder);
  const auto forget = examples(9, 1);
  const auto holdout = examples(7, 5);
  TraceRun traces(loader, {});
  const TracedInMemory traced = traces.trace_in_memory(
      {.name = "fake", .folder = "fake"},
      {{.dataset = "forget", .examples = &forget}, {.dataset = "holdout", .examples = &holdout}},
      {.gradient_norms = {model::NormOrder::kTwo}}, tiny_tokenizer());
  EXPECT_EQ(traced.counts.examples, 16);
  ASSERT_EQ(traced.sets.size(), 2U);
  for (const trace::TraceSet& set : traced.sets) {
    const auto file = folder.path() / (set.header.dataset + ".jsonl");
    EXPECT_EQ(trace::TraceReader(file).header().fingerprint, set.header.fingerprint);
    std::string text = trace::trace_header_line(set.header) + "\n";
    for (const trace::Trace& trace : set.traces) text += trace::trace_line(trace) + "\n";
    EXPECT_EQ(text, folder.read(set.header.dataset + ".jsonl"));
  }
}

TEST(TraceRunTest, AnInterruptedRunGivesTheSameBytes) {
  const TempFolder whole;
  model::FakeModelLoader loader;
  TraceCounts counts;
  const Files expected = run(loader, whole, &counts);
  EXPECT_EQ(counts.examples, 16);
  EXPECT_EQ(counts.resumed, 0);
  for (int64_t batches = 0; batches < 5; ++batches) {
    const TempFolder folder;
    FailingLoader failing(batches);
    EXPECT_THROW(run(failing, folder), SystemError);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "forget.jsonl"));
    TraceCounts again;
    EXPECT_EQ(run(loader, folder, &again), expected);
    EXPECT_EQ(again.resumed > 0, batches > 0);
  }
}

TEST(TraceRunTest, NothingIsComputedTwice) {
  const TempFolder folder;
  model::FakeModelLoader loader;
  TraceCounts counts;
  const Files first = run(loader, folder, &counts);
  EXPECT_EQ(loader.counts().scored_sequences, counts.sequences);
  EXPECT_EQ(loader.counts().backward_sequences, counts.sequences);
  EXPECT_EQ(run(loader, folder, &counts), first);
  EXPECT_EQ(counts.resumed, counts.sequences);
  EXPECT_EQ(loader.counts().scored_sequences, counts.sequences);
  EXPECT_EQ(loader.loads(), 1);
}

// The files are as good as the journals that they were made from.
TEST(TraceRunTest, WholeFilesServeInPlaceOfTheModel) {
  const TempFolder folder;
  model::FakeModelLoader loader;
  TraceCounts counts;
  const Files first = run(loader, folder, &counts);
  std::filesystem::remove_all(folder.path() / "run");
  EXPECT_EQ(run(loader, folder, &counts), first);
  EXPECT_EQ(counts.resumed, counts.sequences);
  EXPECT_EQ(loader.loads(), 1);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run"));
  // One is missing, or no longer whole: both are made again.
  std::filesystem::remove(folder.path() / "holdout.jsonl");
  EXPECT_EQ(run(loader, folder, &counts), first);
  EXPECT_EQ(counts.resumed, 0);
  std::filesystem::remove_all(folder.path() / "run");
  folder.write("forget.jsonl", first.forget.substr(0, first.forget.size() - 9));
  EXPECT_EQ(run(loader, folder, &counts), first);
  EXPECT_EQ(loader.loads(), 3);
}

TEST(TraceRunTest, OtherGroupsCostNoRun) {
  const TempFolder folder;
  model::FakeModelLoader loader;
  std::vector<data::Example> list = examples(6, 1);
  const auto trace = [&] {
    TraceRun(loader, {})
        .trace({.name = "fake", .folder = "fake"},
               {{.dataset = "d", .examples = &list, .out = folder.path() / "out.jsonl"}},
               {.gradient_norms = {model::NormOrder::kOne}}, tiny_tokenizer());
    trace::TraceReader reader(folder.path() / "out.jsonl");
    trace::Trace first;
    EXPECT_TRUE(reader.next(first));
    return first;
  };
  const trace::Trace before = trace();
  list[0].groups = {{"author", "x"}};
  const trace::Trace after = trace();
  EXPECT_EQ(loader.loads(), 1);
  EXPECT_EQ(after.groups.at("author"), "x");
  EXPECT_EQ(after.logprob, before.logprob);
  EXPECT_EQ(after.grad_norm, before.grad_norm);
}

// As a device that only runs forward.
class RefusingLoader : public model::FakeModelLoader {
 public:
  void check(const model::ModelOptions& /*options*/, bool gradients) const override {
    if (gradients) throw Error("no gradients here");
  }
};

TEST(TraceRunTest, GradientsThatCannotBeTakenCostNoLoading) {
  const TempFolder folder;
  RefusingLoader loader;
  expect_contains(error_of([&] { run(loader, folder); }), "no gradients here");
  EXPECT_EQ(loader.loads(), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run"));
}

TEST(TraceRunTest, ChangedInputsAreNotMistaken) {
  const TempFolder folder;
  model::FakeModelLoader loader;
  const auto trace = [&](int64_t seed, std::optional<int64_t> masked) {
    const auto list = examples(6, seed);
    TraceRun traces(loader, {.run = {.folder = folder.path() / "run"}});
    return traces
        .trace({.name = "fake", .folder = "fake"},
               {{.dataset = "d", .examples = &list, .out = folder.path() / "out.jsonl"}},
               {.masked_token = masked}, tiny_tokenizer())
        .resumed;
  };
  EXPECT_EQ(trace(1, std::nullopt), 0);
  EXPECT_EQ(trace(2, std::nullopt), 0);
  EXPECT_EQ(trace(1, 3), 0);
  EXPECT_GT(trace(1, std::nullopt), 0);
}

}  // namespace
}  // namespace palimpsest::run
