// The folders in which configuration files are searched. A config is a .yaml file; its name is its
// path below the folder without the extension ("eval/tofu"). A group is a folder of configs, which
// are its options. If several folders have a config, the first folder wins. Each file is read once.
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
  Value content;                                      // a map or a list, without the defaults list
  std::optional<std::string> package = std::nullopt;  // from the line "# @package …"
  std::vector<DefaultElement> defaults = {};
  int64_t values = 0;  // number of values in the file, for limits
};

// Must be used by one thread at a time.
class ConfigSource {
 public:
  // Throws Error if one of the folders does not exist.
  explicit ConfigSource(std::vector<std::filesystem::path> folders);

  // Adds a folder, which is searched after the others. A folder that does not exist counts as
  // empty.
  void add_folder(std::filesystem::path folder);

  bool has_group(const std::string& group) const;
  bool has_config(const std::string& config) const;
  // The options of a group, sorted.
  std::vector<std::string> options(const std::string& group) const;

  // Returns nullptr if there is no such config. Throws Error if the file is not a valid config.
  const ConfigFile* load(const std::string& config);

  // The folders as text, for messages.
  std::string describe() const;

 private:
  std::optional<std::filesystem::path> find(const std::string& config) const;

  std::vector<std::filesystem::path> folders_;
  std::map<std::string, std::unique_ptr<ConfigFile>> files_;
};

}  // namespace palimpsest::config
