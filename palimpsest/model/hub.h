// Finds the folder of a model or a data set that a user names. The name is a local folder or a
// Hugging Face hub id ("meta-llama/Llama-3.2-1B", or "id@revision") that is in the local cache.
// Nothing is ever downloaded. If the cache does not have it, the error message gives the command
// that downloads it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace palimpsest::model {

// The environment variables that determine where the cache is. The program fills them in, because
// the library does not read the environment.
struct HubEnvironment {
  std::optional<std::string> hf_hub_cache;  // HF_HUB_CACHE (or the older HUGGINGFACE_HUB_CACHE)
  std::optional<std::string> hf_home;       // HF_HOME
  std::optional<std::string> xdg_cache_home;
  std::optional<std::string> home;
};

// The folder of the cache: HF_HUB_CACHE, else HF_HOME/hub, else huggingface/hub in XDG_CACHE_HOME
// or in ~/.cache. An empty variable counts as unset. Throws Error if none is set.
std::filesystem::path hub_cache(const HubEnvironment& environment);

// The folder of a model. A local folder takes precedence over the cache. Throws Error if there is
// none; the message gives the command that downloads the model.
std::filesystem::path find_model(const std::string& model, const HubEnvironment& environment);

// The folder of a data set's files in the cache ("org/name" or "id@revision"). Throws Error if
// there is none; the message gives the command that downloads it.
std::filesystem::path find_dataset(const std::string& dataset, const HubEnvironment& environment);

}  // namespace palimpsest::model
