// A model that is loaded when it is first needed: what a journal already holds costs no loading,
// and what is wrong with a request is found before.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "palimpsest/model/model_loader.h"

namespace palimpsest {

// Belongs to one thread at a time. The loader must outlive it.
class LazyModel {
 public:
  // `name` is what the user calls the model: for messages and trace files.
  LazyModel(ModelLoader& loader, std::string name, std::filesystem::path folder,
            ModelOptions options);

  const std::string& name() const { return name_; }
  const ModelOptions& options() const { return options_; }

  // Loads it if it is not there. Throws Error as the loader does.
  LanguageModel& get();
  bool is_loaded() const { return model_ != nullptr; }
  // Gives its memory back; the next get() loads it again.
  void drop() { model_.reset(); }

  // Of everything that decides what it computes: its files, device and type. Reads the files once.
  // Throws Error where they cannot be read.
  const std::string& fingerprint();

 private:
  ModelLoader& loader_;
  std::string name_;
  std::filesystem::path folder_;
  ModelOptions options_;
  std::string fingerprint_;  // empty: not computed yet
  std::unique_ptr<LanguageModel> model_;
};

}  // namespace palimpsest
