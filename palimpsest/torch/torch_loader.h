// Models on libtorch: reads ordinary Hugging Face checkpoint folders.
//
//   TorchLoader loader;
//   auto model = loader.load("checkpoint", {.threads = 2});
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "palimpsest/model/model_loader.h"

namespace palimpsest {

class TorchLoader : public ModelLoader {
 public:
  // Finds the folder of an adapter's base model, which is named as a user would name it (a hub id,
  // a path). Without it only paths are found.
  using FindModel = std::function<std::filesystem::path(const std::string& model)>;
  explicit TorchLoader(FindModel find_base = {});

  std::unique_ptr<LanguageModel> load(const std::filesystem::path& folder,
                                      const ModelOptions& options) override;

 private:
  FindModel find_base_;
};

}  // namespace palimpsest
