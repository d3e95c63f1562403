#include "palimpsest/lab/internal/unlearn_loss.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "palimpsest/engine/internal/parameter_tensors.h"
#include "palimpsest/lab/internal/token_losses.h"

namespace palimpsest::lab {
namespace {

// 1 / n, of which a batch without labels has none.
double share_of(int64_t n) {
  return 1.0 / static_cast<double>(std::max<int64_t>(1, n));
}

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

struct UnlearnLoss::OldModel {
  explicit OldModel(engine::Trainer& trainer)
      : ops(engine::make_cpu_ops(trainer.architecture(), trainer.pool())),
        decoder(trainer.architecture(), engine::deep_copy(trainer.weights()), *ops) {}

  std::unique_ptr<engine::Ops> ops;
  engine::Decoder decoder;
};

void LossSums::add(const LossSums& other) {
  forget += other.forget;
  retain += other.retain;
  forget_labels += other.forget_labels;
  retain_labels += other.retain_labels;
}

UnlearnLoss::UnlearnLoss(const UnlearnTerms& terms, engine::Trainer& trainer,
                         const std::vector<data::Example>& forget)
    : terms_(terms), trainer_(trainer) {
  if (terms.method == UnlearnMethod::kKl) old_ = std::make_unique<OldModel>(trainer);
  if (terms.method == UnlearnMethod::kNpo) {
    std::vector<int64_t> all(forget.size());
    std::iota(all.begin(), all.end(), int64_t{0});
    for (const std::vector<double>& sequence :
         trainer.log_probabilities(make_batch(forget, all).sequences)) {
      old_log_probabilities_.push_back(sum_of(sequence));
    }
  }
}

UnlearnLoss::~UnlearnLoss() = default;

LossSums UnlearnLoss::forget(const Batch& batch) {
  const double per_sequence = share_of(std::ssize(batch.sequences));
  engine::LossTerm term;
  // The loss falls as log p does: weights of -log p are minus its slopes in log π(y|x).
  switch (terms_.method) {
    case UnlearnMethod::kNpo:
      term.weigh = [&](size_t i, std::span<const double> log_p) {
        const double old = old_log_probabilities_[static_cast<size_t>(batch.members[i])];
        const double slope =
            2 * terms_.gamma * per_sequence * sigmoid(terms_.beta * (sum_of(log_p) - old));
        return std::vector<double>(log_p.size(), -slope);
      };
      break;
    case UnlearnMethod::kSimNpo:
      term.weigh = [&](size_t i, std::span<const double> log_p) {
        const double share = share_of(batch.lengths[i]);
        const double reward = terms_.beta * share * sum_of(log_p) + terms_.delta;
        const double slope = 2 * terms_.gamma * per_sequence * share * sigmoid(reward);
        return std::vector<double>(log_p.size(), -slope);
      };
      break;
    case UnlearnMethod::kGradAscent:
    case UnlearnMethod::kGradDiff:
    case UnlearnMethod::kKl:
      term.weights = even_weights(batch, -terms_.gamma * share_of(batch.num_labels));
      break;
  }
  return {.forget = total_of(trainer_.accumulate(batch.sequences, term)),
          .forget_labels = batch.num_labels};
}

LossSums UnlearnLoss::retain(const Batch& batch) {
  engine::LossTerm term;
  term.weights = even_weights(batch, terms_.alpha * share_of(batch.num_labels));
  if (old_) term.other = &old_->decoder;
  return {.retain = total_of(trainer_.accumulate(batch.sequences, term)),
          .retain_labels = batch.num_labels};
}

}  // namespace palimpsest::lab
