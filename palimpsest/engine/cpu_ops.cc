#include <algorithm>

#include "palimpsest/engine/internal/cpu_attention.h"
#include "palimpsest/engine/internal/matmul_tasks.h"
#include "palimpsest/engine/internal/ops.h"
#include "palimpsest/kernels/internal/rows.h"
#include "palimpsest/kernels/internal/widen.h"

namespace palimpsest::engine {
namespace {

// Rows that one thread takes at a time: enough work to be worth the hand-over.
constexpr int64_t kGrain = 16;

class CpuOps : public Ops {
 public:
  CpuOps(const model::Architecture& architecture, WorkerPool& pool)
      : architecture_(architecture), pool_(pool), attention_(architecture, pool), matmul_(pool) {}

  Matrix make(int64_t rows, int64_t columns) override { return host_matrix(rows, columns); }

  Matrix to_device(const Matrix& host) override { return host; }

  Matrix gather(const Matrix& table, std::span<const int64_t> rows) override {
    Matrix out = host_matrix(static_cast<int64_t>(rows.size()), table.columns());
    const int64_t stride = table.stride() * kernels::byte_size(table.dtype());
    for (size_t i = 0; i < rows.size(); ++i) {
      kernels::widen(table.dtype(), table.bytes() + rows[i] * stride, table.columns(),
                     out.row(static_cast<int64_t>(i)));
    }
    return out;
  }

  void copy(const Matrix& from, const Matrix& to) override {
    for (int64_t row = 0; row < from.rows(); ++row) {
      std::copy_n(from.row(row), from.columns(), to.row(row));
    }
  }

  bool uses_host_float32() const override { return true; }

  Matrix to_host(const Matrix& matrix) override { return matrix; }

  void scale(const Matrix& x, double factor) override {
    for (int64_t row = 0; row < x.rows(); ++row) {
      kernels::scale(x.row(row), static_cast<float>(factor), x.columns());
    }
  }

  void add(const Matrix& x, const Matrix& y) override {
    for (int64_t row = 0; row < x.rows(); ++row) kernels::add(y.row(row), x.row(row), x.columns());
  }

  void norm(const NormWeights& norm, const Matrix& x, const Matrix& out) override {
    const kernels::Norm kernel = norm_kernel(norm);
    const float* from = x.data();
    float* to = out.data();
    pool_.for_ranges(x.rows(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        kernels::normalize(kernel, from + row * kernel.width, to + row * kernel.width);
      }
    });
  }

  void multiply(const Matrix& x, const Matrix& weight, const Matrix& out) override {
    multiply(x, weight, out, false);
  }

  void multiply_add(const Matrix& x, const Matrix& weight, const Matrix& out) override {
    multiply(x, weight, out, true);
  }

  void prepare_attention(const LayerWeights& layer, const RotaryTable& rotary,
                         const Matrix& qkv) override {
    const int64_t width = qkv.columns();
    const float* bias = data_or_null(layer.query_key_value.bias);
    float* data = qkv.data();
    pool_.for_ranges(qkv.rows(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        float* x = data + row * width;
        if (bias != nullptr) kernels::add(x, bias, width);
        if (layer.query_norm.weight.defined()) norm_queries_and_keys(layer, x);
        if (rotary.half > 0) rotate_row(rotary, row, x);
      }
    });
  }

  void attention(int64_t layer, const Batch& batch, const Matrix& qkv, const Matrix& out,
                 const Matrix& log_sums) override {
    for (const Segment& segment : batch.segments) {
      if (!segment.cache) continue;
      segment.cache->reserve(layer, segment.cached + segment.count, segment.cached,
                             architecture_.num_kv_heads * architecture_.head_dim, *this);
    }
    attention_.run(layer, batch, qkv, out, log_sums);
  }

  void activate(const LayerWeights& layer, const Matrix& in, const Matrix& out) override {
    const int64_t width = in.columns();
    const int64_t size = out.columns();
    const float* add = data_or_null(layer.mlp_in.bias);
    pool_.for_ranges(in.rows(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        float* x = in.data() + row * width;
        if (add != nullptr) kernels::add(x, add, width);
        kernels::activate(layer.kind.activation, layer.kind.gated_mlp, x, size,
                          out.data() + row * size);
      }
    });
  }

  void add_residual(const Matrix& bias, const NormWeights& post_norm, const Matrix& x,
                    const Matrix& hidden) override {
    const int64_t width = hidden.columns();
    const float* add = data_or_null(bias);
    const bool normed = post_norm.weight.defined();
    const kernels::Norm kernel = normed ? norm_kernel(post_norm) : kernels::Norm();
    pool_.for_ranges(hidden.rows(), kGrain, [&](int64_t begin, int64_t end) {
      std::vector<float> normalized(static_cast<size_t>(normed ? width : 0));
      for (int64_t row = begin; row < end; ++row) {
        float* from = x.data() + row * width;
        if (add != nullptr) kernels::add(from, add, width);
        if (normed) kernels::normalize(kernel, from, normalized.data());
        kernels::add(hidden.data() + row * width, normed ? normalized.data() : from, width);
      }
    });
  }

  void finish_logits(const Matrix& bias, const Matrix& tile) override {
    const float cap = static_cast<float>(architecture_.logit_softcap.value_or(0));
    const float* add = data_or_null(bias);
    if (add == nullptr && cap == 0) return;
    const int64_t n = tile.columns();
    pool_.for_ranges(tile.rows(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        float* logits = tile.data() + row * n;
        if (add != nullptr) kernels::add(logits, add, n);
        if (cap > 0) kernels::soft_cap(logits, cap, n);
      }
    });
  }

  void reduce(int64_t first, const Matrix& tile, std::span<const int64_t> labels,
              std::span<kernels::VocabularyState> states) override {
    const int64_t n = tile.columns();
    pool_.for_ranges(tile.rows(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const auto i = static_cast<size_t>(row);
        kernels::accumulate_tile(states[i], tile.data() + row * n, first, n, labels[i]);
      }
    });
  }

 private:
  void multiply(const Matrix& x, const Matrix& weight, const Matrix& out, bool accumulate) {
    kernels::MatmulTask task = forward_matmul(x, weight, out);
    task.accumulate = accumulate;
    if (task.rows == 1) {
      matmul_.run_single(task);
    } else {
      matmul_.run(task);
    }
  }

  void norm_queries_and_keys(const LayerWeights& layer, float* x) const {
    const int64_t queries = architecture_.num_heads * architecture_.head_dim;
    const int64_t keys = architecture_.num_kv_heads * architecture_.head_dim;
    const kernels::Norm query_norm = norm_kernel(layer.query_norm);
    const kernels::Norm key_norm = norm_kernel(layer.key_norm);
    for (int64_t at = 0; at < queries; at += query_norm.width) {
      kernels::normalize(query_norm, x + at, x + at);
    }
    for (int64_t at = queries; at < queries + keys; at += key_norm.width) {
      kernels::normalize(key_norm, x + at, x + at);
    }
  }

  void rotate_row(const RotaryTable& rotary, int64_t row, float* x) const {
    const float* cosine = rotary.cosine.data() + row * rotary.half;
    const float* sine = rotary.sine.data() + row * rotary.half;
    for (int64_t head = 0; head < architecture_.num_heads + architecture_.num_kv_heads; ++head) {
      kernels::rotate(x + head * architecture_.head_dim, cosine, sine, rotary.half, false);
    }
  }

  const model::Architecture& architecture_;
  WorkerPool& pool_;
  CpuAttention attention_;
  kernels::Matmul matmul_;
};

}  // namespace

std::unique_ptr<Ops> make_cpu_ops(const model::Architecture& architecture, WorkerPool& pool) {
  return std::make_unique<CpuOps>(architecture, pool);
}

}  // namespace palimpsest::engine
