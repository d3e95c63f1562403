// Finds the folder for what a user writes after --model (or as the path of a data set): a local
// folder, or a hub id ("meta-llama/Llama-3.2-1B", also "id@revision") that is in the local Hugging
// Face cache. Nothing is ever downloaded. If the cache has no such model, the error message gives
// the command that downloads it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace palimpsest::model {

// The environment variables that determine where the cache is. The program fills them in.
struct HubEnvironment {
  std::optional<std::string> hf_hub_cache;  // HF_HUB_CACHE (or the older HUGGINGFACE_HUB_CACHE)
  std::optional<std::string> hf_home;       // HF_HOME
  std::optional<std::string> xdg_cache_home;
  std::optional<std::string> home;
};

// Where the cache is: HF_HUB_CACHE, else HF_HOME/hub, else huggingface/hub under XDG_CACHE_HOME or
// ~/.cache. An empty variable counts as unset. Throws Error if none is set.
std::filesystem::path hub_cache(const HubEnvironment& environment);

// The folder of a model; a local one comes first. Throws Error if there is none, with the command
// that downloads it.
std::filesystem::path find_model(const std::string& model, const HubEnvironment& environment);

// The folder of a data set's files in the cache ("org/name", also "id@revision"). Throws Error if
// there is none, with the command that downloads it.
std::filesystem::path find_dataset(const std::string& dataset, const HubEnvironment& environment);

}  // namespace palimpsest::model
