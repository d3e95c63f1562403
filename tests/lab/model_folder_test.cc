#include "palimpsest/lab/model_folder.h"

#include <gtest/gtest.h>

#include "palimpsest/base/file.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

TEST(ModelFolderTest, HoldsWhatACheckpointNeeds) {
  const TinyWorld world;
  const std::filesystem::path folder = world.path() / "model";
  make_folder(folder);
  const ParameterLayout layout = tiny_layout();
  const std::vector<float> values = layout.initial(Random(1));
  write_model(folder, "{}", "{\"x\": 1}", layout, values, world.path() / "tokenizer");
  EXPECT_EQ(read_file(folder / "config.json"), "{}");
  EXPECT_EQ(read_file(folder / "generation_config.json"), "{\"x\": 1}");
  EXPECT_EQ(read_file(folder / "tokenizer.json"),
            read_file(world.path() / "tokenizer" / "tokenizer.json"));
  EXPECT_EQ(layout.read(Checkpoint::open(folder), "model"), values);
  EXPECT_GE(folder_bytes(layout), 4 * layout.size());
}

TEST(ModelFolderTest, FingerprintsFollowTheTokenizer) {
  const TinyWorld world;
  const auto fingerprint = [&] {
    Fingerprint made;
    add_tokenizer(made, world.path() / "tokenizer");
    return made.hex();
  };
  const std::string before = fingerprint();
  EXPECT_EQ(fingerprint(), before);
  write_file(world.path() / "tokenizer" / "tokenizer_config.json", "{}");
  EXPECT_NE(fingerprint(), before);
}

TEST(ModelFolderTest, AsksForMemoryBeforeItIsNeeded) {
  const ParameterLayout layout = tiny_layout();
  EXPECT_NO_THROW(require_memory(layout, {.tokens = 100, .longest = 50}));
  expect_contains(
      error_of([&] { require_memory(layout, {.tokens = int64_t{1} << 40, .longest = 50}); }),
      "too little memory");
  expect_contains(
      error_of([&] { require_memory(layout, {.tokens = int64_t{1} << 60, .longest = 50}); }),
      "too large");
}

}  // namespace
}  // namespace palimpsest::lab
