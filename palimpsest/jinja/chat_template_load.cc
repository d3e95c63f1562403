// Finding the chat template of a checkpoint folder.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/jinja/chat_template.h"

namespace palimpsest::jinja {
namespace {

constexpr const char* kTemplateFile = "chat_template.jinja";
constexpr const char* kConfigFile = "tokenizer_config.json";

// The key chat_template; null if there is none.
palimpsest::Json configured(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kConfigFile;
  if (!is_listed(path)) return nullptr;
  const palimpsest::Json config = parse_json(read_file(path), path.string());
  if (!config.is_object()) {
    throw Error({.what = "this is not a JSON object",
                 .where = path.string(),
                 .found = palimpsest::describe(config)});
  }
  const auto found = config.find("chat_template");
  return found == config.end() ? palimpsest::Json(nullptr) : *found;
}

using NamedTemplates = std::vector<std::pair<std::string, std::string>>;

NamedTemplates named_templates(const palimpsest::Json& list, const std::string& where) {
  NamedTemplates templates;
  for (const palimpsest::Json& entry : list) {
    const palimpsest::Json& name = require(entry, "name", where);
    const palimpsest::Json& text = require(entry, "template", where);
    if (!name.is_string() || !text.is_string()) {
      throw Error({.what = "the name and the template must be strings", .where = where});
    }
    templates.emplace_back(name.get<std::string>(), text.get<std::string>());
  }
  return templates;
}

const std::string* find(const NamedTemplates& templates, std::string_view name) {
  // The last of a name counts, as in the dict that transformers makes of the list.
  for (auto entry = templates.rbegin(); entry != templates.rend(); ++entry) {
    if (entry->first == name) return &entry->second;
  }
  return nullptr;
}

ChatTemplate choose(const NamedTemplates& templates, const std::optional<std::string>& name,
                    bool with_tools, const std::string& where) {
  std::string wanted = name.value_or("default");
  if (!name && with_tools && find(templates, "tool_use") != nullptr) wanted = "tool_use";
  if (const std::string* text = find(templates, wanted)) {
    return ChatTemplate::parse(*text, fmt::format("{} '{}'", where, wanted));
  }
  std::vector<std::string> names;
  for (const auto& [known, text] : templates) names.push_back(known);
  throw Error({.what = fmt::format("there is no chat template named '{}'", wanted),
               .where = where,
               .found = fmt::format("{}", fmt::join(names, ", ")),
               .hint = "name one of these"});
}

}  // namespace

bool has_chat_template(const std::filesystem::path& folder) {
  return is_listed(folder / kTemplateFile) || !configured(folder).is_null();
}

ChatTemplate load_chat_template(const std::filesystem::path& folder,
                                const std::optional<std::string>& name, bool with_tools) {
  const std::filesystem::path file = folder / kTemplateFile;
  const bool has_file = is_listed(file);
  const palimpsest::Json value = has_file ? palimpsest::Json(read_file(file)) : configured(folder);
  const std::string where =
      has_file ? file.string() : fmt::format("{}: chat_template", (folder / kConfigFile).string());
  if (value.is_null()) {
    throw Error({.what = "the folder has no chat template",
                 .where = folder.string(),
                 .expected = fmt::format("{}, or chat_template in {}", kTemplateFile, kConfigFile),
                 .hint = "use the model's tags instead, or add a template"});
  }
  if (value.is_array()) return choose(named_templates(value, where), name, with_tools, where);
  if (!value.is_string()) {
    throw Error({.what = "this is neither a template nor a list of named templates",
                 .where = where,
                 .found = palimpsest::describe(value)});
  }
  if (name && *name != "default") {
    throw Error({.what = fmt::format("there is no chat template named '{}'", *name),
                 .where = where,
                 .found = "a single template without a name"});
  }
  return ChatTemplate::parse(value.get<std::string>(), where);
}

}  // namespace palimpsest::jinja
