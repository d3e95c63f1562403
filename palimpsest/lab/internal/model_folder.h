// Checkpoint folders of the lab: ordinary Hugging Face folders with their tokenizer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "palimpsest/base/internal/hash.h"
#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/weights.h"

namespace palimpsest::lab {

// What a folder holds beside its weights.
struct ModelTexts {
  std::string config;               // config.json
  std::string generation_config;    // generation_config.json; empty: none
  std::filesystem::path tokenizer;  // the folder whose tokenizer files go with the model
};

// Writes config.json (which says float32 then), generation_config.json, model.safetensors and the
// tokenizer's files. `folder` exists. The weights are float32.
void write_model(const std::filesystem::path& folder, const ModelTexts& texts,
                 const model::Architecture& architecture, const engine::ModelWeights& weights);

// Whether write_model() may write a file of this name.
bool is_model_file(std::string_view name);

// The weights of a checkpoint in float32. Logs what it has too much or too little of. Throws Error
// for a folder that is no model.
engine::ModelWeights read_weights(const std::filesystem::path& folder,
                                  const model::Architecture& architecture, WorkerPool& pool);

// The texts of a checkpoint folder. Throws Error if there is no config.json.
ModelTexts read_model_texts(const std::filesystem::path& folder);

// Throws Error if a result in `out` would take the place of the model that it is made from.
void require_other_folder(const std::filesystem::path& model, const std::filesystem::path& out);

// Adds the contents of the tokenizer's files.
void add_tokenizer(Fingerprint& fingerprint, const std::filesystem::path& tokenizer);

// Adds the contents of a checkpoint folder: config, weights, tokenizer.
void add_model(Fingerprint& fingerprint, const std::filesystem::path& folder);

struct TrainingNeed {
  int64_t tokens = 0;  // of a micro-batch
  int64_t models = 1;  // networks that are computed: two with a reference
};

// Throws SystemError if training would take more memory than is free.
void require_memory(const model::Architecture& architecture, const TrainingNeed& need);

// Bytes of the folder, about.
int64_t folder_bytes(const model::Architecture& architecture);

}  // namespace palimpsest::lab
