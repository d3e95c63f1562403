#include "palimpsest/model/internal/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/model/golden_model.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/safetensors_file.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::model {
namespace {

// A folder with two shards: "x" in a.safetensors, "y" in b.safetensors.
class Shards {
 public:
  explicit Shards(const std::string& weight_map) {
    folder.write("a.safetensors", safetensors_of({zeros("x", {2, 2})}));
    folder.write("b.safetensors", safetensors_of({zeros("y", {3})}));
    folder.write("model.safetensors.index.json", "{\"weight_map\": " + weight_map + "}");
  }

  std::string failure() const {
    return error_of([&] { Checkpoint::open(folder.path()); });
  }
  std::string index() const { return (folder.path() / "model.safetensors.index.json").string(); }

  TempFolder folder;
};

TEST(CheckpointTest, TypesHaveSizesAndNames) {
  EXPECT_EQ(kernels::byte_size(kernels::DType::kFloat32), 4);
  EXPECT_EQ(kernels::byte_size(kernels::DType::kFloat16), 2);
  EXPECT_EQ(kernels::byte_size(kernels::DType::kBFloat16), 2);
  EXPECT_EQ(kernels::name_of(kernels::DType::kFloat32), "float32");
  EXPECT_EQ(kernels::name_of(kernels::DType::kFloat16), "float16");
  EXPECT_EQ(kernels::name_of(kernels::DType::kBFloat16), "bfloat16");
}

TEST(CheckpointTest, FindsTensorsByName) {
  TempFolder folder;
  const std::string bytes =
      safetensors_of({{"h", "F16", {2}, "abcd"}, {"b", "BF16", {1, 2}, "efgh"}, zeros("f", {3})});
  const auto path = folder.write("model.safetensors", bytes);
  const Checkpoint checkpoint = Checkpoint::open(folder.path());
  EXPECT_EQ(checkpoint.names(), (std::vector<std::string>{"h", "b", "f"}));
  EXPECT_EQ(checkpoint.file_bytes(), static_cast<int64_t>(bytes.size()));
  EXPECT_EQ(checkpoint.files(), (std::vector<std::filesystem::path>{path}));
  const StoredTensor* tensor = checkpoint.find("b");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->name, "b");
  EXPECT_EQ(tensor->dtype, kernels::DType::kBFloat16);
  EXPECT_EQ(tensor->shape, (std::vector<int64_t>{1, 2}));
  ASSERT_EQ(tensor->bytes.size(), 4u);
  EXPECT_EQ(tensor->bytes[0], std::byte{'e'});
  EXPECT_EQ(checkpoint.find("h")->dtype, kernels::DType::kFloat16);
  EXPECT_EQ(checkpoint.find("f")->dtype, kernels::DType::kFloat32);
  EXPECT_EQ(checkpoint.find("none"), nullptr);
}

TEST(CheckpointTest, OpensAFileOfAnyName) {
  TempFolder folder;
  const auto path = folder.write("adapter.safetensors", safetensors_of({zeros("x", {1})}));
  EXPECT_NE(Checkpoint::open_file(path).find("x"), nullptr);
}

TEST(CheckpointTest, AnUnsupportedTypeIsNoErrorUntilItIsAskedFor) {
  TempFolder folder;
  const auto path = folder.write("model.safetensors", safetensors_of({{"mask", "U8", {2}, "ab"},
                                                                      {"f8", "F8_E4M3", {1}, "x"},
                                                                      {"new", "F3_NEW", {1}, "x"},
                                                                      zeros("w", {1})}));
  const Checkpoint checkpoint = Checkpoint::open(folder.path());
  EXPECT_EQ(checkpoint.names().size(), 4u);
  EXPECT_NE(checkpoint.find("w"), nullptr);
  EXPECT_EQ(error_of([&] { checkpoint.find("mask"); }),
            path.string() +
                ": the weights 'mask' are of a type that is not supported (expected F32, F16 or "
                "BF16, found U8); give a checkpoint that is not quantized, or convert it to "
                "bfloat16");
  expect_contains(error_of([&] { checkpoint.find("f8"); }), "found F8_E4M3)");
  expect_contains(error_of([&] { checkpoint.find("new"); }), "found F3_NEW)");
}

TEST(CheckpointTest, ViewsOutliveTheCopyThatGaveThem) {
  TempFolder folder;
  folder.write("model.safetensors", safetensors_of({{"w", "F32", {1}, "wxyz"}}));
  auto first = std::make_unique<Checkpoint>(Checkpoint::open(folder.path()));
  const Checkpoint second = *first;
  const StoredTensor* tensor = first->find("w");
  first.reset();
  EXPECT_EQ(tensor->bytes[3], std::byte{'z'});
  second.release(*tensor);
  EXPECT_EQ(tensor->bytes[3], std::byte{'z'});
}

TEST(CheckpointTest, ReadsShards) {
  const Shards shards(R"({"x": "a.safetensors", "y": "b.safetensors"})");
  const Checkpoint checkpoint = Checkpoint::open(shards.folder.path());
  EXPECT_EQ(checkpoint.names(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(checkpoint.files().size(), 2u);
  EXPECT_EQ(checkpoint.find("y")->shape, (std::vector<int64_t>{3}));
}

TEST(CheckpointTest, ATensorThatItsShardLacksIsNamed) {
  const Shards shards(R"({"x": "a.safetensors", "y": "b.safetensors", "z": "b.safetensors"})");
  EXPECT_EQ(shards.failure(), shards.index() +
                                  ": the tensor 'z' is not in its shard b.safetensors; index and "
                                  "shards are of different checkpoints: download them again");
}

TEST(CheckpointTest, ATensorInAnotherShardIsNamed) {
  const Shards shards(R"({"x": "b.safetensors", "y": "a.safetensors"})");
  expect_contains(shards.failure(),
                  ": the tensor 'x' is in a.safetensors, not in its shard b.safetensors;");
}

TEST(CheckpointTest, ATensorThatTheIndexLacksIsNamed) {
  const Shards shards(R"({"x": "a.safetensors", "y": "b.safetensors"})");
  shards.folder.write("b.safetensors", safetensors_of({zeros("y", {3}), zeros("more", {1})}));
  expect_contains(
      shards.failure(),
      ": the shard b.safetensors holds the tensor 'more', which the index does not name;");
}

TEST(CheckpointTest, ATensorInTwoShardsIsRefused) {
  const Shards shards(R"({"x": "a.safetensors", "y": "b.safetensors"})");
  const auto path =
      shards.folder.write("b.safetensors", safetensors_of({zeros("x", {2, 2}), zeros("y", {3})}));
  EXPECT_EQ(shards.failure(), path.string() +
                                  ": the tensor 'x' is in a.safetensors too; download the "
                                  "checkpoint again into an empty folder");
}

TEST(CheckpointTest, ATruncatedShardIsNamed) {
  const Shards shards(R"({"x": "a.safetensors", "y": "b.safetensors"})");
  const std::string whole = shards.folder.read("b.safetensors");
  const auto path = shards.folder.write("b.safetensors", whole.substr(0, whole.size() - 3));
  expect_contains(shards.failure(), path.string() + ": the file is " +
                                        std::to_string(whole.size() - 3) +
                                        " bytes, its header needs " + std::to_string(whole.size()));
}

TEST(CheckpointTest, AnEmptyFileAndADeadLinkAreRefused) {
  TempFolder folder;
  folder.write("model.safetensors", "");
  expect_contains(error_of([&] { Checkpoint::open(folder.path()); }),
                  "the file is 0 bytes long, too short for safetensors");
  std::filesystem::remove(folder.path() / "model.safetensors");
  std::filesystem::create_symlink("../blobs/gone", folder.path() / "model.safetensors");
  expect_contains(error_of([&] { Checkpoint::open(folder.path()); }),
                  "model.safetensors: the file cannot be read: No such file");
}

TEST(CheckpointGoldenTest, EveryCheckpointOpensWithItsParametersAndTypes) {
  const std::map<std::string, kernels::DType> others = {
      {"llama_gqa_tied", kernels::DType::kBFloat16},
      {"llama_biases", kernels::DType::kFloat16},
      {"qwen2", kernels::DType::kBFloat16},
      {"gpt_neox", kernels::DType::kFloat16}};
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden_model(""))) {
    if (!std::filesystem::exists(entry.path() / "config.json")) continue;
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    ++count;
    const auto other = others.find(name);
    const kernels::DType expected =
        other == others.end() ? kernels::DType::kFloat32 : other->second;
    const Checkpoint checkpoint = Checkpoint::open(entry.path());
    ASSERT_FALSE(checkpoint.names().empty());
    for (const std::string& tensor : checkpoint.names()) {
      if (is_buffer(tensor)) continue;
      ASSERT_NE(checkpoint.find(tensor), nullptr) << tensor;
      EXPECT_EQ(checkpoint.find(tensor)->dtype, expected) << tensor;
    }
  }
  EXPECT_EQ(count, 20);
}

// The gradients of golden.json name every parameter of the model.
TEST(CheckpointGoldenTest, HoldsEveryParameterThatTransformersLists) {
  for (const char* name : {"llama", "llama_rope_llama3", "gemma2", "phi", "gpt_neox", "olmo2"}) {
    SCOPED_TRACE(name);
    const Checkpoint checkpoint = Checkpoint::open(golden_model(name));
    const Json document = read_golden(std::string("model/") + name + "/golden.json");
    const Json& norms = document["gradients"][0]["tensors"];
    EXPECT_FALSE(norms.empty());
    for (const auto& item : norms.items()) {
      EXPECT_NE(checkpoint.find(item.key()), nullptr) << item.key();
    }
  }
}

TEST(CheckpointGoldenTest, ReadsShardsOfTransformers) {
  const Checkpoint checkpoint = Checkpoint::open(golden_model("llama_rope_llama3"));
  ASSERT_EQ(checkpoint.files().size(), 3u);
  EXPECT_EQ(checkpoint.files()[2].filename(), "model-00003-of-00003.safetensors");
  EXPECT_EQ(checkpoint.find("lm_head.weight")->shape.size(), 2u);
}

TEST(CheckpointGoldenTest, OldBuffersAreKeptByName) {
  const Checkpoint checkpoint = Checkpoint::open(golden_model("gpt_neox"));
  const std::string name = "gpt_neox.layers.0.attention.bias";
  const std::vector<std::string> names = checkpoint.names();
  EXPECT_NE(std::find(names.begin(), names.end(), name), names.end());
  expect_contains(error_of([&] { checkpoint.find(name); }), "'" + name + "' are of a type");
  EXPECT_EQ(checkpoint.find("gpt_neox.layers.0.attention.masked_bias")->dtype,
            kernels::DType::kFloat32);
}

}  // namespace
}  // namespace palimpsest::model
