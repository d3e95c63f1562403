#include "palimpsest/engine/engine_model.h"

#include <fmt/format.h>

#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/engine/generator.h"
#include "palimpsest/engine/gradient.h"
#include "palimpsest/engine/guarded.h"
#include "palimpsest/model/request_check.h"

namespace palimpsest::engine {

EngineModel::EngineModel(EngineModelParts parts, ModelInfo info, ScorerOptions limits)
    : parts_(std::move(parts)), info_(std::move(info)), limits_(limits) {}

std::vector<SequenceScores> EngineModel::score(std::span<const Sequence> sequences,
                                               const ScoreOptions& options) {
  check_sequences(sequences, info_);
  return guarded([&] {
    if (!options.gradient_norms.empty()) {
      require_plain();
      return score_with_gradients(*parts_.decoder, *parts_.pool, sequences, options,
                                  limits_.max_gradient_rows)
          .scores;
    }
    return score_sequences(*parts_.decoder, sequences, options, limits_);
  });
}

void EngineModel::require_plain() const {
  if (parts_.ops->is_plain()) return;
  throw Error(
      {.what = fmt::format("gradient norms are taken in float32 on the CPU, not in {} on {}",
                           info_.dtype, info_.device),
       .hint = "load the model with device cpu and dtype float32 for them"});
}

std::vector<Generation> EngineModel::generate(std::span<const Prompt> prompts,
                                              const GenerateOptions& options) {
  check_prompts(prompts, options, info_);
  return guarded([&] {
    return generate_texts(
        *parts_.decoder, prompts, options,
        {.max_rows = limits_.max_rows, .max_cache_bytes = limits_.max_cache_bytes});
  });
}

}  // namespace palimpsest::engine
