#include "palimpsest/lab/model_folder.h"

#include <gtest/gtest.h>

#include "palimpsest/base/file.h"
#include "palimpsest/base/json.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

TEST(ModelFolderTest, HoldsWhatACheckpointNeeds) {
  const TinyWorld world;
  const std::filesystem::path folder = world.path() / "model";
  make_folder(folder);
  const Architecture architecture = tiny_architecture();
  const engine::ModelWeights weights = engine::initial_weights(architecture, Random(1));
  const ModelTexts texts{.config = R"({"torch_dtype": "bfloat16", "x": 1})",
                         .generation_config = "{\"x\": 1}",
                         .tokenizer = world.path() / "tokenizer"};
  write_model(folder, texts, architecture, weights);
  // What was trained is written as float32.
  EXPECT_EQ(parse_json(read_file(folder / "config.json"), "config"),
            (Json{{"torch_dtype", "float32"}, {"x", 1}}));
  EXPECT_EQ(read_file(folder / "generation_config.json"), "{\"x\": 1}");
  EXPECT_EQ(read_file(folder / "tokenizer.json"),
            read_file(world.path() / "tokenizer" / "tokenizer.json"));
  WorkerPool pool(1);
  EXPECT_EQ(numbers_of(read_weights(folder, architecture, pool)), numbers_of(weights));
  EXPECT_GE(folder_bytes(architecture), 4 * count_parameters(architecture));
}

TEST(ModelFolderTest, AFolderWithoutAModelIsRefused) {
  const TinyWorld world;
  expect_contains(error_of([&] { read_model_texts(world.path()); }), "no config.json");
  expect_contains(error_of([&] { require_other_folder(world.path(), world.path() / "."); }),
                  "would replace");
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
  const Architecture architecture = tiny_architecture();
  EXPECT_NO_THROW(require_memory(architecture, {.tokens = 100}));
  expect_contains(error_of([&] { require_memory(architecture, {.tokens = int64_t{1} << 40}); }),
                  "too little memory");
  expect_contains(error_of([&] { require_memory(architecture, {.tokens = int64_t{1} << 60}); }),
                  "too large");
}

}  // namespace
}  // namespace palimpsest::lab
