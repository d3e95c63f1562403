#include <ATen/core/Tensor.h>

#include "palimpsest/base/error.h"
#include "palimpsest/torch/cpu_attention.h"
#include "palimpsest/torch/kernels/rows.h"
#include "palimpsest/torch/ops.h"
#include "palimpsest/torch/tensor_product.h"

namespace palimpsest::torch {
namespace {

// Rows that one thread takes at a time: enough work to be worth the hand-over.
constexpr int64_t kGrain = 16;

class CpuOps : public Ops {
 public:
  CpuOps(const Architecture& architecture, WorkerPool& pool)
      : a_(architecture), pool_(pool), attention_(architecture, pool), product_(pool) {}

  at::TensorOptions options() const override { return at::TensorOptions().dtype(at::kFloat); }

  bool is_plain() const override { return true; }

  void norm(const NormWeights& norm, const at::Tensor& x, at::Tensor& out) override {
    const kernels::Norm kernel = norm_kernel(a_, norm);
    const float* from = x.data_ptr<float>();
    float* to = out.data_ptr<float>();
    pool_.for_ranges(x.size(0), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        kernels::normalize(kernel, from + row * kernel.width, to + row * kernel.width);
      }
    });
  }

  void multiply(const at::Tensor& x, const at::Tensor& weight, at::Tensor& out) override {
    multiply(x, weight, out, false);
  }

  void multiply_add(const at::Tensor& x, const at::Tensor& weight, at::Tensor& out) override {
    multiply(x, weight, out, true);
  }

  void prepare_attention(const LayerWeights& layer, const RotaryTable& rotary,
                         at::Tensor& qkv) override {
    const int64_t width = qkv.size(1);
    const float* bias = data_or_null(layer.query_key_value.bias);
    float* data = qkv.data_ptr<float>();
    pool_.for_ranges(qkv.size(0), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        float* x = data + row * width;
        if (bias != nullptr) kernels::add(x, bias, width);
        if (layer.query_norm.weight.defined()) norm_queries_and_keys(layer, x);
        if (rotary.half > 0) rotate_row(rotary, row, x);
      }
    });
  }

  void attention(int64_t layer, const Batch& batch, const at::Tensor& qkv, at::Tensor& out,
                 at::Tensor& log_sums) override {
    attention_.run(layer, batch, qkv, out, log_sums);
  }

  void activate(const at::Tensor& bias, at::Tensor& in, at::Tensor& out) override {
    const int64_t width = in.size(1);
    const int64_t size = out.size(1);
    const float* add = data_or_null(bias);
    pool_.for_ranges(in.size(0), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        float* x = in.data_ptr<float>() + row * width;
        if (add != nullptr) kernels::add(x, add, width);
        kernels::activate(a_.activation, a_.gated_mlp, x, size, out.data_ptr<float>() + row * size);
      }
    });
  }

  void add_residual(const at::Tensor& bias, const NormWeights& post_norm, at::Tensor& x,
                    at::Tensor& hidden) override {
    const int64_t width = hidden.size(1);
    const float* add = data_or_null(bias);
    const bool normed = post_norm.weight.defined();
    const kernels::Norm kernel = normed ? norm_kernel(a_, post_norm) : kernels::Norm();
    pool_.for_ranges(hidden.size(0), kGrain, [&](int64_t begin, int64_t end) {
      std::vector<float> normalized(static_cast<size_t>(normed ? width : 0));
      for (int64_t row = begin; row < end; ++row) {
        float* from = x.data_ptr<float>() + row * width;
        if (add != nullptr) kernels::add(from, add, width);
        if (normed) kernels::normalize(kernel, from, normalized.data());
        kernels::add(hidden.data_ptr<float>() + row * width, normed ? normalized.data() : from,
                     width);
      }
    });
  }

  void finish_logits(const at::Tensor& bias, at::Tensor& tile) override {
    const float cap = static_cast<float>(a_.logit_softcap.value_or(0));
    const float* add = data_or_null(bias);
    if (add == nullptr && cap == 0) return;
    const int64_t n = tile.size(1);
    pool_.for_ranges(tile.size(0), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        float* logits = tile.data_ptr<float>() + row * n;
        if (add != nullptr) kernels::add(logits, add, n);
        if (cap > 0) kernels::soft_cap(logits, cap, n);
      }
    });
  }

  void reduce(int64_t first, at::Tensor& tile, std::span<const int64_t> labels,
              std::span<kernels::VocabularyState> states) override {
    const int64_t n = tile.size(1);
    pool_.for_ranges(tile.size(0), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const auto i = static_cast<size_t>(row);
        kernels::take_in(states[i], tile.data_ptr<float>() + row * n, first, n, labels[i]);
      }
    });
  }

 private:
  void multiply(const at::Tensor& x, const at::Tensor& weight, at::Tensor& out, bool accumulate) {
    kernels::ProductTask task = forward_product(x, weight, out);
    task.accumulate = accumulate;
    if (task.rows == 1) {
      product_.run_single(task);
    } else {
      product_.run(task);
    }
  }

  void norm_queries_and_keys(const LayerWeights& layer, float* x) const {
    const int64_t queries = a_.num_heads * a_.head_dim;
    const int64_t keys = a_.num_kv_heads * a_.head_dim;
    const kernels::Norm query_norm = norm_kernel(a_, layer.query_norm);
    const kernels::Norm key_norm = norm_kernel(a_, layer.key_norm);
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
    for (int64_t head = 0; head < a_.num_heads + a_.num_kv_heads; ++head) {
      kernels::rotate(x + head * a_.head_dim, cosine, sine, rotary.half, false);
    }
  }

  const Architecture& a_;
  WorkerPool& pool_;
  CpuAttention attention_;
  kernels::Product product_;
};

}  // namespace

std::unique_ptr<Ops> make_cpu_ops(const Architecture& architecture, WorkerPool& pool) {
  return std::make_unique<CpuOps>(architecture, pool);
}

}  // namespace palimpsest::torch
