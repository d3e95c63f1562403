#include "palimpsest/jinja/chat_template.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "palimpsest/base/error.h"

namespace palimpsest::jinja {
namespace {

std::string render(const std::string& text, const ChatOptions& options = {},
                   const std::string& messages = "[]") {
  return ChatTemplate::parse(text, "t").render(messages, options).text;
}

std::string chat_failure(const std::string& text, const ChatOptions& options = {},
                         const std::string& messages = "[]") {
  try {
    render(text, options, messages);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ChatTemplateTest, RendersMessagesGivenAsStructsOrAsJson) {
  const ChatTemplate chat = ChatTemplate::parse(
      "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
      "{% if add_generation_prompt %}<assistant>{% endif %}",
      "t");
  EXPECT_EQ(chat.render_text({{"user", "Hi"}}, {.add_generation_prompt = true}),
            "<user>Hi<assistant>");
  EXPECT_EQ(chat.render(R"([{"role": "user", "content": "Hi"}])", {}).text, "<user>Hi");
}

TEST(ChatTemplateTest, PassesToolsDocumentsTokensAndVariables) {
  ChatOptions options;
  options.tools = R"([{"name": "f"}])";
  options.documents = R"([{"title": "d"}])";
  options.special_tokens = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  options.variables = {{"date_string", "\"26 Jul 2024\""}, {"eos_token", "\"<end>\""}};
  EXPECT_EQ(render("{{ bos_token }}{{ tools[0].name }}{{ documents|length }}{{ date_string }}"
                   "{{ eos_token }}",
                   options),
            "<s>f126 Jul 2024<end>");
  EXPECT_EQ(render("{{ tools is none }}{{ documents is none }}"), "TrueTrue");
}

TEST(ChatTemplateTest, GivesTheSpansOfGenerationBlocksInBytes) {
  const RenderedChat rendered =
      ChatTemplate::parse("é{% generation %}ab{% endgeneration %}!", "t").render("[]", {});
  EXPECT_EQ(rendered.text, "éab!");
  EXPECT_EQ(rendered.generations, (std::vector<ChatSpan>{{2, 4}}));
}

TEST(ChatTemplateTest, ShowsTheTimeItIsGivenAndNoOther) {
  ChatOptions options;
  options.now = python_text::CivilTime{2024, 7, 6};
  EXPECT_EQ(render("{{ strftime_now('%d %b %Y') }}", options), "06 Jul 2024");
  EXPECT_NE(chat_failure("{{ strftime_now('%d') }}").find("was not given"), std::string::npos);
}

TEST(ChatTemplateTest, ErrorsSayTemplateLineAndWhat) {
  EXPECT_EQ(chat_failure("a\nb\n{{ missing.x }}"), "t: line 3: 'missing' is undefined");
  EXPECT_EQ(chat_failure("\n{% nope %}"), "t: line 2: unknown tag 'nope'");
  EXPECT_EQ(chat_failure("{{ raise_exception('Roles must alternate') }}"),
            "t: line 1: Roles must alternate; the template itself refuses this conversation");
  EXPECT_EQ(
      chat_failure("\n\n{{ 1 + 'a' }}"),
      "t: line 3: '+' is not supported between 'int' and 'str'; join them with ~ or turn both "
      "into texts");
}

TEST(ChatTemplateTest, RefusesWhatReachesForOtherTemplatesByName) {
  for (const std::string tag : {"include 'a'", "import 'a' as b", "from 'a' import b",
                                "extends 'a'", "block b", "autoescape true"}) {
    const std::string message = chat_failure("{% " + tag + " %}");
    EXPECT_NE(message.find("'" + tag.substr(0, tag.find(' ')) + "' is not supported"),
              std::string::npos)
        << message;
  }
}

TEST(ChatTemplateTest, RefusesBadInput) {
  EXPECT_EQ(chat_failure("a\xff"), "t: the text is not UTF-8 at byte 1");
  EXPECT_EQ(chat_failure("", {}, "{}"), "t: the messages are not a JSON array (found dict)");
  EXPECT_NE(chat_failure("", {}, "[1").find("t: the messages: this is not valid JSON"),
            std::string::npos);
  ChatOptions options;
  options.tools = "[1]";
  EXPECT_EQ(chat_failure("", options), "t: one of the tools is not a JSON object (found int)");
  EXPECT_THROW(ChatTemplate::parse("", "t").render_text({{"user", "\xc3"}}, {}), Error);
}

TEST(ChatTemplateTest, MayBeRenderedByManyThreadsAtOnce) {
  const ChatTemplate chat = ChatTemplate::parse(
      "{% set ns = namespace(n=0) %}{% for i in range(200) %}{% set ns.n = ns.n + i %}{% endfor %}"
      "{{ ns.n }}{{ 'const' }}",
      "t");
  std::vector<std::string> texts(8);
  std::vector<std::thread> threads;
  for (std::string& text : texts) {
    threads.emplace_back([&] { text = chat.render("[]", {}).text; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) EXPECT_EQ(text, "19900const");
}

}  // namespace
}  // namespace palimpsest::jinja
