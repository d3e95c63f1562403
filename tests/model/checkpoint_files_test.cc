#include "palimpsest/model/internal/checkpoint_files.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::model {
namespace {

std::string failure(const TempFolder& folder) {
  return error_of([&] { find_checkpoint_files(folder.path()); });
}

std::string index_failure(std::string_view index) {
  return error_of([&] { parse_weight_map(index, "index"); });
}

TEST(CheckpointFilesTest, OneFileWinsOverAnIndex) {
  TempFolder folder;
  folder.write("model.safetensors", "");
  folder.write("model.safetensors.index.json", "{}");
  const CheckpointFiles found = find_checkpoint_files(folder.path());
  ASSERT_EQ(found.files.size(), 1u);
  EXPECT_EQ(found.files[0], folder.path() / "model.safetensors");
  EXPECT_TRUE(found.index.empty());
}

TEST(CheckpointFilesTest, ShardsComeFromTheIndex) {
  TempFolder folder;
  folder.write("a.safetensors", "");
  folder.write("b.safetensors", "");
  folder.write("model.safetensors.index.json",
               R"({"metadata": {"total_size": 12}, "weight_map": {"x": "b.safetensors",
                   "y": "a.safetensors", "z": "b.safetensors"}})");
  const CheckpointFiles found = find_checkpoint_files(folder.path());
  ASSERT_EQ(found.files.size(), 2u);
  EXPECT_EQ(found.files[0], folder.path() / "a.safetensors");
  EXPECT_EQ(found.files[1], folder.path() / "b.safetensors");
  EXPECT_EQ(found.weight_map.at("z"), "b.safetensors");
  EXPECT_EQ(found.index, folder.path() / "model.safetensors.index.json");
}

TEST(CheckpointFilesTest, AMissingShardIsNamed) {
  TempFolder folder;
  const std::filesystem::path index =
      folder.write("model.safetensors.index.json",
                   R"({"weight_map": {"x": "model-00001-of-00001.safetensors"}})");
  EXPECT_EQ(failure(folder), index.string() +
                                 ": the shard model-00001-of-00001.safetensors is missing; "
                                 "download the checkpoint again");
}

TEST(CheckpointFilesTest, AShardOutsideTheFolderIsRefused) {
  for (const char* name : {"../x.safetensors", "/etc/x.safetensors", "sub/x.safetensors",
                           "..\\\\x.safetensors", "..safetensors"}) {
    expect_contains(index_failure(std::string(R"({"weight_map": {"x": ")") + name + "\"}}"),
                    "is not a file of this folder");
  }
  EXPECT_EQ(index_failure(R"({"weight_map": {"x": "a.bin"}})"),
            "index: the shard 'a.bin' is not a safetensors file");
  expect_contains(index_failure(R"({"weight_map": {"x": ""}})"), "is not a safetensors file");
  expect_contains(index_failure(R"({"weight_map": {"x": "a\u0000.safetensors"}})"),
                  "the name of a shard is too long or holds a control character");
}

TEST(CheckpointFilesTest, AMalformedIndexIsRefused) {
  expect_contains(index_failure("{"), "index: this is not valid JSON");
  EXPECT_EQ(index_failure("[]"),
            "index: the index is malformed (expected {\"weight_map\": {\"tensor\": \"file\", …}}, "
            "found an array)");
  EXPECT_EQ(index_failure(R"({"metadata": {}})"), "index: the key 'weight_map' is missing");
  EXPECT_EQ(index_failure(R"({"weight_map": {}})"), "index: 'weight_map' names no tensor");
  expect_contains(index_failure(R"({"weight_map": 3})"), "the index is malformed");
  expect_contains(index_failure(R"({"weight_map": "x"})"), "the index is malformed");
  expect_contains(index_failure(R"({"weight_map": {"x": null}})"), "found null)");
  expect_contains(index_failure(R"({"weight_map": {"x": {"y": "z"}}})"), "found an object)");
  expect_contains(index_failure(R"({"weight_map": {"\n": "a.safetensors"}})"),
                  "found a name that is too long or holds a control character");
  EXPECT_EQ(index_failure(R"({"weight_map": {"x": "a.safetensors", "x": "b.safetensors"}})"),
            "index: the tensor 'x' is named twice");
}

TEST(CheckpointFilesTest, PickleFilesAreNotReadAndTheCommandConvertsThem) {
  TempFolder folder;
  folder.write("config.json", "{}");
  folder.write("pytorch_model-00001-of-00002.bin", "");
  folder.write("pytorch_model-00002-of-00002.bin", "");
  EXPECT_EQ(failure(folder),
            folder.path().string() +
                ": the weights are pickle files, which are never read since they can run code "
                "(expected model.safetensors, found pytorch_model-00001-of-00002.bin, "
                "pytorch_model-00002-of-00002.bin); if you trust them, convert them with: python3 "
                "-c \"import sys; from transformers import AutoModelForCausalLM as M; "
                "M.from_pretrained(sys.argv[1], torch_dtype='auto').save_pretrained(sys.argv[1], "
                "safe_serialization=True)\" '" +
                folder.path().string() + "'");
}

TEST(CheckpointFilesTest, PickleFilesOfOtherLayoutsAreNamed) {
  for (const char* name : {"consolidated.00.pth", "model.pt"}) {
    TempFolder folder;
    folder.write(name, "");
    const std::string message = failure(folder);
    expect_contains(message, std::string("the weights are pickle files"));
    expect_contains(message, std::string("found ") + name);
    expect_contains(message, "get the same model in Hugging Face's layout");
  }
}

TEST(CheckpointFilesTest, SaysWhatAFolderWithoutWeightsHolds) {
  TempFolder folder;
  EXPECT_EQ(failure(folder),
            folder.path().string() +
                ": the folder holds no weights (expected model.safetensors or "
                "model.safetensors.index.json, found nothing); give the folder of a Hugging Face "
                "checkpoint");
  folder.write("optimizer.pt", "");  // what a trainer leaves is no pickled model
  folder.write("config.json", "{}");
  expect_contains(failure(folder), "found config.json, optimizer.pt); give the folder");
  for (int i = 0; i < 10; ++i) folder.write("x" + std::to_string(i), "");
  expect_contains(failure(folder), "x4, x5 and 4 more)");
}

TEST(CheckpointFilesTest, SaysThatTheIndexIsMissing) {
  TempFolder folder;
  folder.write("weights-a.safetensors", "");
  folder.write("config.json", "");
  expect_contains(failure(folder), "found weights-a.safetensors); download the missing file too");
}

TEST(CheckpointFilesTest, NumberedShardsNeedNoIndex) {
  TempFolder folder;
  folder.write("model-00002-of-00002.safetensors", "");
  folder.write("model-2-of-2.safetensors", "");  // no shard of transformers
  expect_contains(failure(folder), "the shard model-00001-of-00002.safetensors is missing");
  folder.write("model-00001-of-00002.safetensors", "");
  const CheckpointFiles found = find_checkpoint_files(folder.path());
  ASSERT_EQ(found.files.size(), 2u);
  EXPECT_EQ(found.files[0], folder.path() / "model-00001-of-00002.safetensors");
  EXPECT_TRUE(found.index.empty());
}

TEST(CheckpointFilesTest, SaysThatThereIsNoFolder) {
  TempFolder folder;
  EXPECT_EQ(error_of([&] { find_checkpoint_files(folder.path() / "none"); }),
            (folder.path() / "none").string() + ": there is no such folder");
}

}  // namespace
}  // namespace palimpsest::model
