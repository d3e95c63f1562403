// Attention of a whole batch with the functions of kernels/internal/attention.h. It determines
// which queries see which keys, and divides the work among threads.
#pragma once

#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/batch.h"
#include "palimpsest/engine/internal/weights.h"
#include "palimpsest/kernels/internal/attention.h"
#include "palimpsest/kernels/internal/rows.h"
#include "palimpsest/model/internal/architecture.h"

namespace palimpsest::engine {

// The norm in the form that a kernel takes. Its width is that of its weight.
kernels::Norm norm_kernel(const NormWeights& norm);

class CpuAttention {
 public:
  CpuAttention(const model::Architecture& architecture, WorkerPool& pool);

  // Does the same as Ops::attention. The caches of the batch must already have room.
  void run(int64_t layer, const Batch& batch, const Matrix& qkv, const Matrix& out,
           const Matrix& log_sums);

  // The gradient of a batch that ran without caches. All of qkv_gradient is written.
  void backward(int64_t layer, const Batch& batch, const Matrix& qkv, const Matrix& out,
                const Matrix& log_sums, const Matrix& out_gradient, const Matrix& qkv_gradient);

 private:
  struct SegmentTask {
    std::vector<kernels::KeyRange> ranges;
    kernels::AttentionTask task;
  };
  // The work of one thread: the key/value heads [kv_begin, kv_end) of a task.
  struct Unit {
    const SegmentTask* work = nullptr;
    int64_t kv_begin = 0;
    int64_t kv_end = 0;
  };
  kernels::AttentionShape shape(int64_t layer) const;
  std::vector<Unit> units(const std::vector<SegmentTask>& tasks) const;
  std::vector<SegmentTask> tasks(int64_t layer, const Batch& batch, const Matrix& qkv,
                                 const Matrix& out, const Matrix& log_sums) const;
  void append_to_caches(int64_t layer, const Batch& batch, const Matrix& qkv);

  const model::Architecture& architecture_;
  WorkerPool& pool_;
  std::vector<kernels::AttentionScratch> scratch_;  // one per worker
};

}  // namespace palimpsest::engine
