#include "palimpsest/model/internal/parameter_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/base/internal/file.h"
#include "tests/model/golden_model.h"
#include "tests/support/expect_error.h"
#include "tests/support/safetensors_file.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::model {
namespace {

Architecture architecture_of(const std::string& name) {
  return read_architecture(read_file(golden_model(name) / "config.json"), name);
}

// The golden llama's tensors, all zero, in a folder of its own.
class Copy {
 public:
  Copy() : architecture(architecture_of("llama")) {
    for (const Parameter& parameter : parameters(architecture)) {
      tensors.push_back(zeros(parameter.name, parameter.shape));
    }
  }

  TestTensor& tensor(const std::string& name) {
    return *std::find_if(tensors.begin(), tensors.end(),
                         [&](const TestTensor& tensor) { return tensor.name == name; });
  }
  Checkpoint open() const {
    folder.write("model.safetensors", safetensors_of(tensors));
    return Checkpoint::open(folder.path());
  }
  std::string failure() const {
    const Checkpoint checkpoint = open();
    return error_of([&] { check_parameters(checkpoint, architecture); });
  }

  Architecture architecture;
  std::vector<TestTensor> tensors;
  TempFolder folder;
};

constexpr const char* kDown = "model.layers.1.mlp.down_proj.weight";

TEST(ParameterCheckTest, AcceptsWhatConfigDescribes) {
  const Copy copy;
  EXPECT_NO_THROW(check_parameters(copy.open(), copy.architecture));
}

TEST(ParameterCheckTest, NamesAMissingTensor) {
  Copy copy;
  copy.tensor(kDown).name = "other";
  const std::string message = copy.failure();
  expect_contains(message, (copy.folder.path() / "model.safetensors").string());
  expect_contains(message, std::string("there is no tensor '") + kDown + "'");
}

TEST(ParameterCheckTest, NamesAWrongShape) {
  Copy copy;
  const std::vector<int64_t> shape = copy.tensor(kDown).shape;
  copy.tensor(kDown) = zeros(kDown, {shape[1], shape[0]});
  const std::string message = copy.failure();
  expect_contains(message, kDown);
  expect_contains(message, fmt::format("expected [{}, {}], found [{}, {}]", shape[0], shape[1],
                                       shape[1], shape[0]));
}

// A model without its last layers is another model: transformers drops them without a word.
TEST(ParameterCheckTest, RefusesLayersThatConfigDoesNotCount) {
  Copy copy;
  ASSERT_EQ(copy.architecture.num_layers, 2);
  copy.architecture.num_layers = 1;
  copy.architecture.windows.resize(1);
  const std::string message = copy.failure();
  expect_contains(message, (copy.folder.path() / "model.safetensors").string());
  expect_contains(message, "the tensor 'model.layers.1.");
  expect_contains(message, "of a layer that config.json does not count (expected 1 layers");

  Copy bare;
  bare.tensors.push_back(zeros("layers.7.anything", {1}));
  expect_contains(bare.failure(), "'layers.7.anything' is of a layer");
  Copy huge;
  huge.tensors.push_back(zeros("model.layers.99999999999999999999999.w", {1}));
  expect_contains(huge.failure(), "is of a layer");
}

TEST(ParameterCheckTest, NamesTensorsThatTheModelDoesNotUse) {
  Copy copy;
  EXPECT_EQ(surplus_note(copy.open(), copy.architecture), "");
  copy.tensors.push_back(zeros("score.weight", {1}));
  EXPECT_EQ(surplus_note(copy.open(), copy.architecture),
            (copy.folder.path() / "model.safetensors").string() +
                ": a tensor that a llama model does not have is not used: score.weight");
  copy.tensors.push_back(zeros("model.layers.0.self_attn.q_proj.bias", {1}));
  copy.tensors.push_back(zeros("model.layers.x.w", {1}));
  EXPECT_NO_THROW(check_parameters(copy.open(), copy.architecture));
  EXPECT_EQ(surplus_tensors(copy.open(), copy.architecture),
            (std::vector<std::string>{"score.weight", "model.layers.0.self_attn.q_proj.bias",
                                      "model.layers.x.w"}));
  expect_contains(surplus_note(copy.open(), copy.architecture), "3 tensors that a llama model");
}

// What transformers leaves out as well: buffers of older releases, and the head that is the
// embedding.
TEST(ParameterCheckTest, KnownBuffersAreNoSurplus) {
  Copy copy;
  for (const char* name :
       {"model.layers.0.self_attn.rotary_emb.inv_freq", "transformer.h.0.attn.bias",
        "transformer.h.0.attn.masked_bias", "gpt_neox.layers.0.attention.bias",
        "gpt_neox.layers.1.attention.masked_bias"}) {
    copy.tensors.push_back(zeros(name, {1}));
  }
  EXPECT_EQ(surplus_note(copy.open(), copy.architecture), "");
  Architecture tied = copy.architecture;
  ASSERT_EQ(tied.head, "lm_head.weight");
  tied.head.reset();
  EXPECT_EQ(surplus_note(copy.open(), tied), "");
}

// safetensors' save_model keeps one of two tied matrices, and transformers reads either.
TEST(ParameterCheckTest, ATiedEmbeddingMayHaveTheNameOfTheHead) {
  Copy copy;
  std::erase_if(copy.tensors, [](const TestTensor& tensor) {
    return tensor.name == "model.embed_tokens.weight";
  });
  expect_contains(copy.failure(), "there is no tensor 'model.embed_tokens.weight'");
  copy.architecture.head.reset();
  const Checkpoint checkpoint = copy.open();
  EXPECT_NO_THROW(check_parameters(checkpoint, copy.architecture));
  EXPECT_EQ(find_parameter(checkpoint, copy.architecture, "model.embed_tokens.weight")->name,
            "lm_head.weight");
  EXPECT_EQ(surplus_note(checkpoint, copy.architecture), "");
}

TEST(ParameterCheckTest, ListsStoredTypes) {
  Copy copy;
  EXPECT_EQ(stored_types(copy.open(), copy.architecture), std::vector{kernels::DType::kFloat32});
  TestTensor& tensor = copy.tensor(kDown);
  tensor.dtype = "BF16";
  tensor.bytes.resize(tensor.bytes.size() / 2);
  copy.tensors.push_back({"a buffer", "F16", {1}, "ab"});
  EXPECT_EQ(stored_types(copy.open(), copy.architecture),
            (std::vector{kernels::DType::kFloat32, kernels::DType::kBFloat16}));
}

TEST(ParameterCheckTest, RefusesAnAdapterOfAnotherModel) {
  const std::optional<Adapter> adapter = Adapter::open(golden_model("llama_lora"));
  ASSERT_TRUE(adapter);
  EXPECT_NO_THROW(check_adapter(*adapter, architecture_of("llama")));
  Architecture other = architecture_of("llama");
  other.layer.query_key_value.parts[0].outputs += 8;
  expect_contains(error_of([&] { check_adapter(*adapter, other); }), "q_proj.weight");
  expect_contains(error_of([&] { check_adapter(*adapter, architecture_of("gpt2")); }),
                  "not a linear map of the base model");
}

// The golden llama's adapter, without the matrices of one module, and with other target_modules.
class AdapterCopy {
 public:
  AdapterCopy() { std::filesystem::copy(golden_model("llama_lora"), folder.path() / "adapter"); }

  std::string failure(const std::string& targets) const {
    const std::string config = (golden_model("llama_lora") / "adapter_config.json").string();
    std::string text = read_file(config);
    const size_t begin = text.find("\"target_modules\"");
    const size_t end = text.find(']', begin) + 1;
    text.replace(begin, end - begin, "\"target_modules\": " + targets);
    folder.write("adapter/adapter_config.json", text);
    return error_of([&] {
      check_adapter(*Adapter::open(folder.path() / "adapter"), architecture_of("llama"));
    });
  }

  TempFolder folder;
};

TEST(ParameterCheckTest, AnAdapterMustHaveTheMatricesThatItTargets) {
  const AdapterCopy copy;
  EXPECT_EQ(copy.failure(R"(["q_proj", "v_proj", "down_proj", "up_proj"])"),
            "adapter_config.json: the adapter targets 'model.layers.0.mlp.up_proj' but has no "
            "matrices for it; the adapter is incomplete: download it again");
  expect_contains(copy.failure(R"("all-linear")"), "targets 'model.layers.0.mlp.gate_proj'");
  expect_contains(copy.failure(R"(["q_proj", "v_proj", "down_proj", "lm_head"])"),
                  "disagree on the head 'lm_head'");
  expect_contains(copy.failure(R"(["q_proj", "v_proj"])"),
                  "the file holds matrices for 'model.layers.0.mlp.down_proj', which "
                  "adapter_config.json does not target");
}

TEST(ParameterCheckGoldenTest, EveryCheckpointFitsItsConfig) {
  int64_t checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden_model(""))) {
    const std::string name = entry.path().filename().string();
    if (!std::filesystem::exists(entry.path() / "config.json")) continue;
    SCOPED_TRACE(name);
    const Checkpoint checkpoint = Checkpoint::open(entry.path());
    EXPECT_NO_THROW(check_parameters(checkpoint, architecture_of(name)));
    EXPECT_EQ(surplus_note(checkpoint, architecture_of(name)), "");
    ++checked;
  }
  EXPECT_GE(checked, 18);
  EXPECT_NO_THROW(
      check_adapter(*Adapter::open(golden_model("gpt2_lora")), architecture_of("gpt2")));
}

}  // namespace
}  // namespace palimpsest::model
