#include "palimpsest/engine/internal/engine_model.h"

#include <fmt/format.h>

#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/engine/internal/generator.h"
#include "palimpsest/engine/internal/gradient.h"
#include "palimpsest/engine/internal/guarded.h"
#include "palimpsest/model/request_check.h"

namespace palimpsest::engine {

void require_whole_model(bool is_whole, std::string_view what) {
  if (is_whole) return;
  throw Error(
      {.what = fmt::format("{} a whole model in every process, and here its layers are split "
                           "among the processes",
                           what),
       .hint = "leave out --split-layers; --weights streamed runs models that do not fit "
               "into memory"});
}

EngineModel::EngineModel(EngineModelParts parts, model::ModelInfo info, ScorerOptions limits)
    : parts_(std::move(parts)), info_(std::move(info)), limits_(limits) {}

std::vector<model::SequenceScores> EngineModel::score(std::span<const model::Sequence> sequences,
                                                      const model::ScoreOptions& options) {
  model::check_sequences(sequences, info_);
  return guarded([&] {
    if (!options.gradient_norms.empty()) {
      PALIMPSEST_CHECK(!options.ranks);
      require_host_float32();
      require_whole_model(limits_.link == nullptr, "gradient norms need");
      return score_with_gradients(*parts_.decoder, *parts_.pool, sequences, options,
                                  limits_.max_gradient_rows)
          .scores;
    }
    return score_sequences(*parts_.decoder, sequences, options, limits_);
  });
}

void EngineModel::require_host_float32() const {
  if (parts_.ops->uses_host_float32()) return;
  throw Error(
      {.what = fmt::format("gradient norms are taken in float32 on the CPU, not in {} on {}",
                           info_.dtype, info_.device),
       .hint = "load the model with device cpu and dtype float32 for them"});
}

std::vector<model::Generation> EngineModel::generate(std::span<const model::Prompt> prompts,
                                                     const model::GenerateOptions& options) {
  require_whole_model(limits_.link == nullptr, "generation needs");
  model::check_prompts(prompts, options, info_);
  return guarded([&] { return generate_texts(*parts_.decoder, prompts, options, limits_); });
}

}  // namespace palimpsest::engine
