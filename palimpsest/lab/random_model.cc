#include "palimpsest/lab/random_model.h"

#include <fmt/format.h>

#include <cerrno>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/engine/internal/parameter_tensors.h"
#include "palimpsest/lab/internal/model_folder.h"
#include "palimpsest/lab/internal/stage.h"
#include "palimpsest/model/internal/memory.h"

namespace palimpsest::lab {
namespace {

void require_memory_for_copies(int64_t parameters) {
  constexpr int64_t kCopies = 2;  // the weights, and what is written of them
  const int64_t bytes = kCopies * static_cast<int64_t>(sizeof(float)) * parameters;
  const std::optional<int64_t> free = model::free_memory();
  if (!free || bytes <= *free) return;
  const Error error({.what = "there is too little memory to make this model",
                     .expected = fmt::format("{} MiB", bytes >> 20),
                     .found = fmt::format("{} MiB", *free >> 20)});
  throw SystemError(error.what(), ENOMEM);
}

}  // namespace

RandomModel make_random_model(const RandomModelOptions& options) {
  require_other_folder(options.model, options.out);
  const ModelTexts texts = read_model_texts(options.model);
  const model::Architecture architecture =
      model::read_architecture(texts.config, (options.model / "config.json").string());
  RandomModel made{.family = architecture.family,
                   .parameters = model::num_parameters(architecture)};
  Fingerprint fingerprint;
  fingerprint.add("random model 1").add(texts.config).add(texts.generation_config);
  fingerprint.add(static_cast<int64_t>(options.seed));
  add_tokenizer(fingerprint, texts.tokenizer);
  Stage stage(options.out, fingerprint.hex(), "palimpsest model");
  if (stage.done()) return made;
  require_memory_for_copies(made.parameters);
  const std::filesystem::path folder = stage.begin(folder_bytes(architecture));
  write_model(folder, texts, architecture,
              engine::initial_weights(architecture, Random(options.seed)));
  stage.commit("{}");
  return made;
}

}  // namespace palimpsest::lab
