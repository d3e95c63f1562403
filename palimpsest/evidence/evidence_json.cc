#include "palimpsest/evidence/internal/evidence_json.h"

#include <fmt/format.h>

#include <limits>

#include "palimpsest/base/error.h"

namespace palimpsest::evidence {
namespace {

void require_kind(bool right, const char* expected, const Json& found, const std::string& where) {
  if (right) return;
  throw Error({.what = "the value is of the wrong kind",
               .where = where,
               .expected = expected,
               .found = describe(found)});
}

}  // namespace

std::string text_member(const Json& object, const char* key, const std::string& where) {
  const Json& value = require(object, key, where);
  require_kind(value.is_string(), "a string", value, where + ": " + key);
  return value.get<std::string>();
}

Json settings_to_json(const Settings& settings) {
  Json object = Json::object();
  for (const Setting& setting : settings)
    object[setting.option] = setting.value ? Json(*setting.value) : Json();
  return object;
}

Json files_to_json(const std::vector<HashedFile>& files) {
  Json list = Json::array();
  for (const HashedFile& file : files)
    list.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  return list;
}

Json inputs_to_json(const std::vector<Input>& inputs) {
  Json list = Json::array();
  for (const Input& input : inputs) {
    list.push_back({{"role", input.role},
                    {"path", input.path.empty() ? Json() : Json(input.path)},
                    {"sha256", input.sha256},
                    {"files", files_to_json(input.files)}});
  }
  return list;
}

Settings settings_from_json(const Json& object, const std::string& where) {
  require_kind(object.is_object(), "an object", object, where);
  Settings settings;
  for (const auto& [option, value] : object.items()) {
    require_kind(value.is_null() || value.is_string(), "a string or null", value,
                 fmt::format("{}: {}", where, option));
    settings.push_back(
        {option, value.is_null() ? std::nullopt : std::optional(value.get<std::string>())});
  }
  return settings;
}

std::vector<HashedFile> files_from_json(const Json& list, const std::string& where) {
  require_kind(list.is_array(), "an array", list, where);
  std::vector<HashedFile> files;
  for (const Json& entry : list) {
    const Json& bytes = require(entry, "bytes", where);
    const bool is_size =
        bytes.is_number_integer() && bytes >= 0 && bytes <= std::numeric_limits<int64_t>::max();
    if (!is_size) {
      throw Error({.what = "this is not the size of a file",
                   .where = where + ": bytes",
                   .expected = "a whole number",
                   .found = shown(bytes)});
    }
    files.push_back({.name = text_member(entry, "name", where),
                     .bytes = bytes.get<int64_t>(),
                     .sha256 = text_member(entry, "sha256", where)});
  }
  return files;
}

std::vector<Input> inputs_from_json(const Json& list, const std::string& where) {
  require_kind(list.is_array(), "an array", list, where);
  std::vector<Input> inputs;
  for (const Json& entry : list) {
    const Json& path = require(entry, "path", where);
    inputs.push_back({.role = text_member(entry, "role", where),
                      .path = path.is_null() ? "" : text_member(entry, "path", where),
                      .files = files_from_json(require(entry, "files", where), where),
                      .sha256 = text_member(entry, "sha256", where)});
  }
  return inputs;
}

}  // namespace palimpsest::evidence
