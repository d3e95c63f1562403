// What can be said about a checkpoint folder without running the model: from config.json, the
// names and shapes in its files, the tokenizer and the adapter. No weight is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/model/architecture.h"
#include "palimpsest/model/generation_config.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/internal/memory.h"

namespace palimpsest::cli {

struct AdapterSummary {
  int64_t lowest_rank = 0;
  int64_t highest_rank = 0;
  int64_t modules = 0;
  std::string base;  // as the adapter names it
};

struct TokenizerSummary {
  int64_t tokens = 0;
  int64_t beyond = 0;   // tokens whose id the model does not have
  std::string problem;  // why it cannot be used; empty: it can
};

struct FilesSummary {
  int64_t count = 0;
  int64_t bytes = 0;
  std::string types;  // "bfloat16", "bfloat16 and float32"
};

// Whatever could not be found out is absent.
struct ModelSummary {
  std::filesystem::path folder;
  std::optional<std::string> family;  // model_type, supported or not
  std::optional<model::Architecture> architecture;
  std::optional<int64_t> parameters;
  std::optional<model::MemoryNeed> need;
  std::optional<model::GenerationConfig> generation;
  std::optional<AdapterSummary> adapter;
  std::optional<TokenizerSummary> tokenizer;  // absent: there is none
  std::optional<FilesSummary> files;
  std::optional<int64_t> free_memory;
  std::vector<std::string> surplus;  // tensors that the model does not use
  std::string problem;               // why the model cannot be run; empty: it can
};

// Throws Error only where the folder cannot be read as a model at all; a model that is not
// supported, or whose files do not fit, is a problem in the summary.
ModelSummary summarize_model(const std::filesystem::path& folder,
                             const model::HubEnvironment& environment);

}  // namespace palimpsest::cli
