#include "palimpsest/model/internal/adapter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"
#include "tests/support/safetensors_file.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::model {
namespace {

constexpr const char* kPlain = R"({"peft_type": "LORA", "r": 2, "lora_alpha": 3})";
constexpr const char* kModule = "base_model.model.model.layers.0.mlp.up_proj";

// A folder with this configuration and these tensors.
class AdapterFolder {
 public:
  AdapterFolder(const std::string& config, const std::vector<TestTensor>& tensors) {
    folder.write("adapter_config.json", config);
    folder.write("adapter_model.safetensors", safetensors_of(tensors));
  }

  Adapter open() const { return Adapter::open(folder.path()).value(); }
  std::string failure() const {
    return error_of([&] { open(); });
  }
  std::string weights() const { return (folder.path() / "adapter_model.safetensors").string(); }

  TempFolder folder;
};

TestTensor matrix(const std::string& end, const std::vector<int64_t>& shape) {
  return zeros(kModule + end, shape);
}

TEST(AdapterTest, AFolderWithoutConfigurationHoldsNone) {
  TempFolder folder;
  EXPECT_FALSE(Adapter::open(folder.path()).has_value());
}

TEST(AdapterTest, PairsTheMatrices) {
  const AdapterFolder files(
      R"({"peft_type": "LORA", "r": 2, "lora_alpha": 3, "base_model_name_or_path": "org/base",
          "revision": "main", "alpha_pattern": {"lm_head": 8}, "rank_pattern": {"lm_head": 1}})",
      {matrix(".lora_B.weight", {7, 2}), matrix(".lora_A.weight", {2, 5}),
       zeros("base_model.model.lm_head.lora_A.default.weight", {1, 5}),
       zeros("base_model.model.lm_head.lora_B.default.weight", {9, 1})});
  const Adapter adapter = files.open();
  EXPECT_EQ(adapter.base(), "org/base");
  EXPECT_EQ(adapter.base_revision(), "main");
  ASSERT_EQ(adapter.updates().size(), 2u);
  EXPECT_EQ(adapter.updates()[0].weight, "lm_head.weight");
  EXPECT_EQ(adapter.updates()[0].scale, 8);
  const LowRankUpdate& update = adapter.updates()[1];
  EXPECT_EQ(update.weight, "model.layers.0.mlp.up_proj.weight");
  EXPECT_EQ(update.a->shape, (std::vector<int64_t>{2, 5}));
  EXPECT_EQ(update.b->shape, (std::vector<int64_t>{7, 2}));
  EXPECT_EQ(update.scale, 1.5);
}

TEST(AdapterTest, MatricesThatTheConfigurationDoesNotTargetAreRefused) {
  const std::vector<TestTensor> tensors = {matrix(".lora_A.weight", {2, 5}),
                                           matrix(".lora_B.weight", {7, 2})};
  const auto with = [](const std::string& more) {
    return R"({"peft_type": "LORA", "r": 2, "lora_alpha": 3, )" + more + "}";
  };
  EXPECT_EQ(
      AdapterFolder(with(R"("target_modules": ["up_proj"])"), tensors).open().updates().size(), 1u);
  const AdapterFolder other(with(R"("target_modules": ["q_proj"])"), tensors);
  EXPECT_EQ(other.failure(),
            other.weights() +
                ": the file holds matrices for 'model.layers.0.mlp.up_proj', which "
                "adapter_config.json does not target (expected modules of target_modules, in the "
                "layers of layers_to_transform); configuration and matrices are of different "
                "adapters: download them again");
  expect_contains(
      AdapterFolder(with(R"("target_modules": ["up_proj"], "layers_to_transform": [1])"), tensors)
          .failure(),
      "does not target");
}

TEST(AdapterTest, AMissingPartnerIsNamed) {
  const AdapterFolder only_a(kPlain, {matrix(".lora_A.weight", {2, 5})});
  EXPECT_EQ(only_a.failure(), only_a.weights() +
                                  ": 'model.layers.0.mlp.up_proj' has lora_A but no lora_B; "
                                  "download the adapter again");
  expect_contains(AdapterFolder(kPlain, {matrix(".lora_B.weight", {7, 2})}).failure(),
                  "'model.layers.0.mlp.up_proj' has lora_B but no lora_A");
}

TEST(AdapterTest, ARankOtherThanTheConfigurationsIsRefused) {
  const AdapterFolder files(kPlain,
                            {matrix(".lora_A.weight", {4, 5}), matrix(".lora_B.weight", {7, 4})});
  EXPECT_EQ(files.failure(),
            files.weights() +
                ": the adapter's matrices for 'model.layers.0.mlp.up_proj.weight' do not have its "
                "rank (expected A [2, inputs] and B [outputs, 2], found A [4, 5] and B [7, 4])");
  expect_contains(
      AdapterFolder(kPlain, {matrix(".lora_A.weight", {2, 5}), matrix(".lora_B.weight", {7, 3})})
          .failure(),
      "found A [2, 5] and B [7, 3]");
  expect_contains(AdapterFolder(kPlain, {matrix(".lora_A.weight", {2, 5, 1, 1}),
                                         matrix(".lora_B.weight", {7, 2, 1, 1})})
                      .failure(),
                  "do not have its rank");
}

TEST(AdapterTest, OtherTensorsAreRefusedByName) {
  struct Case {
    const char* name;
    const char* reason;
  };
  for (const auto& [name, reason] : {
           Case{"base_model.model.model.embed_tokens.lora_embedding_A", "LoRA on an embedding"},
           {"base_model.model.x.lora_magnitude_vector", "DoRA"},
           {"base_model.model.x.lora_A.other.weight", "not plain LoRA"},
           {"base_model.model.x.lora_B.bias", "not plain LoRA"},
           {"base_model.model.lm_head.weight", "a tensor of the base model stored whole"},
           {"x.lora_A.weight", "not plain LoRA"},
           {"base_model.model..lora_A.weight", "not plain LoRA"},
       }) {
    const std::string message = AdapterFolder(kPlain, {zeros(name, {2, 2})}).failure();
    expect_contains(message, std::string("the tensor '") + name + "' is not supported: it is " +
                                 reason + "; merge it into its base with PEFT: python3 -c");
  }
}

TEST(AdapterTest, TheSameMatrixTwiceIsRefused) {
  expect_contains(AdapterFolder(kPlain, {matrix(".lora_A.weight", {2, 5}),
                                         matrix(".lora_A.default.weight", {2, 5})})
                      .failure(),
                  "lora_A.default.weight' are the same matrix");
}

TEST(AdapterTest, AnEmptyAdapterIsRefused) {
  expect_contains(AdapterFolder(kPlain, {}).failure(), "the adapter holds no matrices");
}

TEST(AdapterTest, MatricesOfUnsupportedTypesAreRefused) {
  expect_contains(
      AdapterFolder(kPlain, {{std::string(kModule) + ".lora_A.weight", "I8", {2, 1}, "ab"}})
          .failure(),
      "found I8");
}

TEST(AdapterTest, ConfigurationErrorsNameTheFile) {
  const AdapterFolder files(R"({"peft_type": "LOHA"})", {});
  EXPECT_EQ(files.failure(),
            (files.folder.path() / "adapter_config.json").string() +
                ": adapters with peft_type: \"LOHA\" are not supported, only plain LoRA is; merge "
                "it into its base with PEFT: python3 -c \"import sys; from peft import "
                "AutoPeftModelForCausalLM as M; M.from_pretrained(sys.argv[1], "
                "torch_dtype='auto').merge_and_unload().save_pretrained(sys.argv[2])\" '" +
                files.folder.path().string() + "' MERGED_FOLDER");
  files.folder.write("adapter_config.json", std::string(256'001, ' '));
  expect_contains(files.failure(), "the file is 256001 bytes long, too long");
}

TEST(AdapterTest, APickleFileIsNotReadAndTheCommandConvertsIt) {
  TempFolder folder;
  folder.write("adapter_config.json", kPlain);
  const auto failure = [&] { return error_of([&] { Adapter::open(folder.path()); }); };
  expect_contains(failure(),
                  "the adapter's weights are missing: there is no "
                  "adapter_model.safetensors; download the adapter again");
  folder.write("adapter_model.bin", "");
  EXPECT_EQ(failure(),
            folder.path().string() +
                ": the adapter is a pickle file, which is never read since it can run code "
                "(expected adapter_model.safetensors, found adapter_model.bin); if you trust it, "
                "convert it with: python3 -c \"import sys, torch; from safetensors.torch import "
                "save_file; t = torch.load(sys.argv[1] + '/adapter_model.bin', "
                "map_location='cpu', weights_only=True); save_file({k: v.contiguous() for k, v in "
                "t.items()}, sys.argv[1] + '/adapter_model.safetensors')\" '" +
                folder.path().string() + "'");
}

TEST(AdapterGoldenTest, ReadsPeftsAdapters) {
  const std::filesystem::path golden = std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "model";
  const Adapter llama = Adapter::open(golden / "llama_lora").value();
  EXPECT_EQ(llama.base(), "../llama");
  ASSERT_EQ(llama.updates().size(), 6u);  // three matrices in two layers
  const Checkpoint base = Checkpoint::open(golden / "llama");
  for (const LowRankUpdate& update : llama.updates()) {
    EXPECT_EQ(update.scale, 12.0 / 8);
    const StoredTensor* weight = base.find(update.weight);
    ASSERT_NE(weight, nullptr) << update.weight;
    EXPECT_EQ(weight->shape, (std::vector<int64_t>{update.b->shape[0], update.a->shape[1]}));
  }

  // GPT-2 stores its weights the other way round; the update does not.
  const Adapter gpt2 = Adapter::open(golden / "gpt2_lora").value();
  ASSERT_EQ(gpt2.updates().size(), 6u);
  const Checkpoint gpt2_base = Checkpoint::open(golden / "gpt2");
  for (const LowRankUpdate& update : gpt2.updates()) {
    EXPECT_EQ(update.scale, 3 / std::sqrt(4.0));
    const StoredTensor* weight = gpt2_base.find(update.weight);
    ASSERT_NE(weight, nullptr) << update.weight;
    EXPECT_EQ(weight->shape, (std::vector<int64_t>{update.a->shape[1], update.b->shape[0]}));
  }
}

}  // namespace
}  // namespace palimpsest::model
