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

// From row to row. Where rows are a multiple of so many numbers long, the same place of neighbouring
// rows, which a product reads together, would have to share a few lines of the first-level cache; a
// line between them keeps it apart.
int64_t row_stride(int64_t width) {
  constexpr int64_t kMeet = 512;
  constexpr int64_t kLine = 16;
  return width % kMeet == 0 ? width + kLine : width;
}

// Memory for weights, in large pages where the system has them: filling small ones takes longer than
// reading the file.
at::Tensor fresh(int64_t rows, int64_t width) {
  constexpr uintptr_t kLargePage = uintptr_t{2} << 20U;
  const at::Tensor tensor = at::empty({rows, row_stride(width)}, at::kFloat);
  const auto address = reinterpret_cast<uintptr_t>(tensor.data_ptr<float>());
  const uintptr_t begin = (address + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t end = (address + tensor.nbytes()) / kLargePage * kLargePage;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  return tensor.narrow(1, 0, width);
}

// Rows of a fused matrix from "each head's query, key, value" to "all queries, all keys, all
// values": row (part, head, i) of the result is row (head, part, i) of the input.
at::Tensor rows_by_part(const at::Tensor& fused, int64_t heads, int64_t head_dim) {
  std::vector<int64_t> from = {heads, 3, head_dim};
  std::vector<int64_t> to = {3, heads, head_dim};
  const bool is_matrix = fused.dim() == 2;
  for (std::vector<int64_t>* shape : {&from, &to}) {
    if (is_matrix) shape->push_back(fused.size(1));
  }
  at::Tensor sorted =
      is_matrix ? fresh(fused.size(0), fused.size(1)) : at::empty(fused.sizes(), at::kFloat);
  sorted.view(to).copy_(fused.view(from).transpose(0, 1));
  return sorted;
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

void WeightSource::read_rows(const std::string& name, int64_t begin, int64_t end, float* out,
                             int64_t stride) const {
  constexpr int64_t kGrain = 1 << 16;
  const TensorView& view = tensor(name);
  const int64_t width = view.shape.size() == 2 ? view.shape[1] : 1;
  const int64_t size = byte_size(view.dtype);
  std::atomic<bool> finite = true;
  pool_.for_ranges(end - begin, kGrain / std::max<int64_t>(width, 1),
                   [&](int64_t first, int64_t last) {
                     const int64_t together = stride == width ? last - first : 1;
                     for (int64_t row = first; row < last; row += together) {
                       const std::byte* bytes = view.bytes.data() + (begin + row) * width * size;
                       if (!kernels::widen(view.dtype, bytes, together * width, out + row * stride))
                         finite = false;
                     }
                   });
  if (!finite) {
    throw Error({.what = fmt::format("tensor '{}' of the checkpoint holds NaN or infinity", name),
                 .hint = "the training diverged or the file is damaged"});
  }
  if (read_once_) checkpoint_.release(view);
}

void WeightSource::read(const std::string& name, at::Tensor& out) const {
  read_rows(name, 0, tensor(name).shape[0], out.data_ptr<float>(), out.stride(0));
}

NormWeights WeightSource::norm(const std::optional<NormSpec>& spec, int64_t layer) const {
  NormWeights weights;
  if (!spec) return weights;
  const auto load = [&](const std::string& name) {
    const std::string full = layer_name(name, layer);
    at::Tensor loaded = at::empty({tensor(full).shape[0]}, at::kFloat);
    read(full, loaded);
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
  weights.weight = fresh(spec.outputs(), spec.inputs);
  const bool has_bias =
      std::ranges::any_of(spec.parts, [](const LinearPart& p) { return p.bias.has_value(); });
  if (has_bias) weights.bias = at::zeros({spec.outputs()}, at::kFloat);
  int64_t row = 0;
  for (const LinearPart& part : spec.parts) {
    const std::string name = layer_name(part.weight, layer);
    at::Tensor target = weights.weight.narrow(0, row, part.outputs);
    if (spec.transposed) {
      at::Tensor stored = at::empty({spec.inputs, part.outputs}, at::kFloat);
      read(name, stored);
      target.copy_(stored.t());
    } else {
      read(name, target);
    }
    merge_updates(name, 0, target);
    if (part.bias) {
      at::Tensor bias = weights.bias.narrow(0, row, part.outputs);
      read(layer_name(*part.bias, layer), bias);
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
  read(*architecture_.positions, loaded);
  return loaded;
}

at::Tensor WeightSource::head_bias() const {
  if (!architecture_.head_bias) return {};
  at::Tensor loaded = at::empty({architecture_.vocab_size}, at::kFloat);
  read(*architecture_.head_bias, loaded);
  return loaded;
}

at::Tensor WeightSource::embedding_rows(int64_t begin, int64_t end) const {
  at::Tensor rows = fresh(end - begin, architecture_.hidden_size);
  read_rows(architecture_.embedding, begin, end, rows.data_ptr<float>(), rows.stride(0));
  return rows;
}

at::Tensor WeightSource::head_rows(int64_t begin, int64_t end) const {
  if (!architecture_.head) return embedding_rows(begin, end);
  at::Tensor rows = fresh(end - begin, architecture_.hidden_size);
  read_rows(*architecture_.head, begin, end, rows.data_ptr<float>(), rows.stride(0));
  merge_updates(*architecture_.head, begin, rows);
  return rows;
}

void WeightSource::embedding_row(int64_t id, float* out) const {
  read_rows(architecture_.embedding, id, id + 1, out, architecture_.hidden_size);
}

}  // namespace palimpsest::torch
