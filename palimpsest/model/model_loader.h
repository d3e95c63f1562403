// The interface through which code obtains models. A program supplies one ModelLoader to all code
// that needs models. Therefore such code does not depend on the engine that runs the models.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/kernels/dtype.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/model/stage_link.h"

namespace palimpsest::model {

struct ModelOptions {
  std::string device = "cpu";  // "cpu", "torch" (libtorch on the CPU), "cuda" or "cuda:N"
  // The number type of the computation. nullopt: the stored type if the device computes fast with
  // it, otherwise float32.
  std::optional<kernels::DType> dtype = std::nullopt;
  int threads = 0;  // 0: one per core
  // The number of bytes that the weights and the work space may take together. 0: as much as is
  // free.
  int64_t memory_limit = 0;
  // How the weights are kept. nullopt: the fastest way that fits into memory.
  std::optional<Residence> residence = std::nullopt;
  // If set, only this part of the layers is loaded. Such a model can only score, without gradient
  // norms, and its weights stay in memory.
  std::optional<Stage> stage = std::nullopt;
};

// The caller of load() owns the model. The library calls a loader only from the thread that called
// the library, and it destroys the models before it returns. So a loader need not be safe for
// several threads, and its models may refer to it. A loader that allows more says so, as
// EngineLoader does.
class ModelLoader {
 public:
  virtual ~ModelLoader() = default;
  // `folder` holds config.json and weights, or an adapter. Throws Error if it cannot be used.
  virtual std::unique_ptr<LanguageModel> load(const std::filesystem::path& folder,
                                              const ModelOptions& options) = 0;
  // The files that determine what the model of this folder computes, in a fixed order. Their
  // contents identify the model (its fingerprint). Throws Error like load().
  virtual std::vector<std::filesystem::path> files(const std::filesystem::path& folder) = 0;
  // What readers of the results must know about the model's files, one sentence each, such as
  // tensors that it does not use. load() logs the same. Results take the notes from here, so that
  // they are the same if a resumed run has nothing left to load. Throws Error like load().
  virtual std::vector<std::string> notes(const std::filesystem::path& folder,
                                         const ModelOptions& options) {
    (void)folder;
    (void)options;
    return {};
  }
  // Throws Error unless models can run with these options (device, type) and, if `gradients` is
  // true, can compute gradient norms. Nothing is loaded.
  virtual void check([[maybe_unused]] const ModelOptions& options,
                     [[maybe_unused]] bool gradients) const {}
  // Whether the device "cuda" is available.
  virtual bool has_cuda() const { return false; }
};

}  // namespace palimpsest::model
