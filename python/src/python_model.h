// Models that are written in Python. `palimpsest/model.py` of the package describes the interface;
// here it becomes a LanguageModel, so that audits and evaluations run such a model like any other.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/model/language_model.h"
#include "palimpsest/model/model_loader.h"
#include "python/src/held.h"

namespace palimpsest::python {

// Calls the object's methods with the GIL held. Their results are checked as data of any other
// stranger: lengths, types and numbers that are not finite throw Error.
class PythonModel : public model::LanguageModel {
 public:
  explicit PythonModel(Held object);

  const model::ModelInfo& info() const override { return info_; }
  std::vector<model::SequenceScores> score(std::span<const model::Sequence> sequences,
                                           const model::ScoreOptions& options) override;
  std::vector<model::Generation> generate(std::span<const model::Prompt> prompts,
                                          const model::GenerateOptions& options) override;

 private:
  Held object_;
  model::ModelInfo info_;
};

// Loads the models of these folders from Python objects and all others with `others`. The folder of
// a Python model holds its tokenizer and a file that identifies it.
class PythonLoader : public model::ModelLoader {
 public:
  PythonLoader(std::map<std::filesystem::path, Held> models,
               std::unique_ptr<model::ModelLoader> others);

  std::unique_ptr<model::LanguageModel> load(const std::filesystem::path& folder,
                                             const model::ModelOptions& options) override;
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override;
  std::vector<std::string> notes(const std::filesystem::path& folder) override;
  void check(const model::ModelOptions& options, bool gradients) const override;
  bool has_cuda() const override { return others_->has_cuda(); }

 private:
  std::map<std::filesystem::path, Held> models_;
  std::unique_ptr<model::ModelLoader> others_;
};

// Runs models on the device "cpu" with `engine` and on all other devices by PyTorch, through the
// functions of `devices` (palimpsest/devices.py of the package). torch is imported only if such a
// device is asked for.
class DeviceLoader : public model::ModelLoader {
 public:
  DeviceLoader(std::unique_ptr<model::ModelLoader> engine, Held devices);

  std::unique_ptr<model::LanguageModel> load(const std::filesystem::path& folder,
                                             const model::ModelOptions& options) override;
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override;
  std::vector<std::string> notes(const std::filesystem::path& folder) override;
  void check(const model::ModelOptions& options, bool gradients) const override;
  bool has_cuda() const override;

 private:
  std::unique_ptr<model::ModelLoader> engine_;
  Held devices_;
};

}  // namespace palimpsest::python
