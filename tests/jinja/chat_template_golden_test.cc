// Chat templates against transformers' apply_chat_template and jinja2: the same text, or an error
// where they raise one. The data is made by tools/golden/chat_template.py.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/jinja/chat_template.h"

namespace palimpsest::jinja {
namespace {

// A case may name a shared template or conversation, or hold its own.
palimpsest::Json named(const palimpsest::Json& golden, const char* table,
                       const palimpsest::Json& value) {
  if (!value.is_string() || !golden.contains(table)) return value;
  const palimpsest::Json& entries = golden.at(table);
  const auto found = entries.find(value.get<std::string>());
  return found == entries.end() ? value : *found;
}

void add_variables(const palimpsest::Json& object, ChatOptions& options) {
  for (const auto& [name, value] : object.items()) options.variables[name] = value.dump();
}

ChatOptions options_of(const palimpsest::Json& golden, const palimpsest::Json& one) {
  ChatOptions options;
  options.now = python_text::CivilTime{2024, 7, 26, 15, 4, 5, 678};
  options.add_generation_prompt = one.value("add_generation_prompt", false);
  if (golden.contains("variables")) add_variables(golden.at("variables"), options);
  if (one.contains("variables")) add_variables(one.at("variables"), options);
  if (golden.contains("special_tokens")) {
    for (const auto& [name, token] : golden.at("special_tokens").items()) {
      options.special_tokens[name] = token.get<std::string>();
    }
  }
  if (one.value("with_tools", false)) options.tools = golden.at("tools").dump();
  if (one.value("with_documents", false)) options.documents = golden.at("documents").dump();
  return options;
}

std::optional<RenderedChat> render(const palimpsest::Json& golden, const palimpsest::Json& one,
                                   std::string& failure) {
  const std::string text = named(golden, "templates", one.at("template")).get<std::string>();
  const std::string messages =
      named(golden, "conversations", one.value("conversation", palimpsest::Json::array())).dump();
  try {
    return ChatTemplate::parse(text, "template").render(messages, options_of(golden, one));
  } catch (const Error& error) {
    failure = error.what();
    return std::nullopt;
  }
}

void check_all(const std::string& file, size_t least) {
  const std::string path = std::string(PALIMPSEST_GOLDEN_DIR) + "/jinja/" + file;
  const palimpsest::Json golden = parse_json(read_file(path), path);
  EXPECT_GE(golden.at("cases").size(), least);
  for (const palimpsest::Json& one : golden.at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>() + ": " + one.at("template").get<std::string>());
    std::string failure;
    const std::optional<RenderedChat> rendered = render(golden, one, failure);
    if (one.contains("error")) {
      EXPECT_FALSE(rendered.has_value())
          << "raises " << one.at("error") << ", here it gives: " << rendered->text;
      continue;
    }
    if (!rendered) {
      ADD_FAILURE() << failure << "\nexpected: " << one.at("text");
      continue;
    }
    EXPECT_EQ(rendered->text, one.at("text").get<std::string>());
    palimpsest::Json spans = palimpsest::Json::array();
    for (const ChatSpan& span : rendered->generations) spans.push_back({span.begin, span.end});
    EXPECT_EQ(spans, one.value("spans", palimpsest::Json::array()));
  }
}

TEST(ChatTemplateGoldenTest, FamiliesRenderAsTransformersRendersThem) {
  check_all("chat_template_families.json", 400);
}

TEST(ChatTemplateGoldenTest, EveryLanguageFeatureIsJinjas) {
  check_all("chat_template_language.json", 1100);
}

TEST(ChatTemplateGoldenTest, RandomTemplatesRenderAlike) {
  check_all("chat_template_random.json", 400);
}

}  // namespace
}  // namespace palimpsest::jinja
