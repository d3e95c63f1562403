// The losses of the unlearning methods (see unlearning.h for their formulas), as weights of tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/engine/internal/trainer.h"
#include "palimpsest/lab/internal/batches.h"
#include "palimpsest/lab/unlearning.h"

namespace palimpsest::lab {

struct UnlearnTerms {
  UnlearnMethod method = UnlearnMethod::kNpo;
  double gamma = 1;
  double alpha = 1;
  double beta = 0.1;
  double delta = 0;
};

// What people want to see of a step, beside the loss that is minimised.
struct LossSums {
  double forget = 0;  // sum of -log p over labelled tokens
  double retain = 0;  // the same, or of KL divergences
  int64_t forget_labels = 0;
  int64_t retain_labels = 0;

  void add(const LossSums& other);
  double forget_mean() const {
    return forget_labels > 0 ? forget / static_cast<double>(forget_labels) : 0;
  }
  double retain_mean() const {
    return retain_labels > 0 ? retain / static_cast<double>(retain_labels) : 0;
  }
};

class UnlearnLoss {
 public:
  // The trainer's weights as they are now are the old model. It must outlive this.
  UnlearnLoss(const UnlearnTerms& terms, engine::Trainer& trainer,
              const std::vector<data::Example>& forget);
  ~UnlearnLoss();

  // Adds the gradient of a batch's loss to the trainer's.
  LossSums forget(const Batch& batch);
  LossSums retain(const Batch& batch);

 private:
  // The old model, to be run beside the new one.
  struct OldModel;

  UnlearnTerms terms_;
  engine::Trainer& trainer_;
  std::unique_ptr<OldModel> old_;              // kl
  std::vector<double> old_log_probabilities_;  // npo: log π₀(y|x) of each forget example
};

}  // namespace palimpsest::lab
