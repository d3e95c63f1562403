// Describes a checkpoint folder without running the model. The description comes from config.json,
// from the names and shapes of the tensors in its files, from the tokenizer and from the adapter.
// No weight is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/model/hub.h"
#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/internal/memory.h"

namespace palimpsest::cli {

struct AdapterSummary {
  int64_t lowest_rank = 0;
  int64_t highest_rank = 0;
  int64_t modules = 0;
  std::string base;  // the base model, as the adapter names it
};

struct TokenizerSummary {
  int64_t tokens = 0;
  int64_t beyond = 0;   // number of tokens whose id is outside the model's vocabulary
  std::string problem;  // why the tokenizer cannot be used; empty: it can be used
};

struct FilesSummary {
  int64_t count = 0;
  int64_t bytes = 0;
  std::string types;  // "bfloat16", "bfloat16 and float32"
};

// A field is absent if its value could not be determined.
struct ModelSummary {
  std::filesystem::path folder;
  std::optional<std::string> family;  // model_type of config.json, whether supported or not
  std::optional<model::Architecture> architecture;
  std::optional<int64_t> parameters;
  std::optional<model::MemoryNeed> need;
  std::optional<model::GenerationConfig> generation;
  std::optional<AdapterSummary> adapter;
  std::optional<TokenizerSummary> tokenizer;  // absent: there is none
  std::optional<FilesSummary> files;
  std::optional<int64_t> free_memory;  // bytes
  std::vector<std::string> surplus;    // tensors that the model does not use
  std::vector<std::string> missing;    // biases that are not stored and count as 0
  std::string problem;                 // why the model cannot be run; empty: it can be run
};

// Throws Error only if the folder cannot be read as a model at all. If the model is not supported,
// or if its files do not match its config.json, ModelSummary::problem says so.
ModelSummary summarize_model(const std::filesystem::path& folder,
                             const model::HubEnvironment& environment);

}  // namespace palimpsest::cli
