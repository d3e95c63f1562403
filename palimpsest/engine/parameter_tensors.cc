#include "palimpsest/engine/internal/parameter_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "palimpsest/base/error.h"
#include "palimpsest/kernels/internal/transpose.h"

namespace palimpsest::engine {
namespace {

bool is_tied(const ModelWeights& weights) {
  return weights.head.storage() == weights.embedding.storage();
}

// Calls visit(matrix, is_matrix) for all that is there, in order.
template <class Weights, class Visit>
void visit_all(Weights& weights, Visit visit) {
  const bool tied = is_tied(weights);  // asked first: a visitor may renew what it is shown
  const auto norm = [&](auto& n) {
    if (n.weight.defined()) visit(n.weight, false);
    if (n.bias.defined()) visit(n.bias, false);
  };
  const auto linear = [&](auto& l) {
    visit(l.weight, true);
    if (l.bias.defined()) visit(l.bias, false);
  };
  visit(weights.embedding, true);
  if (weights.positions.defined()) visit(weights.positions, true);
  for (auto& layer : weights.layers) {
    norm(layer.attention_norm);
    linear(layer.query_key_value);
    norm(layer.query_norm);
    norm(layer.key_norm);
    linear(layer.attention_out);
    norm(layer.attention_post_norm);
    norm(layer.mlp_norm);
    linear(layer.mlp_in);
    linear(layer.mlp_out);
    norm(layer.mlp_post_norm);
  }
  norm(weights.final_norm);
  if (!tied) visit(weights.head, true);
  if (weights.head_bias.defined()) visit(weights.head_bias, false);
}

// New memory for every matrix, filled by fill(old, new).
template <class Fill>
ModelWeights renewed(const ModelWeights& weights, Fill fill) {
  ModelWeights made = weights;
  const bool tied = is_tied(weights);
  visit_all(made, [&](Matrix& matrix, bool) {
    const Matrix fresh = host_matrix(
        {.rows = matrix.rows(), .columns = matrix.columns(), .stride = matrix.stride()});
    fill(matrix, fresh);
    matrix = fresh;
  });
  if (tied) made.head = made.embedding;
  return made;
}

// The parameters of a checkpoint, found among fused matrices.
class StoredParameters {
 public:
  StoredParameters(const model::Architecture& architecture, const ModelWeights& weights)
      : architecture_(architecture) {
    add(architecture_.embedding, weights.embedding);
    if (architecture_.positions) add(*architecture_.positions, weights.positions);
    for (int64_t index = 0; index < architecture_.num_layers; ++index) {
      for_each_part(architecture_.layer_spec(index), weights.layers[static_cast<size_t>(index)],
                    [&](const auto& spec, const auto& part) { add(spec, index, part); });
    }
    add(architecture_.final_norm, 0, weights.final_norm);
    if (architecture_.head) add(*architecture_.head, weights.head);
    if (architecture_.head_bias) add_vector(*architecture_.head_bias, weights.head_bias);
  }

  // Row-major, as the checkpoint has it.
  std::vector<float> numbers(const std::string& name) const {
    const TensorPart& tensor = parts_.at(name);
    const Matrix& matrix = tensor.by_head ? rows_by_part(tensor.fused, architecture_.num_heads,
                                                         architecture_.head_dim, true)
                                          : tensor.fused;
    const Matrix part = tensor.is_vector ? matrix.slice_columns(tensor.first, tensor.count)
                                         : matrix.slice(tensor.first, tensor.count);
    std::vector<float> numbers(static_cast<size_t>(part.size()));
    if (tensor.transposed) {
      kernels::transpose(part.data(), part.stride(), part.rows(), part.columns(), numbers.data(),
                         part.rows());
      return numbers;
    }
    for (int64_t row = 0; row < part.rows(); ++row) {
      std::copy_n(part.row(row), part.columns(), numbers.data() + row * part.columns());
    }
    return numbers;
  }

 private:
  // Rows (of a vector: columns) [first, first + count) of a fused matrix.
  struct TensorPart {
    Matrix fused;
    int64_t first = 0;
    int64_t count = 0;
    bool is_vector = false;
    bool transposed = false;
    bool by_head = false;
  };

  void add(const std::string& name, const Matrix& matrix) {
    parts_[name] = {.fused = matrix, .count = matrix.rows()};
  }

  void add_vector(const std::string& name, const Matrix& vector) {
    parts_[name] = {.fused = vector, .count = vector.columns(), .is_vector = true};
  }

  void add(const std::optional<model::NormSpec>& spec, int64_t layer, const NormWeights& norm) {
    if (!spec) return;
    add_vector(model::layer_name(spec->weight, layer), norm.weight);
    if (spec->bias) add_vector(model::layer_name(*spec->bias, layer), norm.bias);
  }

  void add(const model::LinearSpec& spec, int64_t layer, const LinearWeights& linear) {
    const bool by_head = spec.rows == model::FusedRows::kByHead;
    int64_t first = 0;
    for (const model::LinearPart& part : spec.parts) {
      parts_[model::layer_name(part.weight, layer)] = {.fused = linear.weight,
                                                       .first = first,
                                                       .count = part.outputs,
                                                       .transposed = spec.transposed,
                                                       .by_head = by_head};
      if (part.bias) {
        parts_[model::layer_name(*part.bias, layer)] = {.fused = linear.bias,
                                                        .first = first,
                                                        .count = part.outputs,
                                                        .is_vector = true,
                                                        .by_head = by_head};
      }
      first += part.outputs;
    }
  }

  const model::Architecture& architecture_;
  std::map<std::string, TensorPart> parts_;
};

ModelWeights empty_weights(const model::Architecture& a) {
  const auto vector = [](int64_t width) { return host_zeros(1, width); };
  const auto linear = [&](const model::LinearSpec& spec) {
    LinearWeights weights{.weight = weight_matrix(spec.outputs(), spec.inputs)};
    if (std::ranges::any_of(spec.parts,
                            [](const model::LinearPart& p) { return p.bias.has_value(); })) {
      weights.bias = vector(spec.outputs());
    }
    return weights;
  };
  const auto norm = [&](const std::optional<model::NormSpec>& spec, int64_t width) {
    NormWeights weights{.kind = a.norm, .epsilon = a.norm_epsilon};
    if (!spec) return weights;
    weights.weight = vector(width);
    if (spec->bias) weights.bias = vector(width);
    return weights;
  };
  const bool each_head = a.query_key_norm == model::QueryKeyNorm::kEachHead;
  ModelWeights weights{.embedding = weight_matrix(a.vocab_size, a.hidden_size)};
  if (a.positions) weights.positions = host_matrix(a.max_positions.value(), a.hidden_size);
  for (int64_t index = 0; index < a.num_layers; ++index) {
    const model::LayerSpec& spec = a.layer_spec(index);
    weights.layers.push_back(
        {.kind = a.layer_kind(index),
         .attention_norm = norm(spec.attention_norm, a.hidden_size),
         .query_norm = norm(spec.query_norm, each_head ? a.head_dim : a.num_heads * a.head_dim),
         .key_norm = norm(spec.key_norm, each_head ? a.head_dim : a.num_kv_heads * a.head_dim),
         .attention_post_norm = norm(spec.attention_post_norm, a.hidden_size),
         .mlp_norm = norm(spec.mlp_norm, a.hidden_size),
         .mlp_post_norm = norm(spec.mlp_post_norm, a.hidden_size),
         .query_key_value = linear(spec.query_key_value),
         .attention_out = linear(spec.attention_out),
         .mlp_in = linear(spec.mlp_in),
         .mlp_out = linear(spec.mlp_out)});
  }
  weights.final_norm = norm(a.final_norm, a.hidden_size);
  weights.head = a.head ? weight_matrix(a.vocab_size, a.hidden_size) : weights.embedding;
  if (a.head_bias) weights.head_bias = vector(a.vocab_size);
  return weights;
}

}  // namespace

std::vector<WeightBlock> weight_blocks(const ModelWeights& weights) {
  std::vector<WeightBlock> blocks;
  visit_all(weights, [&](const Matrix& matrix, bool is_matrix) {
    blocks.push_back({.matrix = matrix, .is_matrix = is_matrix});
  });
  return blocks;
}

ModelWeights zeros_like(const ModelWeights& weights) {
  return renewed(weights, [](const Matrix&, const Matrix& fresh) {
    std::memset(fresh.bytes(), 0,
                sizeof(float) * static_cast<size_t>(fresh.rows() * fresh.stride()));
  });
}

ModelWeights deep_copy(const ModelWeights& weights) {
  return renewed(weights, [](const Matrix& old, const Matrix& fresh) {
    for (int64_t row = 0; row < old.rows(); ++row) {
      std::copy_n(old.row(row), old.columns(), fresh.row(row));
    }
  });
}

ModelWeights initial_weights(const model::Architecture& architecture, Random random) {
  constexpr double kDeviation = 0.02;
  const double to_residual =
      kDeviation / std::sqrt(2.0 * static_cast<double>(architecture.num_layers));
  ModelWeights weights = empty_weights(architecture);
  std::vector<const Storage*> writes_residual;
  std::vector<const Storage*> norms;
  for (const LayerWeights& layer : weights.layers) {
    writes_residual.push_back(layer.attention_out.weight.storage().get());
    writes_residual.push_back(layer.mlp_out.weight.storage().get());
    for (const NormWeights* norm :
         {&layer.attention_norm, &layer.query_norm, &layer.key_norm, &layer.attention_post_norm,
          &layer.mlp_norm, &layer.mlp_post_norm}) {
      norms.push_back(norm->weight.storage().get());
    }
  }
  norms.push_back(weights.final_norm.weight.storage().get());
  const auto is_among = [](const std::vector<const Storage*>& list, const Matrix& matrix) {
    return std::ranges::find(list, matrix.storage().get()) != list.end();
  };
  uint64_t number = 0;
  for (const WeightBlock& block : weight_blocks(weights)) {
    Random own = random.split(number++);
    const double deviation = is_among(writes_residual, block.matrix) ? to_residual : kDeviation;
    const bool is_one =
        is_among(norms, block.matrix) && architecture.norm != kernels::NormKind::kRmsPlus;
    for (int64_t row = 0; row < block.matrix.rows(); ++row) {
      for (int64_t i = 0; i < block.matrix.columns(); ++i) {
        block.matrix.row(row)[i] =
            block.is_matrix ? static_cast<float>(deviation * own.normal()) : (is_one ? 1.0F : 0.0F);
      }
    }
  }
  return weights;
}

void for_each_parameter(
    const model::Architecture& architecture, const ModelWeights& weights,
    const std::function<void(const model::Parameter&, std::span<const float>)>& visit) {
  const StoredParameters stored(architecture, weights);
  for (const model::Parameter& parameter : model::parameters(architecture)) {
    const std::vector<float> numbers = stored.numbers(parameter.name);
    PALIMPSEST_CHECK(static_cast<int64_t>(numbers.size()) == model::num_elements(parameter));
    visit(parameter, numbers);
  }
}

}  // namespace palimpsest::engine
