// Models from ordinary Hugging Face checkpoint folders, run by the engine.
//
//   EngineLoader loader;
//   auto model = loader.load("checkpoint", {.threads = 2});
//
// Loading a model changes nothing of the process but its memory and threads of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/engine/backend.h"
#include "palimpsest/model/adapter.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest {

class EngineLoader : public ModelLoader {
 public:
  // Finds the folder of an adapter's base model; without it the base is looked for as a path beside
  // the adapter's folder.
  using FindBase = std::function<std::filesystem::path(const Adapter& adapter,
                                                       const std::filesystem::path& folder)>;
  explicit EngineLoader(FindBase find_base = {},
                        std::unique_ptr<engine::Backend> backend = engine::make_cpu_backend());

  std::unique_ptr<LanguageModel> load(const std::filesystem::path& folder,
                                      const ModelOptions& options) override;
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override;
  void check(const ModelOptions& options, bool gradients) const override;
  bool has_cuda() const override;

 private:
  FindBase find_base_;
  std::unique_ptr<engine::Backend> backend_;
};

}  // namespace palimpsest
