#include "palimpsest/lab/model_folder.h"

#include <fmt/format.h>

#include <optional>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/lab/tokenizer_files.h"
#include "palimpsest/model/memory.h"

namespace palimpsest::lab {
namespace {

constexpr const char* kTokenizerFiles[] = {kTokenizerFile, kTokenizerConfigFile};

}  // namespace

void write_model(const std::filesystem::path& folder, const std::string& config,
                 const std::string& generation_config, const ParameterLayout& layout,
                 std::span<const float> values, const std::filesystem::path& tokenizer) {
  write_file(folder / "config.json", config);
  write_file(folder / "generation_config.json", generation_config);
  write_safetensors(folder / "model.safetensors", layout.tensors(values));
  for (const char* name : kTokenizerFiles) write_file(folder / name, read_file(tokenizer / name));
}

void add_tokenizer(Fingerprint& fingerprint, const std::filesystem::path& tokenizer) {
  for (const char* name : kTokenizerFiles) fingerprint.add_file(tokenizer / name);
}

void require_memory(const ParameterLayout& layout, const TrainingNeed& need) {
  constexpr int64_t kFloat = sizeof(float);
  constexpr int64_t kOptimizer = 4;  // values, two moments, gradients on their way
  // What autograd keeps of a token: a dozen vectors of the width, half a dozen of the MLP's, two
  // rows of attention a head; and of the head's logits a few copies.
  constexpr int64_t kWidths = 16;
  constexpr int64_t kMlps = 6;
  constexpr int64_t kLogits = 4;
  const Architecture& a = layout.architecture();
  const int64_t layer_token =
      kWidths * a.hidden_size + kMlps * a.mlp_size + 2 * a.num_heads * need.longest;
  const int64_t token = a.num_layers * layer_token + kLogits * a.vocab_size;
  const int64_t bytes = kFloat * (layout.size() * (kOptimizer + need.gradients + need.models) +
                                  need.models * need.tokens * token);
  const std::optional<int64_t> free = free_memory();
  if (!free || bytes <= *free) return;
  throw Error({.what = "there is too little memory to train this model",
               .expected = fmt::format("{} MiB", bytes >> 20),
               .found = fmt::format("{} MiB", *free >> 20),
               .hint = "make the model or the batches smaller"});
}

int64_t folder_bytes(const ParameterLayout& layout) {
  constexpr int64_t kOtherFiles = 2 << 20;
  return layout.size() * static_cast<int64_t>(sizeof(float)) + kOtherFiles;
}

}  // namespace palimpsest::lab
