#include "palimpsest/eval/internal/model_settings.h"

#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/model/internal/adapter_base.h"

namespace palimpsest::eval {
namespace {

// The tokenizer's own folder, else the model's where it has one, else that of an adapter's base.
std::filesystem::path tokenizer_folder(const std::string& name, const std::filesystem::path& model,
                                       const model::HubEnvironment& hub,
                                       std::vector<std::string>& notes) {
  if (name.empty()) return model::find_tokenizer(model, hub);
  try {
    return model::find_tokenizer(model::find_model(name, hub), hub);
  } catch (const Error& error) {
    std::filesystem::path own = model::find_tokenizer(model, hub);
    if (!is_listed(own / "tokenizer.json")) throw;
    notes.push_back(fmt::format("{}; the model's own tokenizer is used", error.what()));
    log_warning("{}", notes.back());
    return own;
  }
}

}  // namespace

ModelFolders find_folders(const ModelSettings& settings, const model::HubEnvironment& hub) {
  try {
    const std::filesystem::path model =
        settings.folder.empty() ? model::find_model(settings.name, hub) : settings.folder;
    ModelFolders folders{.model = model, .tokenizer = {}};
    for (const std::string& note : settings.notes) log_warning("{}", note);
    folders.tokenizer = tokenizer_folder(settings.tokenizer, model, hub, folders.notes);
    return folders;
  } catch (const Error& error) {
    throw error.located(settings.where);
  }
}

}  // namespace palimpsest::eval
