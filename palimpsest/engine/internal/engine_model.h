// Implements LanguageModel with the decoder. It checks its input; scorer.h, gradient.h and
// generator.h do the work.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/engine/internal/ops.h"
#include "palimpsest/engine/internal/scorer.h"
#include "palimpsest/engine/internal/weights.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

// The objects that a model owns. Later ones refer to earlier ones.
struct EngineModelParts {
  std::unique_ptr<WorkerPool> pool;
  std::unique_ptr<WeightSource> source;
  std::unique_ptr<Ops> ops;
  std::unique_ptr<Decoder> decoder;
};

// Throws the Error of a model of which only some layers are loaded, if it is asked for more than
// scores. `what` says what it is asked for: "generation needs".
void require_whole_model(bool is_whole, std::string_view what);

class EngineModel : public model::LanguageModel {
 public:
  EngineModel(EngineModelParts parts, model::ModelInfo info, ScorerOptions limits);

  const model::ModelInfo& info() const override { return info_; }
  std::vector<model::SequenceScores> score(std::span<const model::Sequence> sequences,
                                           const model::ScoreOptions& options) override;
  std::vector<model::Generation> generate(std::span<const model::Prompt> prompts,
                                          const model::GenerateOptions& options) override;

 private:
  void require_host_float32() const;

  EngineModelParts parts_;
  model::ModelInfo info_;
  ScorerOptions limits_;
};

}  // namespace palimpsest::engine
