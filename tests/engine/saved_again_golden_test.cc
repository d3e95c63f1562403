// Checkpoints that were loaded and saved by a newer transformers
// (tools/golden/saved_checkpoints.py) give the same numbers and the same texts.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/model/internal/architecture.h"
#include "tests/engine/same_scores.h"
#include "tests/support/checkpoint_copy.h"

namespace palimpsest::engine {
namespace {

const std::map<std::string, nlohmann::json>& saved_again() {
  static const auto cases = [] {
    const auto file = std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "model" / "saved_again.json";
    std::map<std::string, nlohmann::json> found;
    const nlohmann::json golden = nlohmann::json::parse(read_file(file));
    for (const nlohmann::json& line : golden.at("cases")) {
      found[line.at("name")] = line;
    }
    return found;
  }();
  return cases;
}

// All of them but adapters, which are no checkpoints of transformers.
std::vector<std::string> checkpoint_names() {
  std::vector<std::string> names;
  for (const std::string& name : golden_model_names()) {
    if (std::filesystem::exists(golden_model_folder(name) / "config.json")) names.push_back(name);
  }
  return names;
}

class SavedAgainGoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(SavedAgainGoldenTest, NumbersAndTextsAreTheSame) {
  const nlohmann::json& saved = saved_again().at(GetParam());
  // The newer release itself gives the numbers that the older one gave.
  EXPECT_LT(saved.at("disagreement").get<double>(), 2e-5);
  const auto names = saved.at("tensors").get<std::set<std::string>>();
  CheckpointCopy copy(GetParam());
  copy.config = Json::parse(saved.at("config").dump());
  const model::Architecture architecture =
      model::read_architecture(copy.config.dump(), "config.json");
  for (const model::Parameter& parameter : model::parameters(architecture)) {
    EXPECT_TRUE(names.contains(parameter.name)) << parameter.name;
  }
  // The newer release stores full names and no buffers.
  for (TestTensor& tensor : copy.tensors) {
    if (!names.contains(tensor.name)) tensor.name = architecture.inner_prefix + tensor.name;
  }
  std::erase_if(copy.tensors, [&](const TestTensor& t) { return !names.contains(t.name); });
  ASSERT_EQ(copy.tensors.size(), names.size());

  const auto old_model = EngineLoader().load(golden_model_folder(GetParam()), {});
  const auto new_model = EngineLoader().load(copy.write(), {});
  const nlohmann::json golden = golden_of(GetParam());
  const auto sequences = sequences_of(golden.at("sequences"));
  expect_same(new_model->score(sequences, {}), old_model->score(sequences, {}));
  std::vector<model::Prompt> prompts;
  for (const auto& line : golden.at("greedy")) {
    prompts.push_back({.ids = line.at("prompt").get<std::vector<int64_t>>()});
  }
  const model::GenerateOptions options{.max_new_tokens = 64};
  const auto texts = new_model->generate(prompts, options);
  const auto expected = old_model->generate(prompts, options);
  ASSERT_EQ(texts.size(), expected.size());
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i].ids, expected[i].ids);
}

INSTANTIATE_TEST_SUITE_P(Models, SavedAgainGoldenTest, testing::ValuesIn(checkpoint_names()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace palimpsest::engine
