// Where models come from. A program injects one ModelLoader; everything above asks it and never
// knows which engine answers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/model/checkpoint.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/model/residence.h"

namespace palimpsest {

struct ModelOptions {
  std::string device = "cpu";  // "cpu", "torch" (libtorch on the CPU), "cuda" or "cuda:N"
  // Of the computation. Nothing: the stored type on a device that multiplies it well, else float32.
  std::optional<DType> dtype = std::nullopt;
  int threads = 0;  // 0: one for each core
  // Bytes that weights and work space may take together. 0: what the machine has free.
  int64_t memory_limit = 0;
  // How the weights are kept. Nothing: the fastest way that fits into memory.
  std::optional<Residence> residence = std::nullopt;
};

class ModelLoader {
 public:
  virtual ~ModelLoader() = default;
  // `folder` holds config.json and weights, or an adapter. Throws Error if it cannot be used.
  virtual std::unique_ptr<LanguageModel> load(const std::filesystem::path& folder,
                                              const ModelOptions& options) = 0;
  // The files that decide what the model of this folder computes, in a fixed order: for
  // fingerprints. Throws Error like load().
  virtual std::vector<std::filesystem::path> files(const std::filesystem::path& folder) = 0;
  // Throws Error unless models can be run with these options (device, type) and, if `gradients`,
  // with gradient norms. Nothing is loaded.
  virtual void check(const ModelOptions& options, bool gradients) const {
    (void)options;
    (void)gradients;
  }
  // Whether "cuda" is a device here.
  virtual bool has_cuda() const { return false; }
};

}  // namespace palimpsest
