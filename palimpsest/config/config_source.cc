#include "palimpsest/config/internal/config_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/config/internal/expression.h"
#include "palimpsest/config/internal/yaml_reader.h"

namespace palimpsest::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".yaml";

std::string file_name(const std::string& config) {
  return config.ends_with(kEnding) ? config : config + std::string(kEnding);
}

std::string_view stripped(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
  const size_t end = text.find_last_not_of(" \t\r");
  return end == std::string_view::npos ? "" : text.substr(begin, end + 1 - begin);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// The package of "# @package a.b", which stands in the comments that open the file.
std::optional<std::string> package_header(std::string_view text, const std::string& name) {
  std::optional<std::string> package;
  for (int64_t line_number = 1; !text.empty(); ++line_number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = stripped(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (!line.starts_with('#') || !stripped(line.substr(1)).starts_with('@')) break;
    line = stripped(line.substr(line.find_first_not_of('#')));
    const std::vector<std::string> words = words_of(line);
    if (words.size() != 2) {
      throw Error({.what = "the header is not valid",
                   .where = fmt::format("{}:{}", name, line_number),
                   .expected = "# @package a.b",
                   .found = fmt::format("# {}", line)});
    }
    if (words[0] == "@package") package = words[1];
  }
  return package;
}

int64_t count_values(const Value& value) {
  int64_t count = 1;
  if (value.is_map()) {
    for (const auto& [key, item] : value.as_map()) count += count_values(item);
  } else if (value.is_list()) {
    for (const Value& item : value.as_list()) count += count_values(item);
  }
  return count;
}

// A file that is empty is an empty map; one that is a text is a map with that key.
Value container_of(Value value, const std::string& name) {
  if (value.is_container()) return value;
  Value map{Value::Map{}};
  map.locate(name + ":1", "");
  if (const std::string* text = value.text_if()) {
    map.set(*text, Value());
  } else if (!value.is_null()) {
    throw Error({.what = "the file is not a configuration",
                 .where = name,
                 .expected = "a map or a list",
                 .found = std::string(value.kind())});
  }
  return map;
}

}  // namespace

ConfigSource::ConfigSource(std::vector<fs::path> folders) : folders_(std::move(folders)) {
  for (const fs::path& folder : folders_) {
    std::error_code ignored;
    if (fs::is_directory(folder, ignored)) continue;
    throw Error({.what = "the folder of configurations does not exist",
                 .where = folder.string(),
                 .hint = "--config-dir names it"});
  }
}

void ConfigSource::add_folder(fs::path folder) {
  folders_.push_back(std::move(folder));
}

std::string ConfigSource::describe() const {
  std::string text;
  for (const fs::path& folder : folders_) text += (text.empty() ? "" : ", ") + folder.string();
  return text;
}

bool ConfigSource::has_group(const std::string& group) const {
  return std::ranges::any_of(folders_, [&](const fs::path& folder) {
    std::error_code ignored;
    return fs::is_directory(folder / group, ignored);
  });
}

std::optional<fs::path> ConfigSource::find(const std::string& config) const {
  for (const fs::path& folder : folders_) {
    const fs::path path = folder / file_name(config);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return std::nullopt;
}

bool ConfigSource::has_config(const std::string& config) const {
  return find(config).has_value();
}

std::vector<std::string> ConfigSource::options(const std::string& group) const {
  std::set<std::string> names;
  for (const fs::path& folder : folders_) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder / group, ignored)) {
      if (entry.path().extension() == kEnding && entry.is_regular_file(ignored)) {
        names.insert(entry.path().stem().string());
      }
    }
  }
  return {names.begin(), names.end()};
}

const ConfigFile* ConfigSource::load(const std::string& config) {
  const auto known = files_.find(config);
  if (known != files_.end()) return known->second.get();
  const std::optional<fs::path> path = find(config);
  std::unique_ptr<ConfigFile> file;
  if (path) {
    const std::string name = path->lexically_normal().string();
    const std::string text = read_file(*path);
    file = std::make_unique<ConfigFile>();
    file->path = *path;
    file->content = container_of(read_yaml(text, name), name);
    file->package = package_header(text, name);
    check_interpolations(file->content);
    file->values = count_values(file->content);
    if (file->content.is_map()) {
      if (const Value* defaults = file->content.find("defaults")) {
        file->defaults = parse_defaults(*defaults);
        file->content.erase("defaults");
      }
    }
  }
  return files_.emplace(config, std::move(file)).first->second.get();
}

}  // namespace palimpsest::config
