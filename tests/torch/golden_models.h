// The tiny checkpoints of tests/golden/model and what transformers says about them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "palimpsest/base/file.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest {

inline std::filesystem::path golden_model_folder(const std::string& name) {
  return std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "model" / name;
}

// The folders that hold a golden.json, in order.
inline std::vector<std::string> golden_model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "model")) {
    if (std::filesystem::exists(entry.path() / "golden.json")) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

inline std::vector<Sequence> sequences_of(const nlohmann::json& lines) {
  std::vector<Sequence> sequences;
  for (const auto& line : lines) {
    sequences.push_back({.ids = line.at("ids").get<std::vector<int64_t>>(),
                         .labels = line.at("labels").get<std::vector<int64_t>>()});
  }
  return sequences;
}

}  // namespace palimpsest
