// LoRA adapters (PEFT's adapter_config.json and adapter_model.safetensors): small matrices that are
// added to a base model's weights, W + scale · B A, when the model is loaded.
//
// Only plain LoRA on linear layers is supported. Everything else that would change the numbers
// (DoRA, IA3, other tensors stored whole, PiSSA's changed base …) is refused with an error that
// names it. Matrices for modules that the configuration does not target are refused as well. An
// adapter is immutable and may be shared by threads; the views in its updates stay valid as long as
// it or a copy lives.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/model/checkpoint.h"

namespace palimpsest::model {

struct TargetModules;  // internal/target_modules.h

// What an adapter adds to one weight: scale · B A, of the shape [outputs, inputs] even if the
// weight itself is stored transposed.
struct LowRankUpdate {
  std::string weight;  // the base model's parameter: "model.layers.0.self_attn.q_proj.weight"
  const StoredTensor* a = nullptr;  // [r, inputs]
  const StoredTensor* b = nullptr;  // [outputs, r]
  // lora_alpha / r, or / sqrt(r) with use_rslora; r and lora_alpha from rank_pattern and
  // alpha_pattern where these name the module.
  double scale = 1;
};

class Adapter {
 public:
  // Returns nullopt if the folder has no adapter_config.json. Throws Error for an adapter that is
  // malformed or not plain LoRA (named: DoRA, IA3, modules_to_save …), or whose matrices are for
  // modules that its configuration does not target.
  static std::optional<Adapter> open(const std::filesystem::path& folder);

  const std::vector<LowRankUpdate>& updates() const { return updates_; }
  // Which modules the configuration targets, for the check against the base model.
  const TargetModules& targets() const { return *targets_; }
  // base_model_name_or_path: the base model, as a folder or hub id; empty where none is named.
  const std::string& base() const { return base_; }
  // The branch or commit of a base model that is a hub id; nullopt: the main branch.
  const std::optional<std::string>& base_revision() const { return base_revision_; }

 private:
  std::shared_ptr<const Checkpoint> tensors_;
  std::shared_ptr<const TargetModules> targets_;
  std::vector<LowRankUpdate> updates_;
  std::string base_;
  std::optional<std::string> base_revision_;
};

}  // namespace palimpsest::model
