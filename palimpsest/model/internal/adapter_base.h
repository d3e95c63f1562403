// Finds the base model of a LoRA adapter. The adapter takes the weights from it and, if it has no
// tokenizer of its own, the tokenizer. Also says which files are the tokenizer of a model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/model/hub.h"
#include "palimpsest/model/internal/adapter.h"

namespace palimpsest::model {

// The folder of an adapter's base model. The base model's name is first tried as a path relative to
// the adapter's folder. Then it is tried as a user would give it, as a path or a hub id with the
// revision that the adapter names. Throws Error if the base model is not found.
std::filesystem::path find_base(const Adapter& adapter, const std::filesystem::path& folder,
                                const HubEnvironment& environment);

// The folder with the tokenizer and the chat template of a model: its own folder, or that of the
// base model for an adapter that has none.
std::filesystem::path find_tokenizer(const std::filesystem::path& folder,
                                     const HubEnvironment& environment);

// The files of that folder that are read for the tokenizer and the chat template.
std::vector<std::filesystem::path> tokenizer_files(const std::filesystem::path& folder);
// A hash of the names and the contents of these files, for records of a run.
std::string tokenizer_fingerprint(const std::filesystem::path& folder);

}  // namespace palimpsest::model
