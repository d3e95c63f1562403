#include "palimpsest/model/internal/adapter_base.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/hash.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::model {

std::filesystem::path find_base(const Adapter& adapter, const std::filesystem::path& folder,
                                const HubEnvironment& environment) {
  const std::string& base = adapter.base();
  if (base.empty()) {
    throw Error({.what = "the adapter does not name its base model",
                 .where = folder.string(),
                 .hint = "write base_model_name_or_path into its adapter_config.json"});
  }
  std::error_code ignored;
  const std::filesystem::path beside = folder / base;
  if (std::filesystem::is_directory(beside, ignored)) return beside.lexically_normal();
  const bool is_local = std::filesystem::is_directory(base, ignored);
  const std::string revision =
      adapter.base_revision() && !is_local ? "@" + *adapter.base_revision() : "";
  try {
    return find_model(base + revision, environment);
  } catch (const Error& error) {
    throw error.located(fmt::format("the adapter's base model, which {} names",
                                    (folder / "adapter_config.json").string()));
  }
}

std::filesystem::path find_tokenizer(const std::filesystem::path& folder,
                                     const HubEnvironment& environment) {
  for (const char* own : {"tokenizer.json", "config.json"}) {
    if (is_listed(folder / own)) return folder;
  }
  const std::optional<Adapter> adapter = Adapter::open(folder);
  return adapter ? find_base(*adapter, folder, environment) : folder;
}

std::vector<std::filesystem::path> tokenizer_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files = tokenizer::Tokenizer::files(folder);
  const std::filesystem::path chat_template = folder / "chat_template.jinja";
  if (is_listed(chat_template)) files.push_back(chat_template);
  return files;
}

std::string tokenizer_fingerprint(const std::filesystem::path& folder) {
  Fingerprint fingerprint;
  for (const std::filesystem::path& file : tokenizer_files(folder))
    fingerprint.add(file.filename().string()).add_file(file);
  return fingerprint.hex();
}

}  // namespace palimpsest::model
