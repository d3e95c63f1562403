// Loads models from ordinary Hugging Face checkpoint folders and runs them with Palimpsest's own
// inference engine.
//
//   EngineLoader loader;
//   auto model = loader.load("checkpoint", {.threads = 2});
//
// Loading a model changes no global state of the process. It only allocates memory and starts
// threads of its own. Warnings about the files go to log_message() (base/log.h).
//
// Threads may share a loader. A model does not need its loader any more.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::engine {

class Backend;

class EngineLoader : public model::ModelLoader {
 public:
  // `hub` says where to look for the base model of an adapter that names it by its id. A path is
  // tried first, relative to the adapter's folder.
  //
  // Models run on the CPU and compute in float32. Weights that are stored in 16 bits are widened.
  // load() and check() throw Error for any other device or dtype. (The program palimpsest-torch has
  // other devices, and so does the Python package.)
  explicit EngineLoader(model::HubEnvironment hub = {});
  // For palimpsest-torch: computes on another backend. `Backend` is not part of the public
  // interface.
  EngineLoader(model::HubEnvironment hub, std::unique_ptr<Backend> backend);
  ~EngineLoader() override;

  std::unique_ptr<model::LanguageModel> load(const std::filesystem::path& folder,
                                             const model::ModelOptions& options) override;
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override;
  std::vector<std::string> notes(const std::filesystem::path& folder,
                                 const model::ModelOptions& options) override;
  void check(const model::ModelOptions& options, bool gradients) const override;
  bool has_cuda() const override;

 private:
  model::HubEnvironment hub_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace palimpsest::engine
