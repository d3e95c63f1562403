// One model on its way through training: its weights, gradients, optimizer and threads, and what
// becomes of it when a step fails. The result has the same bytes whatever the number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/trainer.h"
#include "palimpsest/lab/internal/adamw.h"
#include "palimpsest/lab/internal/model_folder.h"

namespace palimpsest::lab {

struct SessionOptions {
  int64_t micro_batch = 4096;  // tokens that run together
  std::filesystem::path out;   // where the model will be: what failed leaves its traces beside it
};

class Session {
 public:
  // `architecture`, `texts` and `pool` must outlive it.
  Session(const model::Architecture& architecture, engine::ModelWeights weights,
          const ModelTexts& texts, const AdamWOptions& optimizer, WorkerPool& pool,
          const SessionOptions& options);

  // One step: body() accumulates gradients in the trainer and returns the loss. If loss or gradient
  // are not finite the weights stay as they were, go to a folder beside `out`, and Error is thrown
  // that names the step and the folder.
  double step(double rate, const std::function<double()>& body);

  engine::Trainer& trainer() { return trainer_; }

 private:
  [[noreturn]] void stop(double loss);

  const model::Architecture& architecture_;
  const ModelTexts& texts_;
  WorkerPool& pool_;
  std::filesystem::path out_;
  engine::Trainer trainer_;
  AdamW optimizer_;
  int64_t steps_ = 0;
};

}  // namespace palimpsest::lab
