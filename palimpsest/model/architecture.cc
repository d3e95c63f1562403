#include "palimpsest/model/internal/architecture.h"

#include <numeric>

#include "palimpsest/base/internal/checked.h"

namespace palimpsest::model {
namespace {

constexpr std::string_view kLayerNumber = "{}";

// Appends the parameters of one layer (or, for names without {}, of the model) in the order asked.
class Lister {
 public:
  Lister(std::vector<Parameter>& list, int64_t layer) : list_(list), layer_(layer) {}

  void add(const std::string& name, std::vector<int64_t> shape) {
    list_.push_back({layer_name(name, layer_), std::move(shape)});
  }

  void add(const std::optional<NormSpec>& norm, int64_t size) {
    if (!norm) return;
    add(norm->weight, {size});
    if (norm->bias) add(*norm->bias, {size});
  }

  void add(const LinearSpec& linear) {
    for (const LinearPart& part : linear.parts) {
      if (linear.transposed) {
        add(part.weight, {linear.inputs, part.outputs});
      } else {
        add(part.weight, {part.outputs, linear.inputs});
      }
      if (part.bias) add(*part.bias, {part.outputs});
    }
  }

 private:
  std::vector<Parameter>& list_;
  int64_t layer_;
};

void add_layer(const Architecture& a, int64_t number, std::vector<Parameter>& list) {
  const bool whole = a.query_key_norm == QueryKeyNorm::kWholeProjection;
  const LayerSpec& layer = a.layer;
  Lister lister(list, number);
  lister.add(layer.attention_norm, a.hidden_size);
  lister.add(layer.query_key_value);
  lister.add(layer.query_norm, whole ? a.num_heads * a.head_dim : a.head_dim);
  lister.add(layer.key_norm, whole ? a.num_kv_heads * a.head_dim : a.head_dim);
  lister.add(layer.attention_out);
  lister.add(layer.attention_post_norm, a.hidden_size);
  lister.add(layer.mlp_norm, a.hidden_size);
  lister.add(layer.mlp_in);
  lister.add(layer.mlp_out);
  lister.add(layer.mlp_post_norm, a.hidden_size);
}

}  // namespace

int64_t LinearSpec::outputs() const {
  return std::accumulate(
      parts.begin(), parts.end(), int64_t{0},
      [](int64_t sum, const LinearPart& part) { return checked_add(sum, part.outputs); });
}

std::string layer_name(const std::string& name, int64_t layer) {
  const size_t position = name.find(kLayerNumber);
  if (position == std::string::npos) return name;
  std::string result = name;
  return result.replace(position, kLayerNumber.size(), std::to_string(layer));
}

std::vector<Rotary> Architecture::rotations() const {
  return rotary ? std::vector<Rotary>{*rotary} : std::vector<Rotary>();
}

LayerKind Architecture::layer_kind(int64_t index) const {
  return {.window = windows[static_cast<size_t>(index)],
          .rotation = rotary ? 0 : -1,
          .norm = norm,
          .norm_epsilon = norm_epsilon,
          .activation = activation,
          .gated_mlp = gated_mlp,
          .parallel_block = parallel_block,
          .mlp_size = mlp_size};
}

std::vector<Parameter> parameters(const Architecture& a) {
  std::vector<Parameter> list;
  Lister lister(list, 0);
  lister.add(a.embedding, {a.vocab_size, a.hidden_size});
  if (a.positions) lister.add(*a.positions, {a.max_positions.value_or(0), a.hidden_size});
  for (int64_t i = 0; i < a.num_layers; ++i) add_layer(a, i, list);
  lister.add(a.final_norm, a.hidden_size);
  if (a.head) lister.add(*a.head, {a.vocab_size, a.hidden_size});
  if (a.head_bias) lister.add(*a.head_bias, {a.vocab_size});
  return list;
}

int64_t num_elements(const Parameter& parameter) {
  return std::accumulate(parameter.shape.begin(), parameter.shape.end(), int64_t{1},
                         checked_mul<int64_t>);
}

int64_t num_parameters(const Architecture& architecture) {
  int64_t count = 0;
  for (const Parameter& parameter : parameters(architecture)) {
    count = checked_add(count, num_elements(parameter));
  }
  return count;
}

}  // namespace palimpsest::model
