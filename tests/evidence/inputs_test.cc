#include "palimpsest/evidence/inputs.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/sha256.h"
#include "palimpsest/model/internal/fake_model.h"
#include "tests/evidence/contains_all.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::evidence {
namespace {

// A loader that knows which files a model has.
class FileLoader : public model::FakeModelLoader {
 public:
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override {
    return {folder / "config.json", folder / "model.safetensors"};
  }
};

class InputsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_.path() / "model");
    folder_.write("model/config.json", "{}");
    folder_.write("model/model.safetensors", "weights");
    folder_.write("model/tokenizer.json", "{\"version\": \"1.0\"}");
    folder_.write("model/chat_template.jinja", "{{ x }}");
    folder_.write("forget.jsonl", "f");
    folder_.write("holdout.jsonl", "h");
  }
  std::string path(const char* name) const { return (folder_.path() / name).string(); }

  TempFolder folder_;
  FileLoader loader_;
};

TEST_F(InputsTest, ModelTokenizerTemplateAndData) {
  audit::AuditModels models{.models = {{.name = "mine", .folder = path("model")}}};
  models.data.forget = {.name = "forget.jsonl", .file = path("forget.jsonl")};
  models.data.holdout = {.name = path("holdout.jsonl")};
  const std::vector<Input> inputs = audit_inputs({.source = models}, &loader_, {});
  ASSERT_EQ(inputs.size(), 4U);
  EXPECT_EQ(inputs[0].role, "model");
  EXPECT_EQ(inputs[0].path, path("model"));
  ASSERT_EQ(inputs[0].files.size(), 2U);
  EXPECT_EQ(inputs[0].files[1], (HashedFile{"model.safetensors", 7, sha256_of("weights")}));
  EXPECT_EQ(inputs[0].sha256, sha256_of(sha256_of("{}") + "  config.json\n" + sha256_of("weights") +
                                        "  model.safetensors\n"));
  EXPECT_EQ(inputs[1].role, "tokenizer and chat template");
  EXPECT_EQ(inputs[1].path, "") << "it is in the model's folder, whose path stands there once";
  // Without a tokenizer_config.json, config.json gives the tokenizer's class.
  std::vector<std::string> names;
  for (const HashedFile& file : inputs[1].files) names.push_back(file.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"tokenizer.json", "config.json", "chat_template.jinja"}));
  EXPECT_EQ(inputs[2].role, "forget data");
  EXPECT_EQ(inputs[2].sha256, sha256_of("f"));
  EXPECT_EQ(inputs[3].path, path("holdout.jsonl"));
}

TEST_F(InputsTest, AFolderOfDataIsHashedFileByFile) {
  std::filesystem::create_directory(folder_.path() / "shards");
  folder_.write("shards/b.jsonl", "b");
  folder_.write("shards/a.csv", "a");
  folder_.write("shards/README.md", "not data");
  audit::AuditModels models{.models = {{.name = "mine", .folder = path("model")}}};
  models.data.forget = {.name = "shards", .file = path("shards")};
  models.data.holdout = {.name = path("holdout.jsonl")};
  const Input data = audit_inputs({.source = models}, &loader_, {}).at(2);
  EXPECT_EQ(data.path, path("shards"));
  ASSERT_EQ(data.files.size(), 2U);
  EXPECT_EQ(data.files[0], (HashedFile{"a.csv", 1, sha256_of("a")}));
  EXPECT_EQ(data.files[1].name, "b.jsonl");
}

TEST_F(InputsTest, Traces) {
  audit::AuditTraces traces;
  traces.audited = {.forget = path("forget.jsonl"), .holdout = path("holdout.jsonl")};
  traces.baseline = traces.audited;
  const std::vector<Input> inputs = audit_inputs({.source = traces}, nullptr, {});
  ASSERT_EQ(inputs.size(), 4U);
  EXPECT_EQ(inputs[0].role, "forget traces");
  EXPECT_EQ(inputs[3].role, "baseline holdout traces");
}

TEST_F(InputsTest, WhatIsMissing) {
  expect_contains(error_of([&] { file_inputs({{"scores", path("none.csv")}}, {}); }), "none.csv");
  expect_contains(error_of([&] { audit_inputs({.source = audit::AuditModels{}}, nullptr, {}); }),
                  "loader");
}

TEST_F(InputsTest, Reports) {
  const std::vector<Input> inputs = report_inputs({path("model"), path("forget.jsonl")}, {});
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0].role, "run");
  ASSERT_EQ(inputs[0].files.size(), 2U);
  EXPECT_EQ(inputs[0].files[0].name, "config.json");
  EXPECT_EQ(inputs[1].role, "scores");
}

}  // namespace
}  // namespace palimpsest::evidence
