#include "palimpsest/torch/weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/model/parameter_check.h"
#include "palimpsest/torch/kernels/widen.h"

namespace palimpsest::torch {
namespace {

// Memory for weights, in large pages where the system has them: filling small ones takes longer than
// reading the file.
at::Tensor fresh(at::IntArrayRef shape) {
  constexpr uintptr_t kLargePage = uintptr_t{2} << 20U;
  at::Tensor tensor = at::empty(shape, at::kFloat);
  const auto address = reinterpret_cast<uintptr_t>(tensor.data_ptr<float>());
  const uintptr_t begin = (address + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t end = (address + tensor.nbytes()) / kLargePage * kLargePage;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  return tensor;
}

// Rows of a fused matrix from "each head's query, key, value" to "all queries, all keys, all
// values": row (part, head, i) of the result is row (head, part, i) of the input.
at::Tensor rows_by_part(const at::Tensor& fused, int64_t heads, int64_t head_dim) {
  std::vector<int64_t> shape = {heads, 3, head_dim};
  if (fused.dim() == 2) shape.push_back(fused.size(1));
  return fused.view(shape).transpose(0, 1).contiguous().view(fused.sizes());
}

}  // namespace

WeightSource::WeightSource(Architecture architecture, Checkpoint checkpoint,
                           std::optional<Adapter> adapter, WorkerPool& pool)
    : architecture_(std::move(architecture)),
      checkpoint_(std::move(checkpoint)),
      adapter_(std::move(adapter)),
      pool_(pool) {
  check_parameters(checkpoint_, architecture_);
  if (adapter_) check_adapter(*adapter_, architecture_);
}

const TensorView& WeightSource::tensor(const std::string& name) const {
  return require_parameter(checkpoint_, architecture_, name);
}

void WeightSource::read_rows(const std::string& name, int64_t begin, int64_t end,
                             float* out) const {
  const TensorView& view = tensor(name);
  const int64_t width = view.shape.size() == 2 ? view.shape[1] : 1;
  const int64_t size = byte_size(view.dtype);
  std::atomic<bool> finite = true;
  pool_.for_ranges((end - begin) * width, 1 << 16, [&](int64_t first, int64_t last) {
    const std::byte* bytes = view.bytes.data() + (begin * width + first) * size;
    if (!kernels::widen(view.dtype, bytes, last - first, out + first)) finite = false;
  });
  if (!finite) {
    throw Error({.what = fmt::format("tensor '{}' of the checkpoint holds NaN or infinity", name),
                 .hint = "the training diverged or the file is damaged"});
  }
  if (read_once_) checkpoint_.release(view);
}

void WeightSource::read(const std::string& name, float* out) const {
  read_rows(name, 0, tensor(name).shape[0], out);
}

NormWeights WeightSource::norm(const std::optional<NormSpec>& spec, int64_t layer) const {
  NormWeights weights;
  if (!spec) return weights;
  const auto load = [&](const std::string& name) {
    const std::string full = layer_name(name, layer);
    at::Tensor loaded = at::empty({tensor(full).shape[0]}, at::kFloat);
    read(full, loaded.data_ptr<float>());
    return loaded;
  };
  weights.weight = load(spec->weight);
  if (spec->bias) weights.bias = load(*spec->bias);
  return weights;
}

// Adds rows [first_row, …) of scale · B A. Weights are [outputs, inputs] here, whichever way round
// they are stored.
void WeightSource::merge_updates(const std::string& name, int64_t first_row,
                                 at::Tensor& rows) const {
  if (!adapter_) return;
  for (const LowRankUpdate& update : adapter_->updates()) {
    if (update.weight != name) continue;
    const auto load = [&](const TensorView& view) {
      at::Tensor loaded = at::empty(view.shape, at::kFloat);
      if (!kernels::widen(view.dtype, view.bytes.data(), loaded.numel(),
                          loaded.data_ptr<float>())) {
        throw Error(
            {.what = fmt::format("the adapter's tensor '{}' holds NaN or infinity", view.name)});
      }
      return loaded.to(at::kDouble);
    };
    rows += at::mm(load(*update.b).narrow(0, first_row, rows.size(0)), load(*update.a))
                .mul_(update.scale)
                .to(at::kFloat);
  }
}

LinearWeights WeightSource::linear(const LinearSpec& spec, int64_t layer) const {
  LinearWeights weights;
  weights.weight = fresh({spec.outputs(), spec.inputs});
  const bool has_bias =
      std::ranges::any_of(spec.parts, [](const LinearPart& p) { return p.bias.has_value(); });
  if (has_bias) weights.bias = at::zeros({spec.outputs()}, at::kFloat);
  int64_t row = 0;
  for (const LinearPart& part : spec.parts) {
    const std::string name = layer_name(part.weight, layer);
    at::Tensor target = weights.weight.narrow(0, row, part.outputs);
    if (spec.transposed) {
      at::Tensor stored = at::empty({spec.inputs, part.outputs}, at::kFloat);
      read(name, stored.data_ptr<float>());
      target.copy_(stored.t());
    } else {
      read(name, target.data_ptr<float>());
    }
    merge_updates(name, 0, target);
    if (part.bias) {
      read(layer_name(*part.bias, layer), weights.bias.data_ptr<float>() + row);
    }
    row += part.outputs;
  }
  if (spec.rows == FusedRows::kByHead) {
    const Architecture& a = architecture_;
    weights.weight = rows_by_part(weights.weight, a.num_heads, a.head_dim);
    if (has_bias) weights.bias = rows_by_part(weights.bias, a.num_heads, a.head_dim);
  }
  return weights;
}

LayerWeights WeightSource::layer(int64_t index) const {
  const LayerSpec& spec = architecture_.layer;
  return {.attention_norm = norm(spec.attention_norm, index),
          .query_norm = norm(spec.query_norm, index),
          .key_norm = norm(spec.key_norm, index),
          .attention_post_norm = norm(spec.attention_post_norm, index),
          .mlp_norm = norm(spec.mlp_norm, index),
          .mlp_post_norm = norm(spec.mlp_post_norm, index),
          .query_key_value = linear(spec.query_key_value, index),
          .attention_out = linear(spec.attention_out, index),
          .mlp_in = linear(spec.mlp_in, index),
          .mlp_out = linear(spec.mlp_out, index)};
}

NormWeights WeightSource::final_norm() const {
  return norm(architecture_.final_norm, 0);
}

at::Tensor WeightSource::positions() const {
  if (!architecture_.positions) return {};
  const TensorView& view = tensor(*architecture_.positions);
  at::Tensor loaded = at::empty(view.shape, at::kFloat);
  read(*architecture_.positions, loaded.data_ptr<float>());
  return loaded;
}

at::Tensor WeightSource::head_bias() const {
  if (!architecture_.head_bias) return {};
  at::Tensor loaded = at::empty({architecture_.vocab_size}, at::kFloat);
  read(*architecture_.head_bias, loaded.data_ptr<float>());
  return loaded;
}

at::Tensor WeightSource::embedding_rows(int64_t begin, int64_t end) const {
  at::Tensor rows = fresh({end - begin, architecture_.hidden_size});
  read_rows(architecture_.embedding, begin, end, rows.data_ptr<float>());
  return rows;
}

at::Tensor WeightSource::head_rows(int64_t begin, int64_t end) const {
  if (!architecture_.head) return embedding_rows(begin, end);
  at::Tensor rows = fresh({end - begin, architecture_.hidden_size});
  read_rows(*architecture_.head, begin, end, rows.data_ptr<float>());
  merge_updates(*architecture_.head, begin, rows);
  return rows;
}

void WeightSource::embedding_row(int64_t id, float* out) const {
  read_rows(architecture_.embedding, id, id + 1, out);
}

}  // namespace palimpsest::torch
