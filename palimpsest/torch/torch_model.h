// LanguageModel on libtorch: checks what it is given, turns libtorch's exceptions into ours, and
// leaves the work to scorer.h, gradient.h and generator.h.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/torch/decoder.h"
#include "palimpsest/torch/ops.h"
#include "palimpsest/torch/scorer.h"
#include "palimpsest/torch/weights.h"

namespace palimpsest::torch {

struct TorchModelParts {
  std::unique_ptr<WorkerPool> pool;
  std::unique_ptr<WeightSource> source;
  std::unique_ptr<Ops> ops;
  std::unique_ptr<Decoder> decoder;
};

class TorchModel : public LanguageModel {
 public:
  TorchModel(TorchModelParts parts, ModelInfo info, ScorerOptions limits);

  const ModelInfo& info() const override { return info_; }
  std::vector<SequenceScores> score(std::span<const Sequence> sequences,
                                    const ScoreOptions& options) override;
  std::vector<Generation> generate(std::span<const Prompt> prompts,
                                   const GenerateOptions& options) override;

 private:
  void require_plain() const;

  TorchModelParts parts_;
  ModelInfo info_;
  ScorerOptions limits_;
};

}  // namespace palimpsest::torch
