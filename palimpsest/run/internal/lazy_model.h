// A model that is loaded when it is first used. If a journal already has all results, the model is
// never loaded. Mistakes in a request are found before it is loaded.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "palimpsest/base/internal/short_name.h"
#include "palimpsest/model/model_loader.h"
#include "palimpsest/run/work.h"

namespace palimpsest::run {

// Must be used by one thread at a time. The loader must outlive it.
class LazyModel {
 public:
  // `name` is the user's name for the model; it appears in messages and trace files.
  LazyModel(model::ModelLoader& loader, std::string name, std::filesystem::path folder,
            model::ModelOptions options);

  const std::string& name() const { return name_; }
  std::string short_name() const { return palimpsest::short_name(name_); }
  const model::ModelOptions& options() const { return options_; }

  // Loads the model if necessary. Throws Error as the loader does.
  model::LanguageModel& get();
  bool is_loaded() const { return model_ != nullptr; }
  // Frees the model's memory; the next get() loads it again.
  void unload() { model_.reset(); }

  // A hash of everything that determines the model's results: its files, device and type. The files
  // are read once. Throws Error if they cannot be read.
  const std::string& fingerprint();

 private:
  model::ModelLoader& loader_;
  std::string name_;
  std::filesystem::path folder_;
  model::ModelOptions options_;
  std::string fingerprint_;  // empty: not computed yet
  std::unique_ptr<model::LanguageModel> model_;
};

// How parts (parts.h) tell models apart: by the fingerprint. The name does not count, since a model
// may lie elsewhere on another machine.
std::pair<std::string, std::string> model_property(LazyModel& model);

// Converts the facts about a loaded model that the record of a run states to the properties that a
// part stores, and back.
Properties model_properties(const model::ModelInfo& info);
struct ModelFacts {
  std::string device;
  std::string dtype;
  int64_t parameters = 0;
};
std::optional<ModelFacts> model_facts(const Properties& properties);

}  // namespace palimpsest::run
