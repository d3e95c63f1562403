// LoRA adapters (PEFT's adapter_config.json and adapter_model.safetensors): small matrices that are
// added to a base model's weights, W + scale · B A, when the model is loaded.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/model/checkpoint.h"

namespace palimpsest {

// What one adapter adds to one weight: scale · B A, [outputs, inputs], whichever way round the
// weight itself is stored.
struct LowRankUpdate {
  std::string weight;  // the base model's parameter: "model.layers.0.self_attn.q_proj.weight"
  const TensorView* a = nullptr;  // [r, inputs]
  const TensorView* b = nullptr;  // [outputs, r]
  double scale = 1;               // lora_alpha / r, or / sqrt(r) with use_rslora
};

class Adapter {
 public:
  // Nothing if the folder has no adapter_config.json. Throws Error for an adapter that is
  // malformed or not plain LoRA (named: DoRA, IA3, modules_to_save, rank_pattern …).
  static std::optional<Adapter> open(const std::filesystem::path& folder);

  const std::vector<LowRankUpdate>& updates() const { return updates_; }
  // base_model_name_or_path: the base model, as a folder or hub id.
  const std::string& base() const { return base_; }

 private:
  std::shared_ptr<const Checkpoint> tensors_;
  std::vector<LowRankUpdate> updates_;
  std::string base_;
};

}  // namespace palimpsest
