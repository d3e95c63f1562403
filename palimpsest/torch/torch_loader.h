// Models on libtorch: reads ordinary Hugging Face checkpoint folders.
//
//   TorchLoader loader;
//   auto model = loader.load("checkpoint", {.threads = 2});
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/model/adapter.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest {

class TorchLoader : public ModelLoader {
 public:
  // Finds the folder of an adapter's base model; without it the base is looked for as a path beside
  // the adapter's folder.
  using FindBase = std::function<std::filesystem::path(const Adapter& adapter,
                                                       const std::filesystem::path& folder)>;
  explicit TorchLoader(FindBase find_base = {});

  std::unique_ptr<LanguageModel> load(const std::filesystem::path& folder,
                                      const ModelOptions& options) override;
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override;
  bool has_cuda() const override;

 private:
  FindBase find_base_;
};

}  // namespace palimpsest
