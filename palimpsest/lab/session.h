// One model on its way through training: its parameters, optimizer and threads. Each shard of a
// step is differentiated by one thread with a single-threaded matrix library, and the gradients are
// added in the shards' order: the result has the same bytes whatever the number of threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/lab/adamw.h"
#include "palimpsest/lab/network.h"
#include "palimpsest/lab/parameter_layout.h"

namespace palimpsest::lab {

class Session {
 public:
  // From initial or trained values. `longest`: tokens of a sequence. Threads: 0: one for each core.
  // While a session lives, the matrix library has one thread in the whole process.
  Session(const ParameterLayout& layout, std::vector<float> values, int64_t longest, int threads);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The part of the loss, a scalar, that one shard of a step contributes.
  using Objective = std::function<at::Tensor(const NetworkTensors& weights, int64_t shard)>;

  // One step of the optimizer on the sum of the shards' losses, which it returns. Throws Error if
  // loss or gradient are not finite.
  double step(int64_t shards, const Objective& objective, AdamW& optimizer, double rate);

  // Calls body(weights, unit) for every unit, without derivatives.
  void evaluate(int64_t units,
                const std::function<void(const NetworkTensors& weights, int64_t unit)>& body);

  const Network& network() const { return network_; }
  const ParameterLayout& layout() const { return layout_; }
  const std::vector<float>& values() const { return values_; }

 private:
  double differentiate(const Objective& objective, int64_t shard);

  const ParameterLayout& layout_;
  std::vector<float> values_;
  Network network_;
  WorkerPool pool_;
  int threads_;
  std::vector<std::vector<float>> gradients_;  // a shard each
};

}  // namespace palimpsest::lab
