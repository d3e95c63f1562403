#include "palimpsest/engine/internal/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/kernels/internal/transpose.h"
#include "palimpsest/kernels/internal/widen.h"
#include "palimpsest/model/internal/parameter_check.h"

namespace palimpsest::engine {
namespace {

constexpr int64_t kNumbersPerUnit = 1 << 16;  // numbers that one thread takes at a time

// From row to row. Where rows are a multiple of so many bytes long, the same offset of neighbouring
// rows, which a product reads together, would have to share a few lines of the first-level cache; a
// line between them keeps it apart.
int64_t row_stride(int64_t columns, kernels::DType dtype) {
  constexpr int64_t kMeet = 2048;
  constexpr int64_t kLine = 64;
  const int64_t bytes = kernels::byte_size(dtype);
  return columns * bytes % kMeet == 0 ? columns + kLine / bytes : columns;
}

Matrix weight_matrix_of(int64_t rows, int64_t columns, kernels::DType dtype) {
  return host_matrix(
      {.rows = rows, .columns = columns, .stride = row_stride(columns, dtype), .dtype = dtype});
}

}  // namespace

Matrix weight_matrix(int64_t rows, int64_t columns) {
  return weight_matrix_of(rows, columns, kernels::DType::kFloat32);
}

NormWeights moved_to_device(NormWeights norm, const ToDevice& to_device) {
  norm.weight = to_device(norm.weight);
  norm.bias = to_device(norm.bias);
  return norm;
}

LayerWeights moved_to_device(LayerWeights layer, const ToDevice& to_device) {
  for (NormWeights* norm : {&layer.attention_norm, &layer.query_norm, &layer.key_norm,
                            &layer.attention_post_norm, &layer.mlp_norm, &layer.mlp_post_norm}) {
    *norm = moved_to_device(std::move(*norm), to_device);
  }
  for (LinearWeights* linear :
       {&layer.query_key_value, &layer.attention_out, &layer.mlp_in, &layer.mlp_out}) {
    linear->weight = to_device(linear->weight);
    linear->bias = to_device(linear->bias);
  }
  return layer;
}

Matrix rows_by_part(const Matrix& fused, int64_t heads, int64_t head_dim, bool back) {
  constexpr int64_t kParts = 3;
  const bool is_vector = fused.rows() == 1;
  Matrix sorted =
      is_vector ? host_matrix(1, fused.columns()) : weight_matrix(fused.rows(), fused.columns());
  for (int64_t part = 0; part < kParts; ++part) {
    for (int64_t head = 0; head < heads; ++head) {
      for (int64_t i = 0; i < head_dim; ++i) {
        int64_t from = (head * kParts + part) * head_dim + i;
        int64_t to = (part * heads + head) * head_dim + i;
        if (back) std::swap(from, to);
        if (is_vector) {
          sorted.data()[to] = fused.data()[from];
        } else {
          std::copy_n(fused.row(from), fused.columns(), sorted.row(to));
        }
      }
    }
  }
  return sorted;
}

WeightSource::WeightSource(model::Architecture architecture, model::Checkpoint checkpoint,
                           std::optional<model::Adapter> adapter, WorkerPool& pool,
                           WeightWidth width)
    : architecture_(std::move(architecture)),
      checkpoint_(std::move(checkpoint)),
      adapter_(std::move(adapter)),
      pool_(pool),
      width_(width) {
  model::check_parameters(checkpoint_, architecture_);
  if (adapter_) model::check_adapter(*adapter_, architecture_);
}

const model::StoredTensor& WeightSource::tensor(const std::string& name) const {
  return model::require_parameter(checkpoint_, architecture_, name);
}

void WeightSource::read_rows(const std::string& name, int64_t begin, int64_t end, float* out,
                             int64_t stride) const {
  if (model::may_be_missing(name) &&
      model::find_parameter(checkpoint_, architecture_, name) == nullptr) {
    std::fill_n(out, end - begin, 0.0F);  // a bias: one number per row
    return;
  }
  const model::StoredTensor& view = tensor(name);
  const int64_t width = view.shape.size() == 2 ? view.shape[1] : 1;
  const int64_t size = kernels::byte_size(view.dtype);
  std::atomic<bool> finite = true;
  pool_.for_ranges(end - begin, kNumbersPerUnit / std::max<int64_t>(width, 1),
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

void WeightSource::read(const std::string& name, const Matrix& out) const {
  read_rows(name, 0, tensor(name).shape[0], out.data(), out.stride());
}

Matrix WeightSource::read_vector(const std::string& name, int64_t size) const {
  Matrix loaded = host_matrix(1, size);
  read_rows(name, 0, loaded.columns(), loaded.data(), 1);
  return loaded;
}

NormWeights WeightSource::norm(const std::optional<model::NormSpec>& spec, int64_t layer) const {
  NormWeights weights{.kind = architecture_.norm, .epsilon = architecture_.norm_epsilon};
  if (!spec) return weights;
  const std::string name = model::layer_name(spec->weight, layer);
  const int64_t size = tensor(name).shape[0];
  weights.weight = read_vector(name, size);
  if (spec->bias) weights.bias = read_vector(model::layer_name(*spec->bias, layer), size);
  return weights;
}

bool WeightSource::is_updated(const std::string& name) const {
  return adapter_ && std::ranges::any_of(
                         adapter_->updates(),
                         [&](const model::LowRankUpdate& update) { return update.weight == name; });
}

// Adds rows [first_row, …) of scale · B A, summed in double. Weights are [outputs, inputs] here,
// whichever way round they are stored.
void WeightSource::merge_updates(const std::string& name, int64_t first_row,
                                 const Matrix& rows) const {
  if (!adapter_) return;
  for (const model::LowRankUpdate& update : adapter_->updates()) {
    if (update.weight != name) continue;
    const auto load = [&](const model::StoredTensor& view) {
      Matrix loaded = host_matrix(view.shape[0], view.shape[1]);
      if (!kernels::widen(view.dtype, view.bytes.data(), loaded.size(), loaded.data())) {
        throw Error(
            {.what = fmt::format("the adapter's tensor '{}' holds NaN or infinity", view.name)});
      }
      return loaded;
    };
    const Matrix a = load(*update.a);
    const Matrix b = load(*update.b);
    pool_.for_ranges(rows.rows(), 1, [&](int64_t begin, int64_t end) {
      std::vector<double> sums(static_cast<size_t>(a.columns()));
      for (int64_t row = begin; row < end; ++row) {
        std::ranges::fill(sums, 0.0);
        for (int64_t k = 0; k < a.rows(); ++k) {
          const auto factor = static_cast<double>(b.row(first_row + row)[k]);
          const float* from = a.row(k);
          for (size_t i = 0; i < sums.size(); ++i) sums[i] += factor * static_cast<double>(from[i]);
        }
        float* to = rows.row(row);
        for (size_t i = 0; i < sums.size(); ++i)
          to[i] += static_cast<float>(sums[i] * update.scale);
      }
    });
  }
}

// The type in which a matrix made of these stored tensors stays in memory: 16 bits wide if that is
// wanted and loses nothing.
kernels::DType WeightSource::kept_type(const std::vector<std::string>& names) const {
  const kernels::DType dtype = tensor(names.front()).dtype;
  const bool loses_nothing = std::ranges::all_of(names, [&](const std::string& name) {
    return tensor(name).dtype == dtype && !is_updated(name);
  });
  return width_ == WeightWidth::kStored && loses_nothing ? dtype : kernels::DType::kFloat32;
}

void WeightSource::narrow(const Matrix& wide, const Matrix& out) const {
  const int64_t stride = out.stride() * kernels::byte_size(out.dtype());
  pool_.for_ranges(wide.rows(), kNumbersPerUnit / std::max<int64_t>(wide.columns(), 1),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t row = begin; row < end; ++row) {
                       kernels::narrow(out.dtype(), wide.row(row), wide.columns(),
                                       reinterpret_cast<uint16_t*>(out.bytes() + row * stride));
                     }
                   });
}

// Rows of the embedding or the head. Where they stay narrow only a few are wide at a time: these
// matrices are a model's largest.
Matrix WeightSource::vocabulary_rows(const std::string& name, int64_t begin, int64_t end) const {
  constexpr int64_t kTogether = 4096;
  const kernels::DType dtype = kept_type({name});
  const int64_t width = architecture_.hidden_size;
  Matrix rows = weight_matrix_of(end - begin, width, dtype);
  if (dtype == kernels::DType::kFloat32) {
    read_rows(name, begin, end, rows.data(), rows.stride());
    return rows;
  }
  for (int64_t first = begin; first < end; first += kTogether) {
    const Matrix wide = host_matrix(std::min(kTogether, end - first), width);
    read_rows(name, first, first + wide.rows(), wide.data(), wide.stride());
    narrow(wide, rows.slice(first - begin, wide.rows()));
  }
  return rows;
}

LinearWeights WeightSource::linear(const model::LinearSpec& spec, int64_t layer) const {
  LinearWeights weights;
  weights.weight = weight_matrix(spec.outputs(), spec.inputs);
  const bool has_bias = std::ranges::any_of(
      spec.parts, [](const model::LinearPart& p) { return p.bias.has_value(); });
  if (has_bias) weights.bias = host_zeros(1, spec.outputs());
  std::vector<std::string> names;
  int64_t row = 0;
  for (const model::LinearPart& part : spec.parts) {
    const std::string& name = names.emplace_back(model::layer_name(part.weight, layer));
    const Matrix target = weights.weight.slice(row, part.outputs);
    if (spec.transposed) {
      const Matrix stored = host_matrix(spec.inputs, part.outputs);
      read(name, stored);
      kernels::transpose(stored.data(), stored.stride(), stored.rows(), stored.columns(),
                         target.data(), target.stride());
    } else {
      read(name, target);
    }
    merge_updates(name, 0, target);
    if (part.bias) {
      const Matrix bias = weights.bias.slice_columns(row, part.outputs);
      read_rows(model::layer_name(*part.bias, layer), 0, part.outputs, bias.data(), 1);
    }
    row += part.outputs;
  }
  if (spec.rows == model::FusedRows::kByHead) {
    const model::Architecture& a = architecture_;
    weights.weight = rows_by_part(weights.weight, a.num_heads, a.head_dim);
    if (has_bias) weights.bias = rows_by_part(weights.bias, a.num_heads, a.head_dim);
  }
  const kernels::DType dtype = kept_type(names);
  if (dtype != kernels::DType::kFloat32) {
    const Matrix kept = weight_matrix_of(spec.outputs(), spec.inputs, dtype);
    narrow(weights.weight, kept);
    weights.weight = kept;
  }
  return weights;
}

ModelWeights WeightSource::all(const ToDevice& to_device) const {
  return part(0, architecture_.num_layers, to_device);
}

ModelWeights WeightSource::part(int64_t begin, int64_t end, const ToDevice& to_device) const {
  const model::Architecture& a = architecture_;
  ModelWeights weights;
  const bool is_first = begin == 0;
  const bool is_last = end == a.num_layers;
  if (is_last) {
    weights.final_norm = moved_to_device(final_norm(), to_device);
    weights.head_bias = to_device(head_bias());
  }
  if (is_first) {
    weights.positions = to_device(positions());
    weights.embedding = to_device(embedding_rows(0, a.vocab_size));
  }
  if (is_last) {
    const bool is_there = is_first && !a.head;
    weights.head = is_there ? weights.embedding : to_device(head_rows(0, a.vocab_size));
  }
  weights.layers.resize(static_cast<size_t>(a.num_layers));
  for (int64_t index = begin; index < end; ++index) {
    weights.layers[static_cast<size_t>(index)] = moved_to_device(layer(index), to_device);
  }
  return weights;
}

LayerWeights WeightSource::layer(int64_t index) const {
  const model::LayerSpec& spec = architecture_.layer_spec(index);
  return {.kind = architecture_.layer_kind(index),
          .attention_norm = norm(spec.attention_norm, index),
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

Matrix WeightSource::positions() const {
  if (!architecture_.positions) return {};
  const model::StoredTensor& view = tensor(*architecture_.positions);
  Matrix loaded = host_matrix(view.shape[0], view.shape[1]);
  read(*architecture_.positions, loaded);
  return loaded;
}

Matrix WeightSource::head_bias() const {
  return architecture_.head_bias ? read_vector(*architecture_.head_bias, architecture_.vocab_size)
                                 : Matrix();
}

Matrix WeightSource::embedding_rows(int64_t begin, int64_t end) const {
  return vocabulary_rows(architecture_.embedding, begin, end);
}

Matrix WeightSource::head_rows(int64_t begin, int64_t end) const {
  if (!architecture_.head) return embedding_rows(begin, end);
  Matrix rows = vocabulary_rows(*architecture_.head, begin, end);
  merge_updates(*architecture_.head, begin, rows);
  return rows;
}

void WeightSource::embedding_row(int64_t id, float* out) const {
  read_rows(architecture_.embedding, id, id + 1, out, architecture_.hidden_size);
}

}  // namespace palimpsest::engine
