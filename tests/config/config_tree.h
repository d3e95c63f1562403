// A folder of configs that lives as long as the test.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>

#include "tests/support/temp_folder.h"

namespace palimpsest::config {

class ConfigTree {
 public:
  explicit ConfigTree(std::initializer_list<std::pair<std::string, std::string>> files) {
    for (const auto& [name, text] : files) {
      std::filesystem::create_directories((folder_.path() / name).parent_path());
      folder_.write(name, text);
    }
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

}  // namespace palimpsest::config
