// Finds what a LoRA adapter takes from its base model: the weights and, if it has none of its own,
// the tokenizer.
#pragma once

#include <filesystem>

#include "palimpsest/model/adapter.h"
#include "palimpsest/model/hub.h"

namespace palimpsest::model {

// The folder of an adapter's base model. The name of the base is first taken as a path beside the
// adapter, then as a path or a hub id as a user would write it, with the revision that the adapter
// names. Throws Error if the base model is not found.
std::filesystem::path find_base(const Adapter& adapter, const std::filesystem::path& folder,
                                const HubEnvironment& environment);

// The folder whose tokenizer and chat template go with a model: its own or, where an adapter has
// none, its base's.
std::filesystem::path find_tokenizer(const std::filesystem::path& folder,
                                     const HubEnvironment& environment);

}  // namespace palimpsest::model
