#include "palimpsest/jinja/internal/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace palimpsest::jinja {
namespace {

// The data of a template, pieces separated by |; tags are left out.
std::string data(const std::string& text) {
  std::string out;
  for (const Token& token : tokenize(text)) {
    if (token.kind == TokenKind::kData) out += (out.empty() ? "" : "|") + token.text;
  }
  return out;
}

std::vector<std::string> inside(const std::string& text) {
  std::vector<std::string> out;
  for (const Token& token : tokenize("{{" + text + "}}")) {
    if (!token.text.empty()) out.push_back(token.text);
  }
  return out;
}

TEST(TemplateLexerTest, TrimsBlocksAndLeavesVariables) {
  EXPECT_EQ(data("a\n  {% x %}\n b"), "a\n| b");
  EXPECT_EQ(data("a\n  {{ x }}\n b"), "a\n  |\n b");
  EXPECT_EQ(data("a {% x %} b"), "a | b");
  EXPECT_EQ(data("  {% x %}\n  {% y %}\n"), "");
}

TEST(TemplateLexerTest, SignsOverrideTheTrimming) {
  EXPECT_EQ(data("a\n  {%+ x +%}\n b"), "a\n  |\n b");
  EXPECT_EQ(data("a \n {%- x -%} \n b"), "a|b");
  EXPECT_EQ(data("a {{- x -}} b"), "a|b");
  EXPECT_EQ(data("a {#- x -#} b"), "a|b");
}

TEST(TemplateLexerTest, NormalizesLineEndsAndDropsTheLast) {
  EXPECT_EQ(data("a\r\nb\rc\n"), "a\nb\nc");
  EXPECT_EQ(data("a\n\n"), "a\n");
}

TEST(TemplateLexerTest, RawIsData) {
  EXPECT_EQ(data("{% raw %}{{ x }}{% if %}{% endraw %}"), "{{ x }}{% if %}");
  EXPECT_EQ(data("a {%- raw -%}  b  {%- endraw -%}  c"), "a|b|c");
}

TEST(TemplateLexerTest, ReadsNumbersNamesAndOperators) {
  EXPECT_EQ(inside("a.0.1"), (std::vector<std::string>{"a", ".", "0", ".", "1"}));
  EXPECT_EQ(inside("1.5e3//2**x"), (std::vector<std::string>{"1.5e3", "//", "2", "**", "x"}));
  EXPECT_EQ(inside("{'a':{}}"), (std::vector<std::string>{"{", "a", ":", "{", "}", "}"}));
  EXPECT_EQ(tokenize("{{ 0x_ff }}")[1].number.as_int(), 255);
  EXPECT_EQ(tokenize("{{ 1_000 }}")[1].number.as_int(), 1000);
}

TEST(TemplateLexerTest, CountsLines) {
  const std::vector<Token> tokens = tokenize("a\n\n{{ x\n }}{# \n #}{{ y }}");
  EXPECT_EQ(tokens[2].text, "x");
  EXPECT_EQ(tokens[2].line, 3);
  EXPECT_EQ(tokens[5].text, "y");
  EXPECT_EQ(tokens[5].line, 5);
}

TEST(TemplateLexerTest, RefusesWhatIsNotClosedOrUnknown) {
  for (const std::string text : {"{# a", "{% raw %}a", "{{ 'a }}", "{{ a ! }}", "{{ ) }}",
                                 "{{ [) }}", "{{ '\\x4' }}", "{{ '\\ud800' }}"}) {
    EXPECT_THROW(tokenize(text), Error) << text;
  }
}

}  // namespace
}  // namespace palimpsest::jinja
