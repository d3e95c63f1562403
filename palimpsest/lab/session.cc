#include "palimpsest/lab/session.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <cstring>

#include "palimpsest/base/error.h"
#include "palimpsest/torch/guarded.h"
#include "palimpsest/torch/threads.h"

namespace palimpsest::lab {

Session::Session(const ParameterLayout& layout, std::vector<float> values, int64_t longest,
                 int threads)
    : layout_(layout),
      values_(std::move(values)),
      network_(layout.architecture(), longest),
      pool_(threads),
      threads_(threads) {
  PALIMPSEST_CHECK(std::ssize(values_) == layout.size());
  torch::arrange_threads(1);
}

Session::~Session() {
  torch::arrange_threads(threads_);
}

double Session::differentiate(const Objective& objective, int64_t shard) {
  const c10::AutoGradMode recording(true);
  const NetworkTensors weights(layout_, values_.data(), true);
  const at::Tensor loss = objective(weights, shard);
  const std::vector<at::Tensor> gradients = ::torch::autograd::grad({loss}, weights.all);
  std::vector<float>& flat = gradients_[static_cast<size_t>(shard)];
  flat.resize(values_.size());
  for (size_t b = 0; b < gradients.size(); ++b) {
    const at::Tensor gradient = gradients[b].contiguous();
    std::memcpy(flat.data() + layout_.blocks()[b].offset, gradient.data_ptr<float>(),
                static_cast<size_t>(gradient.numel()) * sizeof(float));
  }
  return static_cast<double>(*loss.data_ptr<float>());
}

double Session::step(int64_t shards, const Objective& objective, AdamW& optimizer, double rate) {
  gradients_.resize(std::max(gradients_.size(), static_cast<size_t>(shards)));
  std::vector<double> losses(static_cast<size_t>(shards));
  torch::guarded([&] {
    pool_.run(shards, [&](int64_t shard, int) {
      losses[static_cast<size_t>(shard)] = differentiate(objective, shard);
    });
  });
  std::vector<float>& total = gradients_[0];
  constexpr int64_t kGrain = 1 << 15;
  pool_.for_ranges(std::ssize(total), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t shard = 1; shard < shards; ++shard) {
      const std::vector<float>& part = gradients_[static_cast<size_t>(shard)];
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
        total[i] += part[i];
      }
    }
  });
  double loss = 0;
  for (const double part : losses) loss += part;
  const double length = optimizer.step(values_, total, rate, pool_);
  if (!std::isfinite(loss) || !std::isfinite(length)) {
    throw Error({.what = "the loss or its gradient is no longer finite",
                 .hint = "lower the learning rate or the number of epochs"});
  }
  return loss;
}

void Session::evaluate(int64_t units,
                       const std::function<void(const NetworkTensors&, int64_t)>& body) {
  torch::guarded([&] {
    pool_.run(units, [&](int64_t unit, int) {
      const c10::NoGradGuard quiet;
      body(NetworkTensors(layout_, values_.data(), false), unit);
    });
  });
}

}  // namespace palimpsest::lab
