#include "palimpsest/engine/internal/cpu_attention.h"

#include <algorithm>

namespace palimpsest::engine {

kernels::Norm norm_kernel(const NormWeights& norm) {
  return {.kind = norm.kind,
          .weight = norm.weight.data(),
          .bias = data_or_null(norm.bias),
          .epsilon = static_cast<float>(norm.epsilon),
          .width = norm.weight.size()};
}

CpuAttention::CpuAttention(const model::Architecture& architecture, WorkerPool& pool)
    : architecture_(architecture), pool_(pool), scratch_(static_cast<size_t>(pool.size())) {}

kernels::AttentionShape CpuAttention::shape(int64_t layer) const {
  return {.heads = architecture_.num_heads,
          .kv_heads = architecture_.num_kv_heads,
          .head_dim = architecture_.head_dim,
          .scale = static_cast<float>(architecture_.attention_scale),
          .softcap = static_cast<float>(architecture_.attention_softcap.value_or(0)),
          .window = architecture_.layer_kind(layer).window};
}

void CpuAttention::append_to_caches(int64_t layer, const Batch& batch, const Matrix& qkv) {
  const int64_t queries = architecture_.num_heads * architecture_.head_dim;
  const int64_t width = architecture_.num_kv_heads * architecture_.head_dim;
  const int64_t stride = qkv.columns();
  for (const Segment& segment : batch.segments) {
    if (!segment.cache) continue;
    KvCache& cache = *segment.cache;
    float* keys = cache.keys[layer].data() + segment.cached * width;
    float* values = cache.values[layer].data() + segment.cached * width;
    const float* from = qkv.data() + segment.row * stride + queries;
    for (int64_t i = 0; i < segment.count; ++i) {
      std::copy_n(from + i * stride, width, keys + i * width);
      std::copy_n(from + i * stride + width, width, values + i * width);
    }
  }
}

std::vector<CpuAttention::SegmentTask> CpuAttention::tasks(int64_t layer, const Batch& batch,
                                                           const Matrix& qkv, const Matrix& out,
                                                           const Matrix& log_sums) const {
  const int64_t queries = architecture_.num_heads * architecture_.head_dim;
  const int64_t width = architecture_.num_kv_heads * architecture_.head_dim;
  const int64_t stride = qkv.columns();
  const auto cached = [&](const KvCache& cache, int64_t count) {
    return kernels::KeyRange{.keys = cache.keys[layer].data(),
                             .values = cache.values[layer].data(),
                             .stride = width,
                             .count = count,
                             .hidden = cache.hidden.empty() ? nullptr : cache.hidden.data()};
  };
  std::vector<SegmentTask> tasks(batch.segments.size());
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Segment& segment = batch.segments[i];
    SegmentTask& work = tasks[i];
    for (const CachedTokens& tokens : segment.context) {
      work.ranges.push_back(cached(*tokens.cache, tokens.count));
    }
    float* rows = qkv.data() + segment.row * stride;
    if (segment.cache) {
      work.ranges.push_back(cached(*segment.cache, segment.cached + segment.count));
    } else {
      work.ranges.push_back({.keys = rows + queries,
                             .values = rows + queries + width,
                             .stride = stride,
                             .count = segment.count,
                             .hidden = segment.hidden.empty() ? nullptr : segment.hidden.data()});
    }
    work.task = {.queries = rows,
                 .query_stride = stride,
                 .out = out.data() + segment.row * queries,
                 .out_stride = queries,
                 .log_sums = log_sums.defined()
                                 ? log_sums.data() + segment.row * architecture_.num_heads
                                 : nullptr,
                 .count = segment.count,
                 .first = segment.first(),
                 .decoding = segment.cache != nullptr && segment.cached > 0,
                 .ranges = work.ranges};
  }
  // The longest first, so that no thread is left with a long one at the end.
  std::ranges::stable_sort(tasks, std::greater(), [](const SegmentTask& work) {
    return work.task.count * (work.task.first + work.task.count);
  });
  for (SegmentTask& work : tasks) work.task.ranges = work.ranges;
  return tasks;
}

void CpuAttention::run(int64_t layer, const Batch& batch, const Matrix& qkv, const Matrix& out,
                       const Matrix& log_sums) {
  append_to_caches(layer, batch, qkv);
  const std::vector<SegmentTask> all = tasks(layer, batch, qkv, out, log_sums);
  const kernels::AttentionShape shape = this->shape(layer);
  const std::vector<Unit> units = this->units(all);
  pool_.run(static_cast<int64_t>(units.size()), [&](int64_t number, int worker) {
    const Unit& unit = units[static_cast<size_t>(number)];
    kernels::AttentionScratch& scratch = scratch_[static_cast<size_t>(worker)];
    kernels::attend(shape, unit.work->task, unit.kv_begin, unit.kv_end, scratch);
  });
}

// A head each, but where few queries decode as many heads together as leave work for every thread.
std::vector<CpuAttention::Unit> CpuAttention::units(const std::vector<SegmentTask>& tasks) const {
  constexpr int64_t kUnitsEach = 4;
  const auto count = static_cast<int64_t>(tasks.size());
  const int64_t wanted =
      std::max<int64_t>(1, kUnitsEach * pool_.size() / std::max<int64_t>(count, 1));
  const int64_t few_pieces = std::min(architecture_.num_kv_heads, wanted);
  std::vector<Unit> units;
  for (const SegmentTask& work : tasks) {
    const int64_t pieces =
        kernels::has_few_queries(work.task) ? few_pieces : architecture_.num_kv_heads;
    for (int64_t piece = 0; piece < pieces; ++piece) {
      units.push_back({.work = &work,
                       .kv_begin = architecture_.num_kv_heads * piece / pieces,
                       .kv_end = architecture_.num_kv_heads * (piece + 1) / pieces});
    }
  }
  return units;
}

void CpuAttention::backward(int64_t layer, const Batch& batch, const Matrix& qkv, const Matrix& out,
                            const Matrix& log_sums, const Matrix& out_gradient,
                            const Matrix& qkv_gradient) {
  const int64_t queries = architecture_.num_heads * architecture_.head_dim;
  const int64_t width = architecture_.num_kv_heads * architecture_.head_dim;
  const std::vector<SegmentTask> all = tasks(layer, batch, qkv, out, log_sums);
  const kernels::AttentionShape shape = this->shape(layer);
  const float* first_out = out.data();
  pool_.run(static_cast<int64_t>(all.size()) * architecture_.num_kv_heads,
            [&](int64_t unit, int worker) {
              const SegmentTask& work = all[static_cast<size_t>(unit / architecture_.num_kv_heads)];
              const int64_t row = (work.task.out - first_out) / queries;
              float* gradient = qkv_gradient.data() + row * qkv_gradient.columns();
              kernels::attend_backward(shape, work.task,
                                       {.out_gradient = out_gradient.data() + row * queries,
                                        .query_gradient = gradient,
                                        .key_gradient = gradient + queries,
                                        .value_gradient = gradient + queries + width,
                                        .gradient_stride = qkv_gradient.columns()},
                                       unit % architecture_.num_kv_heads,
                                       scratch_[static_cast<size_t>(worker)]);
            });
}

}  // namespace palimpsest::engine
