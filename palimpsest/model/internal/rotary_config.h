// Rotary positions as config.json describes them: `rope_theta` and `rope_scaling`, or, since
// transformers 5, both in `rope_parameters`. For source files only (shows nlohmann's types).
#pragma once

#include <cstdint>
#include <optional>

#include "palimpsest/model/internal/config_fields.h"
#include "palimpsest/model/rotary.h"

namespace palimpsest::model {

// What a family's configuration class says where the file is silent.
struct RotaryDefaults {
  const char* theta_key = "rope_theta";
  const char* share_key = "partial_rotary_factor";
  double theta = 10000;
  double share = 1;  // of a head's numbers that are turned
  // Whether the share may be less than 1: where it may not, transformers fails.
  bool partial = false;
  std::optional<int64_t> original_max_positions = std::nullopt;
  bool yarn_is_longrope = false;  // Phi-3: an early name of it
};

// Throws Error: a scaling that is not supported (by name), a value that is missing or out of range.
Rotary read_rotary(const ConfigFields& config, int64_t head_dim, int64_t max_positions,
                   const RotaryDefaults& defaults);

// The longest sequence: max_position_embeddings, stretched by linear scaling. Dynamic scaling
// follows any length.
std::optional<int64_t> longest_sequence(const Rotary& rotary, int64_t max_positions);

}  // namespace palimpsest::model
