#include "palimpsest/run/internal/vocabulary_check.h"

#include <gtest/gtest.h>

#include "tests/run/tiny_tokenizer.h"
#include "tests/support/adapter_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::run {
namespace {

class VocabularyCheckTest : public testing::Test {
 protected:
  std::string refusal(const std::filesystem::path& model) const {
    return error_of([&] {
      require_same_tokens({make_example_list("set", examples_)}, tiny_tokenizer(),
                          {model, "--reference r"}, {});
    });
  }
  void expect_no_refusal(const std::filesystem::path& model) const {
    EXPECT_NO_THROW(require_same_tokens({make_example_list("set", examples_)}, tiny_tokenizer(),
                                        {model, ""}, {}));
  }

  const TempFolder folder_;
  const std::filesystem::path tiny_ = PALIMPSEST_EXAMPLES_DIR "/tiny-tokenizer";
  const std::vector<data::Example> examples_ = {
      {.index = "0", .ids = {1, 2, 3}, .labels = {1, 2, 3}}};
};

constexpr const char* kOtherTokenizer =
    R"({"model": {"type": "BPE", "vocab": {"x": 0, "y": 1}, "merges": []}})";

TEST_F(VocabularyCheckTest, TheSameTokenizerIsTheSame) {
  expect_no_refusal(tiny_);
}

TEST_F(VocabularyCheckTest, AnotherVocabularyIsRefused) {
  std::filesystem::create_directories(folder_.path() / "other");
  folder_.write("other/tokenizer.json", kOtherTokenizer);
  const std::string message = refusal(folder_.path() / "other");
  expect_contains(message, "--reference r");
  expect_contains(message, "a different vocabulary");
}

TEST_F(VocabularyCheckTest, AnAdapterWithoutATokenizerReadsWhatItsBaseReads) {
  std::filesystem::create_directories(folder_.path() / "other");
  folder_.write("other/tokenizer.json", kOtherTokenizer);
  folder_.write("other/config.json", "{}");
  expect_contains(refusal(write_adapter(folder_.path() / "adapter", "../other")),
                  "a different vocabulary");
  expect_no_refusal(write_adapter(folder_.path() / "like", tiny_.string()));
}

TEST_F(VocabularyCheckTest, AModelWithoutATokenizerIsBelieved) {
  std::filesystem::create_directories(folder_.path() / "bare");
  folder_.write("bare/config.json", "{}");
  expect_no_refusal(folder_.path() / "bare");
}

}  // namespace
}  // namespace palimpsest::run
