// The checkpoints under tests/golden/model, for the tests of this folder.
#pragma once

#include <filesystem>
#include <string>

namespace palimpsest::model {

inline std::filesystem::path golden_model(const std::string& name) {
  return std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "model" / name;
}

// Buffers that older checkpoints carry; no parameters.
inline bool is_buffer(const std::string& name) {
  for (const char* ending : {"rotary_emb.inv_freq", "attention.bias", "attention.masked_bias",
                             ".attn.bias", ".attn.masked_bias"}) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace palimpsest::model
