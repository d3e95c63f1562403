// The input files of an audit or an evaluation: models, tokenizers, data and traces, each with its
// SHA-256. Plans and provenance.json list them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/audit/audit.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::evidence {

// A file with its hash. Its name is relative to the folder that it belongs to.
struct HashedFile {
  std::string name;
  int64_t bytes = 0;
  std::string sha256;

  friend bool operator==(const HashedFile&, const HashedFile&) = default;
};

// A model (many files), or a file of data or traces (one).
struct Input {
  // "model", "reference model", "tokenizer and chat template", "forget data", "holdout traces" …
  std::string role;
  // The path as the user gave it. It is empty for a tokenizer that lies in the folder of its model;
  // the model is the input before it.
  std::string path;
  std::vector<HashedFile> files;
  // If there is one file, its hash. If there are several, the hash of the text that `sha256sum`
  // prints for them: one line per file with its hash, two spaces and its name.
  std::string sha256;

  friend bool operator==(const Input&, const Input&) = default;
};

struct HashingContext {
  model::HubEnvironment hub = {};
  // A file in which the hashes of large files are kept (base/internal/sha256.h). Empty: none.
  std::filesystem::path cache = {};
  std::stop_token stop = {};
  ProgressDisplay* display = nullptr;
};

// The models of the audit with their tokenizer and chat template, its data and its traces. Data and
// traces that are in memory are left out. `loader` is needed for models. Throws Error if a file
// cannot be read.
std::vector<Input> audit_inputs(const audit::AuditSpec& spec, model::ModelLoader* loader,
                                const HashingContext& context);

// A file to hash: its role, and its path as the user gave it.
using InputFile = std::pair<std::string, std::filesystem::path>;
// model_inputs() hashes one model with its tokenizer, and file_inputs() hashes data files.
std::vector<Input> model_inputs(const std::string& model, model::ModelLoader& loader,
                                const HashingContext& context);
std::vector<Input> file_inputs(const std::vector<InputFile>& files, const HashingContext& context);
// What a report was made of: scores files (role "scores") and folders of runs (role "run"). For a
// folder, its .json files are hashed, but not those in its subfolders. One of them may be
// provenance.json, which holds the hashes of all files of the run.
std::vector<Input> report_inputs(const std::vector<std::string>& given,
                                 const HashingContext& context);

}  // namespace palimpsest::evidence
