#include "palimpsest/lab/unlearn_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace palimpsest::lab {
namespace {

double value_of(const at::Tensor& scalar) {
  return static_cast<double>(*scalar.data_ptr<float>());
}

// 1 / n, of which a batch without labels has none.
double share_of(int64_t n) {
  return 1.0 / static_cast<double>(std::max<int64_t>(1, n));
}

// log π(y|x) of every example.
std::vector<float> sequence_log_probabilities(Session& session,
                                              const std::vector<Example>& examples) {
  constexpr int64_t kTogether = 32;
  std::vector<float> sums(examples.size());
  const auto batches = plan_epoch(std::ssize(examples), kTogether, Random(0));
  session.evaluate(std::ssize(batches), [&](const NetworkTensors& weights, int64_t unit) {
    const Batch batch = make_batch(examples, batches[static_cast<size_t>(unit)]);
    for (const Shard& shard : batch.shards) {
      const at::Tensor of_shard =
          sequence_sums(log_probabilities(session.network().logits(weights, shard), shard), shard);
      for (size_t b = 0; b < shard.members.size(); ++b) {
        sums[static_cast<size_t>(shard.members[b])] = of_shard.data_ptr<float>()[b];
      }
    }
  });
  return sums;
}

}  // namespace

void LossSums::add(const LossSums& other) {
  forget += other.forget;
  retain += other.retain;
  forget_labels += other.forget_labels;
  retain_labels += other.retain_labels;
}

UnlearnLoss::UnlearnLoss(const UnlearnTerms& terms, Session& session,
                         const std::vector<Example>& forget)
    : terms_(terms), session_(session) {
  if (terms.method == UnlearnMethod::kKl) old_values_ = session.values();
  if (terms.method == UnlearnMethod::kNpo) {
    old_log_probabilities_ = sequence_log_probabilities(session, forget);
  }
}

at::Tensor UnlearnLoss::preference(const at::Tensor& token_log_probabilities, const Batch& batch,
                                   const Shard& shard) const {
  const at::Tensor sums = sequence_sums(token_log_probabilities, shard);  // [B]
  at::Tensor fixed = at::empty({shard.sequences}, at::kFloat);  // what does not depend on π
  at::Tensor reward;
  if (terms_.method == UnlearnMethod::kNpo) {
    for (int64_t b = 0; b < shard.sequences; ++b) {
      const auto member = static_cast<size_t>(shard.members[static_cast<size_t>(b)]);
      fixed.data_ptr<float>()[b] = old_log_probabilities_[member];
    }
    reward = (sums - fixed) * terms_.beta;
  } else {
    std::vector<int64_t> lengths(static_cast<size_t>(shard.sequences));
    for (const int64_t owner : shard.owners) ++lengths[static_cast<size_t>(owner)];
    for (int64_t b = 0; b < shard.sequences; ++b) {
      fixed.data_ptr<float>()[b] = static_cast<float>(share_of(lengths[static_cast<size_t>(b)]));
    }
    reward = sums * fixed * terms_.beta + terms_.delta;
  }
  const double scale = -terms_.gamma * 2 / terms_.beta * share_of(batch.sequences);
  return at::log_sigmoid(-reward).sum() * scale;
}

at::Tensor UnlearnLoss::forget(const NetworkTensors& weights, const Batch& batch, size_t s,
                               LossSums& sums) const {
  const Shard& shard = batch.shards[s];
  const at::Tensor tokens =
      log_probabilities(session_.network().logits(weights, shard), shard);  // [M]
  const at::Tensor total = tokens.sum();
  sums.forget = -value_of(total);
  sums.forget_labels = shard.num_labels();
  if (terms_.method == UnlearnMethod::kNpo || terms_.method == UnlearnMethod::kSimNpo) {
    return preference(tokens, batch, shard);
  }
  return total * (terms_.gamma * share_of(batch.num_labels));
}

at::Tensor UnlearnLoss::retain(const NetworkTensors& weights, const Batch& batch, size_t s,
                               LossSums& sums) const {
  const Shard& shard = batch.shards[s];
  const at::Tensor logits = session_.network().logits(weights, shard);
  at::Tensor total;
  if (terms_.method == UnlearnMethod::kKl) {
    at::Tensor old;  // [M, V] log π₀
    {
      const c10::NoGradGuard quiet;
      const NetworkTensors old_weights(session_.layout(), const_cast<float*>(old_values_.data()),
                                       false);
      old = at::log_softmax(session_.network().logits(old_weights, shard), -1);
    }
    total = (old.exp() * (old - at::log_softmax(logits, -1))).sum();
  } else {
    total = -log_probabilities(logits, shard).sum();
  }
  sums.retain = value_of(total);
  sums.retain_labels = shard.num_labels();
  return total * (terms_.alpha * share_of(batch.num_labels));
}

}  // namespace palimpsest::lab
