// Functions that the rows of the family table share. They read the sizes that all families have and
// name the weights. This header is for source files only, because it uses nlohmann's types.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/internal/config_fields.h"
#include "palimpsest/model/internal/rotary_config.h"

namespace palimpsest::model {

// The keys and defaults of a configuration class in transformers.
struct FamilyDefaults {
  const char* hidden_key = "hidden_size";
  const char* layers_key = "num_hidden_layers";
  const char* heads_key = "num_attention_heads";
  const char* mlp_key = "intermediate_size";
  const char* positions_key = "max_position_embeddings";
  const char* epsilon_key = "rms_norm_eps";
  const char* activation_key = "hidden_act";

  std::optional<int64_t> max_positions = std::nullopt;  // nullopt: the key is required
  bool mlp_is_four_times_hidden = false;                // false: the key is required
  // Whether heads may share keys and values, and may have another size than hidden_size / heads.
  bool grouped_heads = true;
  std::optional<int64_t> num_kv_heads = std::nullopt;  // nullopt: as many as heads
  std::optional<int64_t> head_dim = std::nullopt;      // nullopt: hidden_size / heads
  double norm_epsilon = 1e-6;
  const char* activation = "silu";
  bool tied_embeddings = false;
  bool padding_row = true;  // whether pad_token_id sets Architecture::padding_index
  std::optional<int64_t> pad_id = std::nullopt;
  std::optional<RotaryDefaults> rotary = RotaryDefaults{};  // nullopt: learned positions
};

// Reads everything that does not depend on the names of weights: sizes, rotary positions,
// activation, the scale of attention and the padding row. It does not read the windows.
Architecture read_sizes(const ConfigFields& config, const FamilyDefaults& defaults);

// Reads an activation such as "silu" or "gelu_new". Throws Error for one that the decoder does not
// have.
kernels::Activation read_activation(const ConfigFields& config, const char* key,
                                    const std::string& fallback);

// Sets windows of `window` tokens (nullopt: none) for the layers that layer_types in config.json
// calls sliding. If there is no layer_types, `is_sliding` decides. Throws Error if a layer is
// called sliding and there is no window.
void set_windows(const ConfigFields& config, std::optional<int64_t> window,
                 const std::function<bool(int64_t layer)>& is_sliding, Architecture& architecture);

// Throws Error if the switch is on, because it changes the result and the decoder does not support
// it.
void refuse_switch(const ConfigFields& config, const char* key);

// The parameters of a module: "name.weight" and, if `bias` is set, "name.bias".
NormSpec norm_of(const std::string& name, bool bias = false);
LinearPart part_of(const std::string& name, int64_t outputs, bool bias);

// Sets the head: the embedding itself if tied, else "name.weight".
void set_head(const std::string& name, Architecture& architecture);

}  // namespace palimpsest::model
