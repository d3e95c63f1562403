#include "palimpsest/run/internal/lazy_model.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "palimpsest/base/internal/hash.h"

namespace palimpsest::run {
namespace {

constexpr const char* kDevice = "device";
constexpr const char* kDType = "dtype";
constexpr const char* kParameters = "parameters";

}  // namespace

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

std::pair<std::string, std::string> model_property(LazyModel& model) {
  return {"model", "fingerprint " + model.fingerprint()};
}

Properties model_properties(const model::ModelInfo& info) {
  return {{kDevice, info.device},
          {kDType, info.dtype},
          {kParameters, std::to_string(info.num_parameters)}};
}

std::optional<ModelFacts> model_facts(const Properties& properties) {
  std::optional<ModelFacts> facts;
  for (const auto& [name, value] : properties) {
    if (!facts) facts.emplace();
    if (name == kDevice) facts->device = value;
    if (name == kDType) facts->dtype = value;
    if (name == kParameters)
      std::from_chars(value.data(), value.data() + value.size(), facts->parameters);
  }
  return facts;
}

}  // namespace palimpsest::run
