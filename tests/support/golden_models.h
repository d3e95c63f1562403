// The tiny checkpoints of tests/golden/model and what transformers says about them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "palimpsest/base/internal/file.h"
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

inline std::vector<model::Sequence> sequences_of(const nlohmann::json& lines) {
  std::vector<model::Sequence> sequences;
  for (const auto& line : lines) {
    sequences.push_back({.ids = line.at("ids").get<std::vector<int64_t>>(),
                         .labels = line.at("labels").get<std::vector<int64_t>>()});
  }
  return sequences;
}

inline nlohmann::json golden_of(const std::string& name) {
  return nlohmann::json::parse(read_file(golden_model_folder(name) / "golden.json"));
}

// Those whose golden.json has this list. Not every one has all: some lists are about a feature.
inline std::vector<std::string> golden_models_with(const char* list) {
  std::vector<std::string> names = golden_model_names();
  std::erase_if(names, [&](const std::string& name) { return !golden_of(name).contains(list); });
  return names;
}

// float32 on both sides, in another order of summation: the goldens' own distance from float64 is
// up to 5e-6.
inline void expect_scores(const std::vector<model::SequenceScores>& scores,
                          const nlohmann::json& lines) {
  ASSERT_EQ(scores.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const nlohmann::json& line = lines[i];
    SCOPED_TRACE(line.at("name").get<std::string>());
    const auto logprob = line.at("logprob").get<std::vector<double>>();
    const auto mean = line.at("mean").get<std::vector<double>>();
    const auto var = line.at("var").get<std::vector<double>>();
    ASSERT_EQ(scores[i].logprob.size(), logprob.size());
    EXPECT_EQ(scores[i].argmax, line.at("argmax").get<std::vector<int64_t>>());
    for (size_t t = 0; t < logprob.size(); ++t) {
      EXPECT_NEAR(scores[i].logprob[t], logprob[t], 2e-5) << t;
      EXPECT_NEAR(scores[i].mean[t], mean[t], 2e-5) << t;
      EXPECT_NEAR(scores[i].var[t], var[t], 2e-5 * (1 + var[t])) << t;
    }
  }
}

}  // namespace palimpsest
