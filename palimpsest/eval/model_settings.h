// The model that is evaluated: where it is stored, how it is run, and how questions are turned into
// prompts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/data/prompt_template.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::eval {

// How a question becomes a prompt: by the tokenizer's own chat template, or by tags around question
// and answer. If data sets have questions, one of the two must be set.
struct PromptSettings {
  bool chat_template = false;
  std::optional<std::string> system_prompt = {};  // of the chat template
  std::optional<std::string> date_string = {};    // of the chat template
  std::optional<data::TagTemplate> tags = {};     // read where chat_template is false
};

struct ModelSettings {
  std::string name;  // a folder, or a hub id that the local cache has: "org/name@revision"
  std::string tokenizer = {};  // the same for its tokenizer; empty: the model's own
  model::ModelOptions options = {};
  std::optional<PromptSettings> prompt = {};
  std::string where = {};  // where it was requested; messages begin with it
  // What computes instead of what was requested, such as the CPU where there is no GPU. It is logged
  // once the model is found; the numbers are the same, and the run record names the device.
  std::vector<std::string> notes = {};
};

struct ModelFolders {
  std::filesystem::path model;
  std::filesystem::path tokenizer;
  std::vector<std::string> notes = {};  // what was replaced and concerns the numbers
};

// Nothing is loaded. If the tokenizer is not found, that of the model's folder is used and a
// warning is given. An adapter may use the tokenizer of its base model. Throws Error if a folder is
// missing.
ModelFolders find_folders(const ModelSettings& settings, const model::HubEnvironment& hub);

}  // namespace palimpsest::eval
