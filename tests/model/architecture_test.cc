#include "palimpsest/model/internal/architecture.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "tests/model/golden_model.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace palimpsest::model {
namespace {

using Shapes = std::map<std::string, std::vector<int64_t>>;

Shapes shapes_of(const Architecture& architecture) {
  Shapes shapes;
  for (const Parameter& parameter : parameters(architecture)) {
    EXPECT_TRUE(shapes.emplace(parameter.name, parameter.shape).second)
        << parameter.name << " is listed twice";
  }
  return shapes;
}

Architecture read_golden_architecture(const std::filesystem::path& folder) {
  return read_architecture(read_file(folder / "config.json"), "config.json");
}

// The golden folders that hold a whole checkpoint.
std::vector<std::filesystem::path> golden_folders() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(PALIMPSEST_GOLDEN_DIR "/model")) {
    if (std::filesystem::exists(entry.path() / "config.json")) folders.push_back(entry.path());
  }
  return folders;
}

// Names and shapes in the headers of a folder's safetensors files: 8 bytes of length, then JSON.
Shapes stored_shapes(const std::filesystem::path& folder) {
  Shapes shapes;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".safetensors") continue;
    const std::string bytes = read_file(entry.path());
    uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    const Json header = parse_json(bytes.substr(sizeof(length), length), entry.path().string());
    for (const auto& [name, tensor] : header.items()) {
      if (name == "__metadata__") continue;
      shapes[name] = tensor.at("shape").get<std::vector<int64_t>>();
    }
  }
  return shapes;
}

TEST(ArchitectureTest, LayerNamesHoldTheNumber) {
  EXPECT_EQ(layer_name("model.layers.{}.mlp.up_proj.weight", 12),
            "model.layers.12.mlp.up_proj.weight");
  EXPECT_EQ(layer_name("lm_head.weight", 3), "lm_head.weight");
}

TEST(ArchitectureTest, OutputsAreThoseOfAllParts) {
  const LinearSpec linear{.parts = {{.weight = "q", .outputs = 8}, {.weight = "k", .outputs = 4}},
                          .inputs = 8};
  EXPECT_EQ(linear.outputs(), 12);
  EXPECT_EQ(LinearSpec().outputs(), 0);
}

TEST(ArchitectureTest, ParametersComeInTheOrderOfTheModel) {
  const Architecture architecture = read_architecture(
      R"({"model_type": "gpt2", "vocab_size": 7, "n_embd": 4, "n_layer": 1, "n_head": 2,
          "n_positions": 5, "tie_word_embeddings": false})",
      "config.json");
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters(architecture)) names.push_back(parameter.name);
  const std::string h = "transformer.h.0.";
  EXPECT_EQ(names, std::vector<std::string>(
                       {"transformer.wte.weight", "transformer.wpe.weight", h + "ln_1.weight",
                        h + "ln_1.bias", h + "attn.c_attn.weight", h + "attn.c_attn.bias",
                        h + "attn.c_proj.weight", h + "attn.c_proj.bias", h + "ln_2.weight",
                        h + "ln_2.bias", h + "mlp.c_fc.weight", h + "mlp.c_fc.bias",
                        h + "mlp.c_proj.weight", h + "mlp.c_proj.bias", "transformer.ln_f.weight",
                        "transformer.ln_f.bias", "lm_head.weight"}));
  const Shapes shapes = shapes_of(architecture);
  int64_t elements = 0;
  for (const Parameter& parameter : parameters(architecture)) elements += num_elements(parameter);
  EXPECT_EQ(num_parameters(architecture), elements);
  EXPECT_EQ(shapes.at(h + "attn.c_attn.weight"), std::vector<int64_t>({4, 12}));
  EXPECT_EQ(shapes.at(h + "mlp.c_fc.weight"), std::vector<int64_t>({4, 16}));
  EXPECT_EQ(shapes.at("transformer.wpe.weight"), std::vector<int64_t>({5, 4}));
}

TEST(ArchitectureTest, CountsElementsWithoutWrappingAround) {
  EXPECT_EQ(num_elements({"x", {3, 4}}), 12);
  const int64_t large = int64_t{1} << 31;
  expect_contains(error_of([&] { num_elements({"x", {large, large, large}}); }), "too large");
}

TEST(ArchitectureGoldenTest, ParametersAreThoseOfNamedParameters) {
  ASSERT_GE(golden_folders().size(), 20u);
  for (const auto& folder : golden_folders()) {
    SCOPED_TRACE(folder.filename());
    const Shapes shapes = shapes_of(read_golden_architecture(folder));
    const Json golden = read_golden("model/" + folder.filename().string() + "/golden.json");
    std::set<std::string> expected;
    for (const auto& item : golden.at("gradients").at(0).at("tensors").items()) {
      expected.insert(item.key());
    }
    std::set<std::string> found;
    for (const auto& [name, shape] : shapes) found.insert(name);
    EXPECT_EQ(found, expected);
  }
}

TEST(ArchitectureGoldenTest, ShapesAreThoseOfTheWeights) {
  for (const auto& folder : golden_folders()) {
    SCOPED_TRACE(folder.filename());
    const Architecture architecture = read_golden_architecture(folder);
    const Shapes stored = stored_shapes(folder);
    const bool bare = folder.filename() == "gpt2_bare";
    Shapes expected;
    for (const Parameter& parameter : parameters(architecture)) {
      const size_t cut = bare ? architecture.inner_prefix.size() : 0;
      expected[parameter.name.substr(cut)] = parameter.shape;
    }
    Shapes found;
    for (const auto& [name, shape] : stored) {
      if (!is_buffer(name)) found[name] = shape;
    }
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace palimpsest::model
