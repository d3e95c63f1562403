#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/jinja/chat_template.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::jinja {
namespace {

class ChatTemplateLoadTest : public ::testing::Test {
 protected:
  void config(const std::string& json) { write_file(folder_ / "tokenizer_config.json", json); }
  std::string text(const std::optional<std::string>& name = std::nullopt, bool tools = false) {
    return load_chat_template(folder_, name, tools).render_text({}, {});
  }
  std::string failure(const std::optional<std::string>& name = std::nullopt) {
    try {
      text(name);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  const TempFolder temp_;
  const std::filesystem::path folder_ = temp_.path();
};

constexpr const char* kNamed =
    R"({"chat_template": [{"name": "default", "template": "D"}, {"name": "tool_use", "template": "T"},
                          {"name": "rag", "template": "R"}]})";

TEST_F(ChatTemplateLoadTest, TakesTheTextOfTheConfig) {
  config(R"({"chat_template": "C{{ 1 }}"})");
  EXPECT_TRUE(has_chat_template(folder_));
  EXPECT_EQ(text(), "C1");
  EXPECT_EQ(text("default"), "C1");
}

TEST_F(ChatTemplateLoadTest, TheFileOfItsOwnGoesFirst) {
  config(R"({"chat_template": "C"})");
  write_file(folder_ / "chat_template.jinja", "F");
  EXPECT_EQ(text(), "F");
}

TEST_F(ChatTemplateLoadTest, ChoosesAmongNamedTemplatesAsTransformersDoes) {
  config(kNamed);
  EXPECT_EQ(text(), "D");
  EXPECT_EQ(text(std::nullopt, true), "T");
  EXPECT_EQ(text("rag", true), "R");
  EXPECT_NE(failure("nope").find("found default, tool_use, rag"), std::string::npos);
}

TEST_F(ChatTemplateLoadTest, ANameIsNeededWithoutADefault) {
  config(R"({"chat_template": [{"name": "rag", "template": "R"}]})");
  EXPECT_NE(failure().find("no chat template named 'default'"), std::string::npos);
  EXPECT_EQ(text("rag"), "R");
}

TEST_F(ChatTemplateLoadTest, SaysWhatIsMissingOrWrong) {
  EXPECT_FALSE(has_chat_template(folder_));
  EXPECT_NE(failure().find("the folder has no chat template"), std::string::npos);
  config(R"({"bos_token": "<s>"})");
  EXPECT_FALSE(has_chat_template(folder_));
  EXPECT_NE(failure().find("the folder has no chat template"), std::string::npos);
  config(R"({"chat_template": 3})");
  EXPECT_NE(failure().find("neither a template nor a list"), std::string::npos);
  config(R"({"chat_template": [{"name": "default"}]})");
  EXPECT_NE(failure().find("the key 'template' is missing"), std::string::npos);
  config(R"({"chat_template": "{% if %}"})");
  EXPECT_NE(failure().find("tokenizer_config.json: chat_template: line 1"), std::string::npos);
  config("[]");
  EXPECT_NE(failure().find("not a JSON object"), std::string::npos);
}

}  // namespace
}  // namespace palimpsest::jinja
