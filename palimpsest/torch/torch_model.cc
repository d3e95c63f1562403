#include "palimpsest/torch/torch_model.h"

#include <utility>

#include "palimpsest/model/request_check.h"
#include "palimpsest/torch/generator.h"
#include "palimpsest/torch/gradient.h"
#include "palimpsest/torch/guarded.h"

namespace palimpsest::torch {

TorchModel::TorchModel(TorchModelParts parts, ModelInfo info, ScorerOptions limits)
    : parts_(std::move(parts)), info_(std::move(info)), limits_(limits) {}

std::vector<SequenceScores> TorchModel::score(std::span<const Sequence> sequences,
                                              const ScoreOptions& options) {
  check_sequences(sequences, info_);
  return guarded([&] {
    if (!options.gradient_norms.empty()) {
      return score_with_gradients(*parts_.decoder, *parts_.pool, sequences, options,
                                  limits_.max_gradient_rows);
    }
    return score_sequences(*parts_.decoder, *parts_.pool, sequences, options, limits_);
  });
}

std::vector<Generation> TorchModel::generate(std::span<const Prompt> prompts,
                                             const GenerateOptions& options) {
  check_prompts(prompts, options, info_);
  return guarded([&] {
    return generate_texts(*parts_.decoder, *parts_.pool, prompts, options, GeneratorLimits());
  });
}

}  // namespace palimpsest::torch
