// A LanguageModel without weights, for tests of everything that only speaks to the interface. What
// follows a token is decided by a hash of its position and the last few visible tokens: a proper
// distribution, the same on every machine, so that log-probabilities, moments, argmax and greedy
// output agree with each other as a real model's do. Masking and positions follow the rules of
// language_model.h; nothing is batched or cached.
//
//   FakeModel model({.seed = 7});
//   model.score(sequences, {});
//   model.scored_sequences();  // did the planner ask for each only once?
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/model/language_model.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest {

struct FakeModelOptions {
  int64_t vocab_size = 32;
  int64_t context = 3;  // how many of the last visible tokens decide what follows
  uint64_t seed = 0;    // another seed is another model
  // Generation ends where the positions do.
  std::optional<int64_t> max_positions = std::nullopt;
  GenerationConfig generation = {};
  // What the model says of itself; changes nothing here.
  std::function<bool(int64_t, int64_t)> positions_agree = {};
};

// How much was asked of a model, or of all models of a loader.
struct FakeModelCounts {
  int64_t scored_sequences = 0;
  int64_t backward_sequences = 0;  // those whose gradient norms were computed
  int64_t generated_prompts = 0;
};

class FakeModel : public LanguageModel {
 public:
  // `total`, if given, is counted into as well.
  explicit FakeModel(const FakeModelOptions& options, std::string source = "fake",
                     std::shared_ptr<FakeModelCounts> total = nullptr);

  const ModelInfo& info() const override { return info_; }
  std::vector<SequenceScores> score(std::span<const Sequence> sequences,
                                    const ScoreOptions& options) override;
  std::vector<Generation> generate(std::span<const Prompt> prompts,
                                   const GenerateOptions& options) override;

  int64_t scored_sequences() const { return own_.scored_sequences; }
  int64_t backward_sequences() const { return own_.backward_sequences; }
  int64_t generated_prompts() const { return own_.generated_prompts; }

 private:
  std::vector<double> logits(std::span<const int64_t> visible, int64_t position) const;
  SequenceScores score_one(const Sequence& sequence, const ScoreOptions& options) const;
  std::vector<double> gradient_norms(const SequenceScores& scores,
                                     const ScoreOptions& options) const;
  Generation generate_one(const Prompt& prompt, const GenerateOptions& options,
                          uint64_t number) const;
  void count(int64_t FakeModelCounts::*field);

  FakeModelOptions options_;
  ModelInfo info_;
  FakeModelCounts own_;
  std::shared_ptr<FakeModelCounts> total_;
};

// Gives a FakeModel for any folder, there or not; another path is another model.
class FakeModelLoader : public ModelLoader {
 public:
  explicit FakeModelLoader(const FakeModelOptions& options = {});

  std::unique_ptr<LanguageModel> load(const std::filesystem::path& folder,
                                      const ModelOptions& options) override;
  // None: a fake model has no files.
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override;

  int64_t loads() const { return loads_; }
  // Over all models that this loader gave.
  const FakeModelCounts& counts() const { return *counts_; }

 private:
  FakeModelOptions options_;
  int64_t loads_ = 0;
  std::shared_ptr<FakeModelCounts> counts_;
};

}  // namespace palimpsest
