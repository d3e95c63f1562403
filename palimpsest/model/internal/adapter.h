// LoRA adapters in PEFT's format (adapter_config.json and adapter_model.safetensors). An adapter
// has small matrices A and B. When the model is loaded, scale · B A is added to the weights W of a
// base model.
//
// Only plain LoRA on linear layers is supported. Everything else that would change the numbers is
// refused with an Error that names it. Examples are DoRA, IA3, tensors of the base model that the
// adapter stores as a whole, and PiSSA, which changes the base model. Matrices for modules that the
// configuration does not target are refused too. An adapter is immutable, and threads may share it.
// The views in its updates stay valid as long as the adapter or a copy exists.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/model/internal/checkpoint.h"

namespace palimpsest::model {

struct TargetModules;  // internal/target_modules.h

// The change that an adapter makes to one weight: scale · B A. Its shape is [outputs, inputs], even
// if the weight itself is stored transposed.
struct LowRankUpdate {
  std::string weight;               // the parameter: "model.layers.0.self_attn.q_proj.weight"
  const StoredTensor* a = nullptr;  // [r, inputs]
  const StoredTensor* b = nullptr;  // [outputs, r]
  // lora_alpha / r, or lora_alpha / sqrt(r) with use_rslora. For modules that rank_pattern and
  // alpha_pattern name, r and lora_alpha come from there.
  double scale = 1;
};

class Adapter {
 public:
  // Returns nullopt if the folder has no adapter_config.json. Throws Error if the adapter is
  // malformed, is not plain LoRA, or has matrices for modules that its configuration does not
  // target.
  static std::optional<Adapter> open(const std::filesystem::path& folder);

  const std::vector<LowRankUpdate>& updates() const { return updates_; }
  // The modules that the configuration targets, for comparison with the base model.
  const TargetModules& targets() const { return *targets_; }
  // base_model_name_or_path: the folder or hub id of the base model; empty if none is named.
  const std::string& base() const { return base_; }
  // The branch or commit of the base model, if it is a hub id; nullopt: the main branch.
  const std::optional<std::string>& base_revision() const { return base_revision_; }

 private:
  std::shared_ptr<const Checkpoint> tensors_;
  std::shared_ptr<const TargetModules> targets_;
  std::vector<LowRankUpdate> updates_;
  std::string base_;
  std::optional<std::string> base_revision_;
};

}  // namespace palimpsest::model
