// What the functions of the family table share: reading the sizes that all families have, and
// naming the weights. For source files only (shows nlohmann's types).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "palimpsest/model/architecture.h"
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

  std::optional<int64_t> max_positions = std::nullopt;  // nothing: the key is required
  bool mlp_is_four_times_hidden = false;                // else the key is required
  // Whether heads may share keys and values and may be of another size than hidden_size / heads.
  bool grouped_heads = true;
  std::optional<int64_t> num_kv_heads = std::nullopt;  // nothing: as many as heads
  std::optional<int64_t> head_dim = std::nullopt;      // nothing: hidden_size / heads
  double norm_epsilon = 1e-6;
  const char* activation = "silu";
  bool tied_embeddings = false;
  bool padding_row = true;  // whether pad_token_id makes one
  std::optional<int64_t> pad_id = std::nullopt;
  std::optional<RotaryDefaults> rotary = RotaryDefaults{};  // nothing: learned positions
};

// All that does not depend on how a family names its weights: sizes, rotary positions, activation,
// scale of attention, the padding row; not the windows.
Architecture read_sizes(const ConfigFields& config, const FamilyDefaults& defaults);

// "silu", "gelu_new" … Throws Error for one that the decoder does not have.
kernels::Activation read_activation(const ConfigFields& config, const char* key,
                                    const std::string& fallback);

// Windows of `window` tokens (nothing: none) on the layers that config.json's layer_types calls
// sliding, or, where it has none, on those that `is_sliding` accepts. Throws Error if it calls some
// sliding and there is no window.
void set_windows(const ConfigFields& config, std::optional<int64_t> window,
                 const std::function<bool(int64_t layer)>& is_sliding, Architecture& architecture);

// Throws Error if the switch is on: it changes the result and the decoder has no such thing.
void refuse_switch(const ConfigFields& config, const char* key);

// A module's parameters: "name.weight" and, if `bias`, "name.bias".
NormSpec norm_of(const std::string& name, bool bias = false);
LinearPart part_of(const std::string& name, int64_t outputs, bool bias);

// The head: the embedding itself if tied, else "name.weight".
void set_head(const std::string& name, Architecture& architecture);

}  // namespace palimpsest::model
