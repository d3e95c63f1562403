// The model to evaluate: where it is stored, how it is run, and how questions become prompts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/data/prompt_template.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::eval {

// How a question becomes a prompt: by the tokenizer's chat template, or by tags around question and
// answer. If a data set has questions, one of the two must be set.
struct PromptSettings {
  bool chat_template = false;
  std::optional<std::string> system_prompt = {};  // for the chat template
  std::optional<std::string> date_string = {};    // for the chat template
  std::optional<data::TagTemplate> tags = {};     // used if chat_template is false
};

struct ModelSettings {
  std::string name;  // a folder, or a hub id in the local cache: "org/name@revision"
  // Where the model is stored, if `name` is only what the results call it; empty: where `name` says.
  std::filesystem::path folder = {};
  std::string tokenizer = {};  // a folder or a hub id, too; empty: the model's own
  model::ModelOptions options = {};
  std::optional<PromptSettings> prompt = {};
  std::string where = {};  // where it was requested; messages begin with it
  // What was used in place of what was requested, such as the CPU if there is no GPU. These notes
  // are logged once the model is found. The replacements do not change the results, and the record
  // of the run names the device.
  std::vector<std::string> notes = {};
};

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
