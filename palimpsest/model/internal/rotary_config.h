// Reads rotary positions from config.json: from `rope_theta` and `rope_scaling` or, since
// transformers 5, from `rope_parameters`, which has both. This header is for source files only,
// because it uses nlohmann's types.
#pragma once

#include <cstdint>
#include <optional>

#include "palimpsest/model/internal/config_fields.h"
#include "palimpsest/model/internal/rotary.h"

namespace palimpsest::model {

// The defaults of a family's configuration class in transformers.
struct RotaryDefaults {
  const char* theta_key = "rope_theta";
  const char* share_key = "partial_rotary_factor";
  double theta = 10000;
  double share = 1;  // the share of a head's numbers that are rotated
  // Whether the share may be less than 1. If not, a smaller share is an error, as in transformers.
  bool partial = false;
  std::optional<int64_t> original_max_positions = std::nullopt;
  bool yarn_is_longrope = false;  // for Phi-3, which once called longrope "yarn"
};

// Throws Error for a scaling that is not supported (the message names it), and for a value that is
// missing or out of range.
Rotary read_rotary(const ConfigFields& config, int64_t head_dim, int64_t max_positions,
                   const RotaryDefaults& defaults);

// The longest sequence: max_position_embeddings, multiplied by the factor of linear scaling.
// Dynamic scaling has no limit (nullopt).
std::optional<int64_t> longest_sequence(const Rotary& rotary, int64_t max_positions);

}  // namespace palimpsest::model
