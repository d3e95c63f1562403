// A decoder of a golden checkpoint without a LanguageModel around it: for tests that choose the
// limits, or look at gradient norms tensor by tensor.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/base/file.h"
#include "palimpsest/base/worker_pool.h"
#include "palimpsest/engine/decoder.h"
#include "palimpsest/engine/gradient.h"
#include "palimpsest/engine/scorer.h"
#include "palimpsest/engine/weights.h"
#include "palimpsest/model/checkpoint.h"
#include "tests/support/golden_models.h"

namespace palimpsest {

struct DecoderParts {
  DecoderParts(const std::string& name, bool streamed, int threads = 2) {
    const std::filesystem::path folder = golden_model_folder(name);
    const std::filesystem::path config = folder / "config.json";
    pool = std::make_unique<WorkerPool>(threads);
    source = std::make_unique<engine::WeightSource>(
        read_architecture(read_file(config), config.string()), Checkpoint::open(folder),
        std::nullopt, *pool);
    const Architecture& architecture = source->architecture();
    ops = engine::make_cpu_ops(architecture, *pool);
    decoder = streamed ? std::make_unique<engine::Decoder>(*source, *ops)
                       : std::make_unique<engine::Decoder>(architecture, source->all(), *ops);
  }
  std::vector<SequenceScores> score(std::span<const Sequence> sequences,
                                    const engine::ScorerOptions& limits,
                                    const ScoreOptions& options = {}) {
    return engine::score_sequences(*decoder, sequences, options, limits);
  }
  engine::GradientScores gradients(std::span<const Sequence> sequences, int64_t max_rows,
                                   const ScoreOptions& options) {
    return engine::score_with_gradients(*decoder, *pool, sequences, options, max_rows);
  }

  std::unique_ptr<WorkerPool> pool;
  std::unique_ptr<engine::WeightSource> source;
  std::unique_ptr<engine::Ops> ops;
  std::unique_ptr<engine::Decoder> decoder;
};

}  // namespace palimpsest
