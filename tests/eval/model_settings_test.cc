#include "palimpsest/eval/internal/model_settings.h"

#include <gtest/gtest.h>

#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

class ModelSettingsTest : public testing::Test {
 protected:
  ModelSettings read(const Json& model, bool has_cuda = false) const {
    return read_model(value_of(model, "model"), {.has_cuda = has_cuda});
  }

  ModelFolders find(const Json& model) const {
    return find_folders(read(model), {.hf_hub_cache = (folder_.path() / "hub").string()});
  }

  Json model() const { return folder_.config({})["model"]; }

  const TestFolder folder_;
};

TEST_F(ModelSettingsTest, TakesTheCpuWhereThereIsNoGpu) {
  const ModelSettings settings = read(model());
  EXPECT_EQ(settings.name, (folder_.path() / "model").string());
  EXPECT_EQ(find(model()).model, folder_.path() / "model");
  EXPECT_EQ(settings.options.device, "cpu");
  EXPECT_EQ(settings.options.dtype, std::nullopt);
  ASSERT_TRUE(settings.prompt);
  EXPECT_TRUE(settings.prompt->chat_template);
  EXPECT_EQ(read(model(), true).options.device, "cuda");
  EXPECT_EQ(read(model(), true).options.dtype, kernels::DType::kBFloat16);
}

TEST_F(ModelSettingsTest, WithoutATypeItIsFloat32) {
  Json json = model();
  json["model_args"].erase("torch_dtype");
  EXPECT_EQ(read(json).options.dtype, kernels::DType::kFloat32);
  json["model_args"]["torch_dtype"] = "int4";
  expect_contains(error_of([&] { read(json); }), "bfloat16");
}

TEST_F(ModelSettingsTest, DevicesInAllSpellings) {
  Json json = model();
  json["model_args"]["device_map"] = "auto";
  EXPECT_EQ(read(json).options.device, "cpu");
  EXPECT_EQ(read(json, true).options.device, "cuda");
  json["model_args"]["device_map"] = {{"", "cuda:1"}};
  EXPECT_EQ(read(json, true).options.device, "cuda:1");
  json["model_args"]["device_map"] = nullptr;
  EXPECT_EQ(read(json, true).options.device, "cpu");
  json["model_args"]["device_map"] = 1;
  EXPECT_EQ(read(json, true).options.device, "cuda:1");
  EXPECT_EQ(read(json).options.device, "cpu");
  json["model_args"]["device_map"] = "torch";
  EXPECT_EQ(read(json).options.device, "torch");
  EXPECT_EQ(read(json).options.dtype, kernels::DType::kBFloat16);
  json["model_args"]["device_map"] = "tpu";
  expect_contains(error_of([&] { read(json); }), "'tpu'");
}

TEST_F(ModelSettingsTest, ATokenizerThatIsNotThereIsTheModelsOwn) {
  Json json = model();
  json["tokenizer_args"]["pretrained_model_name_or_path"] = "meta-llama/Llama-3.2-1B-Instruct";
  EXPECT_EQ(find(json).tokenizer, folder_.path() / "model");
  std::filesystem::remove(folder_.path() / "model" / "tokenizer.json");
  expect_contains(error_of([&] { find(json); }), "huggingface-cli download");
}

TEST_F(ModelSettingsTest, AnAdapterMayHaveItsBasesTokenizer) {
  std::filesystem::copy(std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "model" / "llama_lora",
                        folder_.path() / "adapter");
  std::filesystem::create_directory_symlink(folder_.path() / "model", folder_.path() / "llama");
  Json json = model();
  json["model_args"]["pretrained_model_name_or_path"] = (folder_.path() / "adapter").string();
  json["tokenizer_args"]["pretrained_model_name_or_path"] = (folder_.path() / "adapter").string();
  EXPECT_EQ(find(json).tokenizer, folder_.path() / "llama");
  json.erase("tokenizer_args");
  EXPECT_EQ(find(json).tokenizer, folder_.path() / "llama");
  folder_.write("adapter/tokenizer.json", "{}");
  EXPECT_EQ(find(json).tokenizer, folder_.path() / "adapter");
}

TEST_F(ModelSettingsTest, SaysWhichModelIsMissing) {
  Json json = model();
  json["model_args"]["pretrained_model_name_or_path"] = "org/absent";
  const std::string message = error_of([&] { find(json); });
  expect_contains(message, "model.model_args");
  expect_contains(message, "huggingface-cli download org/absent");
  json = model();
  json["model_handler"] = "ProbedLlamaForCausalLM";
  expect_contains(error_of([&] { read(json); }), "AutoModelForCausalLM");
  expect_contains(error_of([&] { read(Json::object()); }), "'model_args'");
}

}  // namespace
}  // namespace palimpsest::eval
