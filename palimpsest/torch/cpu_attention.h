// Attention of a whole batch by the kernels of attention.h: which queries see which keys, spread
// over the threads. Also small helpers that turn tensors into what kernels take.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/model/architecture.h"
#include "palimpsest/torch/batch.h"
#include "palimpsest/torch/kernels/attention.h"
#include "palimpsest/torch/kernels/rows.h"
#include "palimpsest/torch/weights.h"

namespace palimpsest::torch {

const float* data_or_null(const at::Tensor& tensor);

// The norm as a kernel; its width is that of its weight.
kernels::Norm norm_kernel(const Architecture& architecture, const NormWeights& norm);

class CpuAttention {
 public:
  CpuAttention(const Architecture& architecture, WorkerPool& pool);

  void run(int64_t layer, const Batch& batch, const at::Tensor& qkv, at::Tensor& out,
           at::Tensor& log_sums);

  // The gradient of a batch that ran without caches: qkv_gradient, all of it written.
  void backward(int64_t layer, const Batch& batch, const at::Tensor& qkv, const at::Tensor& out,
                const at::Tensor& log_sums, const at::Tensor& out_gradient,
                at::Tensor& qkv_gradient);

 private:
  struct Work {
    std::vector<kernels::KeyRange> ranges;
    kernels::AttentionTask task;
  };
  // What one thread does: key/value heads [kv_begin, kv_end) of a work.
  struct Unit {
    const Work* work = nullptr;
    int64_t kv_begin = 0;
    int64_t kv_end = 0;
  };
  kernels::AttentionShape shape(int64_t layer) const;
  std::vector<Unit> units(const std::vector<Work>& works) const;
  std::vector<Work> works(int64_t layer, const Batch& batch, const at::Tensor& qkv,
                          const at::Tensor& out, const at::Tensor& log_sums) const;
  void append_to_caches(int64_t layer, const Batch& batch, const at::Tensor& qkv);

  const Architecture& a_;
  WorkerPool& pool_;
  std::vector<kernels::AttentionScratch> scratch_;  // one a worker
};

}  // namespace palimpsest::torch
