// A LanguageModel without weights, for tests of code that uses only the interface. The distribution
// of the next token is derived from a hash of the position and of the last few visible tokens. It
// is a proper distribution and the same on every machine, so log-probabilities, moments, argmax and
// greedy output agree with each other as in a real model. Masking and positions follow the rules of
// model/language_model.h. Nothing is batched or cached.
//
//   FakeModel model({.seed = 7});
//   model.score(sequences, {});
//   model.scored_sequences();  // the number of sequences scored so far
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

namespace palimpsest::model {

struct FakeModelOptions {
  int64_t vocab_size = 32;
  int64_t context = 3;  // number of last visible tokens that determine the next one
  uint64_t seed = 0;    // different seeds give different models
  // Generation ends when this many positions are used.
  std::optional<int64_t> max_positions = std::nullopt;
  GenerationConfig generation = {};
  // Reported in ModelInfo; has no effect on the results.
  std::function<bool(int64_t, int64_t)> positions_agree = {};
};

// The work that was requested from one model, or from all models of a loader.
struct FakeModelCounts {
  int64_t scored_sequences = 0;
  int64_t backward_sequences = 0;  // sequences whose gradient norms were computed
  int64_t generated_prompts = 0;
};

class FakeModel : public LanguageModel {
 public:
  // If `total` is given, it counts the work of this model as well.
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

// Returns a FakeModel for any folder, whether or not it exists. Different paths give different
// models.
class FakeModelLoader : public ModelLoader {
 public:
  explicit FakeModelLoader(const FakeModelOptions& options = {});

  std::unique_ptr<LanguageModel> load(const std::filesystem::path& folder,
                                      const ModelOptions& options) override;
  // Returns no files, because a fake model has none.
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override;

  int64_t loads() const { return loads_; }
  // The work of all models that this loader returned.
  const FakeModelCounts& counts() const { return *counts_; }

 private:
  FakeModelOptions options_;
  int64_t loads_ = 0;
  std::shared_ptr<FakeModelCounts> counts_;
};

}  // namespace palimpsest::model
