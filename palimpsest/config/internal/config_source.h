// The folders that configuration files are found in. A config is a .yaml file, named by its path
// below the folder without the ending ("eval/tofu"); a group is a folder of configs, its options.
// The first folder that has a config wins. Files are read once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/config/internal/default_element.h"
#include "palimpsest/config/value.h"

namespace palimpsest::config {

struct ConfigFile {
  std::filesystem::path path;
  Value content;                                      // a map or a list, without its defaults list
  std::optional<std::string> package = std::nullopt;  // of the line "# @package …"
  std::vector<DefaultElement> defaults = {};
  int64_t values = 0;  // how many there are in it, for bounds
};

// Not for several threads at once.
class ConfigSource {
 public:
  // Throws Error if one of the folders does not exist.
  explicit ConfigSource(std::vector<std::filesystem::path> folders);

  // Another folder, searched after the others. One that does not exist is empty.
  void add_folder(std::filesystem::path folder);

  bool has_group(const std::string& group) const;
  bool has_config(const std::string& config) const;
  // The options of a group, sorted.
  std::vector<std::string> options(const std::string& group) const;

  // nullptr if there is none. Throws Error if the file is not a valid config.
  const ConfigFile* load(const std::string& config);

  // The folders, for messages.
  std::string describe() const;

 private:
  std::optional<std::filesystem::path> find(const std::string& config) const;

  std::vector<std::filesystem::path> folders_;
  std::map<std::string, std::unique_ptr<ConfigFile>> files_;
};

}  // namespace palimpsest::config
