// Finds the folders of the model to evaluate and of its tokenizer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/model/hub.h"

namespace palimpsest::eval {

// The folders of a model and its tokenizer.
struct ModelFolders {
  std::filesystem::path model;
  std::filesystem::path tokenizer;
  std::vector<std::string> notes = {};  // replacements that may change the results
};

// Finds the folders; nothing is loaded. If the tokenizer is not found, that of the model's folder
// is used, with a warning. An adapter may use the tokenizer of its base model. Throws Error if a
// folder is missing.
ModelFolders find_folders(const ModelSettings& settings, const model::HubEnvironment& hub);

}  // namespace palimpsest::eval
