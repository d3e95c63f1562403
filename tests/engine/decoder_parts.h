// A decoder of a golden checkpoint without a LanguageModel around it: for tests that choose the
// limits, or look at gradient norms tensor by tensor.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/engine/internal/gradient.h"
#include "palimpsest/engine/internal/scorer.h"
#include "palimpsest/engine/internal/weights.h"
#include "palimpsest/model/internal/checkpoint.h"
#include "tests/support/golden_models.h"

namespace palimpsest::engine {

struct DecoderParts {
  DecoderParts(const std::string& name, bool streamed, int threads = 2) {
    const std::filesystem::path folder = golden_model_folder(name);
    const std::filesystem::path config = folder / "config.json";
    pool = std::make_unique<WorkerPool>(threads);
    source =
        std::make_unique<WeightSource>(model::read_architecture(read_file(config), config.string()),
                                       model::Checkpoint::open(folder), std::nullopt, *pool);
    const model::Architecture& architecture = source->architecture();
    ops = make_cpu_ops(architecture, *pool);
    decoder = streamed ? std::make_unique<Decoder>(*source, *ops)
                       : std::make_unique<Decoder>(architecture, source->all(), *ops);
  }
  std::vector<model::SequenceScores> score(std::span<const model::Sequence> sequences,
                                           const ScorerOptions& limits,
                                           const model::ScoreOptions& options = {}) {
    return score_sequences(*decoder, sequences, options, limits);
  }
  GradientScores gradients(std::span<const model::Sequence> sequences, int64_t max_rows,
                           const model::ScoreOptions& options) {
    return score_with_gradients(*decoder, *pool, sequences, options, max_rows);
  }

  std::unique_ptr<WorkerPool> pool;
  std::unique_ptr<WeightSource> source;
  std::unique_ptr<Ops> ops;
  std::unique_ptr<Decoder> decoder;
};

}  // namespace palimpsest::engine
