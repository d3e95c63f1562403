#include "palimpsest/model/internal/family_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"

namespace palimpsest::model {
namespace {

// More than any model has; keeps lists that grow with these numbers small.
constexpr int64_t kMaxLayers = 10'000;
constexpr int64_t kMaxHeadDim = 1 << 16;

constexpr std::pair<std::string_view, kernels::Activation> kActivations[] = {
    {"silu", kernels::Activation::kSilu},
    {"swish", kernels::Activation::kSilu},
    {"gelu", kernels::Activation::kGelu},
    {"gelu_python", kernels::Activation::kGelu},
    {"gelu_new", kernels::Activation::kGeluTanh},
    {"gelu_fast", kernels::Activation::kGeluTanh},
    {"gelu_pytorch_tanh", kernels::Activation::kGeluTanh},
    {"relu", kernels::Activation::kRelu},
};

// As many heads for keys and values as for queries, and of the usual size.
void read_plain_heads(const ConfigFields& config, const FamilyDefaults& defaults, Architecture& a) {
  a.num_heads = config.size(defaults.heads_key);
  a.num_kv_heads = a.num_heads;
  a.head_dim = a.hidden_size / a.num_heads;
  if (a.hidden_size % a.num_heads != 0) {
    config.fail(defaults.hidden_key, fmt::format("({}) is not a multiple of {} ({})", a.hidden_size,
                                                 defaults.heads_key, a.num_heads));
  }
}

void read_grouped_heads(const ConfigFields& config, const FamilyDefaults& defaults,
                        Architecture& a) {
  if (config.find("head_dim") != nullptr || defaults.head_dim) {
    a.num_heads = config.size(defaults.heads_key);
    a.head_dim = config.size_or("head_dim", defaults.head_dim.value_or(0));
  } else {
    read_plain_heads(config, defaults, a);
  }
  // null means as many as heads even where the class has another default.
  constexpr const char* kKey = "num_key_value_heads";
  const int64_t fallback =
      config.has(kKey) ? a.num_heads : defaults.num_kv_heads.value_or(a.num_heads);
  a.num_kv_heads = config.size_or(kKey, fallback);
  if (a.num_heads % a.num_kv_heads != 0) {
    config.fail(kKey, fmt::format("({}) does not divide {} ({})", a.num_kv_heads,
                                  defaults.heads_key, a.num_heads));
  }
}

void read_heads(const ConfigFields& config, const FamilyDefaults& defaults, Architecture& a) {
  if (defaults.grouped_heads) {
    read_grouped_heads(config, defaults, a);
  } else {
    read_plain_heads(config, defaults, a);
  }
  // Both are below 2^31, so that the product fits; a quarter leaves room for queries, keys and
  // values in one matrix.
  if (a.head_dim > kMaxHeadDim || a.num_heads * a.head_dim > ConfigFields::kMaxSize / 4) {
    throw Error(
        {.what = fmt::format("{} heads of {} numbers are too many", a.num_heads, a.head_dim),
         .where = config.where(),
         .hint = fmt::format("check {} and head_dim", defaults.heads_key)});
  }
  a.attention_scale = 1 / std::sqrt(static_cast<double>(a.head_dim));
}

// The row of the embedding that transformers makes a padding row; one beyond the vocabulary it
// refuses too.
std::optional<int64_t> read_padding_row(const ConfigFields& config, int64_t vocab_size,
                                        std::optional<int64_t> fallback) {
  if (!config.has("pad_token_id")) {
    return fallback && *fallback < vocab_size ? fallback : std::nullopt;
  }
  const std::optional<int64_t> id = config.integer("pad_token_id");
  if (!id) return std::nullopt;
  if (*id >= vocab_size || *id < -vocab_size) {
    config.fail("pad_token_id",
                fmt::format("({}) is beyond the vocabulary of {}", *id, vocab_size));
  }
  return *id < 0 ? *id + vocab_size : *id;  // counted from the end, as torch does
}

// One answer per layer from layer_types; nothing if the file has none.
std::optional<std::vector<bool>> stated_sliding(const ConfigFields& config, int64_t num_layers) {
  const Json* types = config.find("layer_types");
  if (types == nullptr) return std::nullopt;
  if (!types->is_array() || static_cast<int64_t>(types->size()) != num_layers) {
    config.fail("layer_types", fmt::format("is not an array of {} names", num_layers));
  }
  std::vector<bool> sliding;
  for (const Json& type : *types) {
    sliding.push_back(type == "sliding_attention");
    if (!sliding.back() && type != "full_attention") {
      config.fail("layer_types", "names a kind of layer that is not supported",
                  "full_attention and sliding_attention are");
    }
  }
  return sliding;
}

}  // namespace

kernels::Activation read_activation(const ConfigFields& config, const char* key,
                                    const std::string& fallback) {
  const std::string name = config.text(key).value_or(fallback);
  std::vector<std::string_view> known;
  for (const auto& [spelling, activation] : kActivations) {
    if (spelling == name) return activation;
    known.push_back(spelling);
  }
  throw Error({.what = fmt::format("the {} '{}' is not supported", key, name),
               .where = config.where(),
               .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

Architecture read_sizes(const ConfigFields& config, const FamilyDefaults& defaults) {
  Architecture a;
  a.vocab_size = config.size("vocab_size");
  a.hidden_size = config.size(defaults.hidden_key, ConfigFields::kMaxSize / 4);
  a.num_layers = config.size(defaults.layers_key, kMaxLayers);
  read_heads(config, defaults, a);
  const bool four_times = defaults.mlp_is_four_times_hidden && !config.find(defaults.mlp_key);
  a.mlp_size =
      four_times ? 4 * a.hidden_size : config.size(defaults.mlp_key, ConfigFields::kMaxSize / 2);
  a.norm_epsilon = config.positive_or(defaults.epsilon_key, defaults.norm_epsilon);
  a.activation = read_activation(config, defaults.activation_key, defaults.activation);
  const int64_t positions = defaults.max_positions
                                ? config.size_or(defaults.positions_key, *defaults.max_positions)
                                : config.size(defaults.positions_key);
  a.max_positions = positions;
  if (defaults.rotary) {
    a.rotary = read_rotary(config, a.head_dim, positions, *defaults.rotary);
    a.max_positions = longest_sequence(*a.rotary, positions);
  }
  a.tied_embeddings = config.flag_or("tie_word_embeddings", defaults.tied_embeddings);
  if (defaults.padding_row) {
    a.padding_index = read_padding_row(config, a.vocab_size, defaults.pad_id);
  }
  return a;
}

void set_windows(const ConfigFields& config, std::optional<int64_t> window,
                 const std::function<bool(int64_t layer)>& is_sliding, Architecture& a) {
  const auto stated = stated_sliding(config, a.num_layers);
  a.windows.clear();
  for (int64_t i = 0; i < a.num_layers; ++i) {
    const bool sliding = stated ? (*stated)[static_cast<size_t>(i)] : is_sliding(i);
    if (sliding && stated && !window) {
      config.fail("layer_types", "names sliding_attention, but no sliding_window is in use");
    }
    a.windows.push_back(sliding ? window.value_or(0) : 0);
  }
}

void refuse_switch(const ConfigFields& config, const char* key) {
  if (config.flag_or(key, false)) config.fail(key, "is not supported");
}

NormSpec norm_of(const std::string& name, bool bias) {
  NormSpec norm{.weight = name + ".weight"};
  if (bias) norm.bias = name + ".bias";
  return norm;
}

LinearPart part_of(const std::string& name, int64_t outputs, bool bias) {
  LinearPart part{.weight = name + ".weight", .outputs = outputs};
  if (bias) part.bias = name + ".bias";
  return part;
}

void set_head(const std::string& name, Architecture& a) {
  if (!a.tied_embeddings) a.head = name + ".weight";
}

}  // namespace palimpsest::model
