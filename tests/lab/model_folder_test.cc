#include "palimpsest/lab/internal/model_folder.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

TEST(ModelFolderTest, HoldsWhatACheckpointNeeds) {
  const TinyData tiny;
  const std::filesystem::path folder = tiny.path() / "model";
  make_folder(folder);
  const model::Architecture architecture = tiny_architecture();
  const engine::ModelWeights weights = engine::initial_weights(architecture, Random(1));
  const ModelTexts texts{.config = R"({"torch_dtype": "bfloat16", "x": 1})",
                         .generation_config = "{\"x\": 1}",
                         .tokenizer = tiny.path() / "tokenizer"};
  write_model(folder, texts, architecture, weights);
  // What was trained is written as float32.
  EXPECT_EQ(parse_json(read_file(folder / "config.json"), "config"),
            (Json{{"torch_dtype", "float32"}, {"x", 1}}));
  EXPECT_EQ(read_file(folder / "generation_config.json"), "{\"x\": 1}");
  EXPECT_EQ(read_file(folder / "tokenizer.json"),
            read_file(tiny.path() / "tokenizer" / "tokenizer.json"));
  WorkerPool pool(1);
  EXPECT_EQ(numbers_of(read_weights(folder, architecture, pool)), numbers_of(weights));
  EXPECT_GE(folder_bytes(architecture), 4 * model::num_parameters(architecture));
}

TEST(ModelFolderTest, AFolderWithoutAModelIsRefused) {
  const TinyData tiny;
  expect_contains(error_of([&] { read_model_texts(tiny.path()); }), "no config.json");
  expect_contains(error_of([&] { require_other_folder(tiny.path(), tiny.path() / "."); }),
                  "would replace");
}

TEST(ModelFolderTest, FingerprintsFollowTheTokenizer) {
  const TinyData tiny;
  const auto fingerprint = [&] {
    Fingerprint made;
    add_tokenizer(made, tiny.path() / "tokenizer");
    return made.hex();
  };
  const std::string before = fingerprint();
  EXPECT_EQ(fingerprint(), before);
  write_file(tiny.path() / "tokenizer" / "tokenizer_config.json", "{}");
  EXPECT_NE(fingerprint(), before);
}

TEST(ModelFolderTest, AsksForMemoryBeforeItIsNeeded) {
  const model::Architecture architecture = tiny_architecture();
  EXPECT_NO_THROW(require_memory(architecture, {.tokens = 100}));
  const auto much = [&] { require_memory(architecture, {.tokens = int64_t{1} << 40}); };
  expect_contains(error_of<SystemError>(much), "too little memory");
  expect_contains(error_of([&] { require_memory(architecture, {.tokens = int64_t{1} << 60}); }),
                  "too large");
}

}  // namespace
}  // namespace palimpsest::lab
