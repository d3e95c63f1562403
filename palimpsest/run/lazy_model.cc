#include "palimpsest/run/lazy_model.h"

#include <cstdint>
#include <utility>

#include "palimpsest/base/internal/hash.h"

namespace palimpsest::run {

LazyModel::LazyModel(model::ModelLoader& loader, std::string name, std::filesystem::path folder,
                     model::ModelOptions options)
    : loader_(loader),
      name_(std::move(name)),
      folder_(std::move(folder)),
      options_(std::move(options)) {}

model::LanguageModel& LazyModel::get() {
  if (!model_) model_ = loader_.load(folder_, options_);
  return *model_;
}

const std::string& LazyModel::fingerprint() {
  if (!fingerprint_.empty()) return fingerprint_;
  Fingerprint fingerprint;
  fingerprint.add(options_.device).add(int64_t{options_.dtype ? 1 + int(*options_.dtype) : 0});
  for (const std::filesystem::path& file : loader_.files(folder_)) {
    fingerprint.add(file.filename().string()).add_file(file);
  }
  fingerprint_ = fingerprint.hex();
  return fingerprint_;
}

}  // namespace palimpsest::run
