// What a LoRA adapter leaves to its base model: the weights and, where it has none of its own, the
// tokenizer.
#pragma once

#include <filesystem>

#include "palimpsest/model/adapter.h"
#include "palimpsest/model/hub.h"

namespace palimpsest {

// The folder of an adapter's base: a path beside the adapter, else a path or a hub id as the user
// would write it, of the revision that the adapter names. Throws Error if it is not found.
std::filesystem::path find_base(const Adapter& adapter, const std::filesystem::path& folder,
                                const HubEnvironment& environment);

// The folder whose tokenizer and chat template go with a model: its own or, where an adapter has
// none, its base's.
std::filesystem::path find_tokenizer(const std::filesystem::path& folder,
                                     const HubEnvironment& environment);

}  // namespace palimpsest
