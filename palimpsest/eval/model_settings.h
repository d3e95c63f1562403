// The model that a configuration names (model.model_args, tokenizer_args, template_args): where it
// is, how it is to be computed, and how questions are put to it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "palimpsest/config/value.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::eval {

struct ModelSettings {
  std::string name;  // as the configuration has it
  std::filesystem::path folder;
  ModelOptions options;
  std::filesystem::path tokenizer_folder;
  std::optional<config::Value> template_args;
};

struct ModelPlaces {
  HubEnvironment hub;
  bool has_cuda = false;
  ModelOptions defaults =
      {};  // threads, memory_limit, stream_layers; the rest is the configuration's
};

// What device_map of model_args asks for, whether it is there or not: "cpu" (nothing said), "torch",
// "cuda", "cuda:N", or "auto": the GPU where there is one. Throws Error for anything else.
std::string wanted_device(const config::Value& model_args);

// Nothing is loaded. device_map: cuda without such a device is a warning and the CPU; torch_dtype
// counts on a GPU, on a CPU the engine chooses unless it is float32; attn_implementation changes
// nothing. A tokenizer that is not found is taken from the model's folder, with a warning; that of
// an adapter may be its base's. Throws Error for what is missing.
ModelSettings read_model(const config::Value& model, const ModelPlaces& places);

}  // namespace palimpsest::eval
