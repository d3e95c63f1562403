#include "palimpsest/model/parameter_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/base/file.h"
#include "tests/model/golden_model.h"
#include "tests/support/expect_error.h"
#include "tests/support/safetensors_file.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
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

TEST(ParameterCheckTest, ListsStoredTypes) {
  Copy copy;
  EXPECT_EQ(stored_types(copy.open(), copy.architecture), std::vector{DType::kFloat32});
  TestTensor& tensor = copy.tensor(kDown);
  tensor.dtype = "BF16";
  tensor.bytes.resize(tensor.bytes.size() / 2);
  copy.tensors.push_back({"a buffer", "F16", {1}, "ab"});
  EXPECT_EQ(stored_types(copy.open(), copy.architecture),
            (std::vector{DType::kFloat32, DType::kBFloat16}));
}

TEST(ParameterCheckTest, RefusesAnAdapterOfAnotherModel) {
  const std::optional<Adapter> adapter = Adapter::open(golden_model("llama_lora"));
  ASSERT_TRUE(adapter);
  EXPECT_NO_THROW(check_adapter(*adapter, architecture_of("llama")));
  Architecture other = architecture_of("llama");
  other.layer.query_key_value.parts[0].outputs += 8;
  expect_contains(error_of([&] { check_adapter(*adapter, other); }), "q_proj.weight");
  expect_contains(error_of([&] { check_adapter(*adapter, architecture_of("gpt2")); }),
                  "no linear map of the base model");
}

TEST(ParameterCheckGoldenTest, EveryCheckpointFitsItsConfig) {
  int64_t checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden_model(""))) {
    const std::string name = entry.path().filename().string();
    if (!std::filesystem::exists(entry.path() / "config.json")) continue;
    SCOPED_TRACE(name);
    EXPECT_NO_THROW(check_parameters(Checkpoint::open(entry.path()), architecture_of(name)));
    ++checked;
  }
  EXPECT_GE(checked, 18);
  EXPECT_NO_THROW(
      check_adapter(*Adapter::open(golden_model("gpt2_lora")), architecture_of("gpt2")));
}

}  // namespace
}  // namespace palimpsest
