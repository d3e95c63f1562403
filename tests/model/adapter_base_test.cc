#include "palimpsest/model/internal/adapter_base.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/hash.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::model {
namespace {

class TokenizerFingerprintTest : public testing::Test {
 protected:
  TokenizerFingerprintTest() {
    folder_.write("tokenizer.json", "{}");
    folder_.write("chat_template.jinja", "{{ messages }}");
  }
  std::string fingerprint() const { return tokenizer_fingerprint(folder_.path()); }

  const TempFolder folder_;
};

TEST_F(TokenizerFingerprintTest, IsThatOfTheFilesInTheirOrder) {
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  folder_.write("config.json", R"({"model_type": "llama"})");
  Fingerprint expected;
  for (const char* name : {"tokenizer.json", "tokenizer_config.json", "chat_template.jinja"})
    expected.add(name).add_file(folder_.path() / name);
  EXPECT_EQ(fingerprint(), expected.hex());
}

TEST_F(TokenizerFingerprintTest, ChangesWithTheTokensThatAreAdded) {
  const std::string before = fingerprint();
  folder_.write("added_tokens.json", R"({"<extra>": 6})");
  const std::string added = fingerprint();
  EXPECT_NE(added, before);
  folder_.write("config.json", R"({"model_type": "llama"})");
  EXPECT_NE(fingerprint(), added);  // it gives the class
}

TEST_F(TokenizerFingerprintTest, ALinkThatLeadsNowhereIsNoAbsentFile) {
  std::filesystem::create_symlink("nowhere.json", folder_.path() / "special_tokens_map.json");
  EXPECT_ANY_THROW(fingerprint());
}

}  // namespace
}  // namespace palimpsest::model
