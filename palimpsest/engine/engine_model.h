// LanguageModel on the decoder: checks what it is given and leaves the work to scorer.h, gradient.h and generator.h.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/engine/decoder.h"
#include "palimpsest/engine/ops.h"
#include "palimpsest/engine/scorer.h"
#include "palimpsest/engine/weights.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

struct EngineModelParts {
  std::unique_ptr<WorkerPool> pool;
  std::unique_ptr<WeightSource> source;
  std::unique_ptr<Ops> ops;
  std::unique_ptr<Decoder> decoder;
};

class EngineModel : public LanguageModel {
 public:
  EngineModel(EngineModelParts parts, ModelInfo info, ScorerOptions limits);

  const ModelInfo& info() const override { return info_; }
  std::vector<SequenceScores> score(std::span<const Sequence> sequences,
                                    const ScoreOptions& options) override;
  std::vector<Generation> generate(std::span<const Prompt> prompts,
                                   const GenerateOptions& options) override;

 private:
  void require_plain() const;

  EngineModelParts parts_;
  ModelInfo info_;
  ScorerOptions limits_;
};

}  // namespace palimpsest::engine
