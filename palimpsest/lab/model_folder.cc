#include "palimpsest/lab/internal/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/checked.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/engine/internal/gradient.h"
#include "palimpsest/engine/internal/parameter_tensors.h"
#include "palimpsest/lab/internal/adamw.h"
#include "palimpsest/model/internal/memory.h"
#include "palimpsest/model/internal/parameter_check.h"
#include "palimpsest/model/internal/safetensors_writer.h"

namespace palimpsest::lab {
namespace {

constexpr int64_t kFloat = sizeof(float);

constexpr const char* kConfigFile = "config.json";
constexpr const char* kGenerationFile = "generation_config.json";
constexpr const char* kWeightsFile = "model.safetensors";

// What tokenizers are made of, in any of the ways that checkpoints have them.
constexpr const char* kTokenizerFiles[] = {
    "tokenizer.json",      "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
    "chat_template.jinja", "chat_template.json",    "tokenizer.model",         "vocab.json",
    "merges.txt"};

std::vector<std::filesystem::path> files_of_any_tokenizer(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const char* name : kTokenizerFiles) {
    if (is_listed(folder / name)) files.push_back(folder / name);
  }
  return files;
}

// The weights are written as float32, whatever they were read as.
std::string as_float32(const std::string& config) {
  Json json = parse_json(config, "config.json");
  for (const char* key : {"torch_dtype", "dtype"}) {
    if (json.contains(key)) json[key] = "float32";
  }
  return to_text(json);
}

}  // namespace

void write_model(const std::filesystem::path& folder, const ModelTexts& texts,
                 const model::Architecture& architecture, const engine::ModelWeights& weights) {
  write_file(folder / kConfigFile, as_float32(texts.config));
  if (!texts.generation_config.empty()) {
    write_file(folder / kGenerationFile, texts.generation_config);
  }
  std::vector<std::pair<model::Parameter, std::vector<float>>> parameters;
  engine::for_each_parameter(
      architecture, weights,
      [&](const model::Parameter& parameter, std::span<const float> numbers) {
        parameters.emplace_back(parameter, std::vector<float>(numbers.begin(), numbers.end()));
      });
  std::vector<model::FloatTensor> tensors;
  for (const auto& [parameter, numbers] : parameters) {
    tensors.push_back({parameter.name, parameter.shape, numbers});
  }
  model::write_safetensors(folder / kWeightsFile, tensors);
  for (const std::filesystem::path& file : files_of_any_tokenizer(texts.tokenizer)) {
    write_file(folder / file.filename(), read_file(file));
  }
}

bool is_model_file(std::string_view name) {
  return name == kConfigFile || name == kGenerationFile || name == kWeightsFile ||
         std::ranges::find(kTokenizerFiles, name) != std::end(kTokenizerFiles);
}

engine::ModelWeights read_weights(const std::filesystem::path& folder,
                                  const model::Architecture& architecture, WorkerPool& pool) {
  model::Checkpoint checkpoint = model::Checkpoint::open(folder);
  for (const std::string& note : model::checkpoint_notes(checkpoint, architecture)) {
    log_warning("{}", note);
  }
  engine::WeightSource source(architecture, std::move(checkpoint), std::nullopt, pool);
  source.release_after_reading();
  return source.all();
}

ModelTexts read_model_texts(const std::filesystem::path& folder) {
  if (!is_listed(folder / "config.json")) {
    throw Error({.what = "the folder holds no model: there is no config.json",
                 .where = folder.string(),
                 .hint = "name a folder with config.json and model.safetensors"});
  }
  ModelTexts texts{.config = read_file(folder / "config.json"), .tokenizer = folder};
  const std::filesystem::path generation = folder / "generation_config.json";
  if (is_listed(generation)) texts.generation_config = read_file(generation);
  return texts;
}

void require_other_folder(const std::filesystem::path& model, const std::filesystem::path& out) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(model, out, ignored)) return;
  throw Error({.what = "the new model would replace the one that it is made from",
               .where = out.string(),
               .hint = "name another folder for the new one"});
}

void add_tokenizer(Fingerprint& fingerprint, const std::filesystem::path& tokenizer) {
  for (const std::filesystem::path& file : files_of_any_tokenizer(tokenizer)) {
    fingerprint.add(file.filename().string()).add_file(file);
  }
}

void add_model(Fingerprint& fingerprint, const std::filesystem::path& folder) {
  fingerprint.add_file(folder / "config.json");
  const model::Checkpoint checkpoint = model::Checkpoint::open(folder);
  for (const std::filesystem::path& file : checkpoint.files()) fingerprint.add_file(file);
  add_tokenizer(fingerprint, folder);
}

void require_memory(const model::Architecture& a, const TrainingNeed& need) {
  constexpr int64_t kCopies = 2;     // weights and gradients
  constexpr int64_t kWorkSpace = 3;  // times what a layer keeps
  constexpr int64_t kLogitBytes = int64_t{64} << 20U;
  const int64_t count = model::num_parameters(a);
  const int64_t weights =
      checked_add(checked_mul(kFloat * (kCopies + need.models - 1), count), AdamW::bytes(count));
  // Every layer's input, and what one of them keeps for its backward pass and works in.
  const int64_t layer = engine::gradient_bytes_per_token(a) / std::max<int64_t>(a.num_layers, 1);
  const int64_t token = checked_add(checked_mul(kFloat * a.num_layers, a.hidden_size),
                                    checked_mul(kWorkSpace, layer));
  const int64_t bytes =
      checked_add(checked_add(weights, need.models * kLogitBytes), checked_mul(need.tokens, token));
  const std::optional<int64_t> free = model::free_memory();
  if (!free || bytes <= *free) return;
  const Error error({.what = "there is too little memory to train this model",
                     .expected = fmt::format("{} MiB", bytes >> 20),
                     .found = fmt::format("{} MiB", *free >> 20),
                     .hint = "use a smaller model or smaller micro-batches"});
  throw SystemError(error.what(), ENOMEM);
}

int64_t folder_bytes(const model::Architecture& architecture) {
  constexpr int64_t kOtherFiles = 32 << 20;
  return model::num_parameters(architecture) * kFloat + kOtherFiles;
}

}  // namespace palimpsest::lab
