#include "palimpsest/jinja/internal/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "palimpsest/base/error.h"

namespace palimpsest::jinja {
namespace {

std::string parse_failure(const std::string& text) {
  try {
    parse_template(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string repeat(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(TemplateParserTest, MakesAStatementAnElement) {
  const Program program = parse_template("a{{ b }}c{% if d %}e{% endif %}");
  ASSERT_EQ(program.body.size(), 2u);
  EXPECT_EQ(program.body[0]->kind, StatementKind::kOutput);
  EXPECT_EQ(program.body[0]->parts.size(), 3u);
  EXPECT_EQ(program.body[1]->kind, StatementKind::kIf);
}

TEST(TemplateParserTest, SaysWhatItExpectedAndFound) {
  EXPECT_EQ(parse_failure("{{ (1 }}"), "line 1: unexpected '}'");
  EXPECT_EQ(parse_failure("{{ 1 2 }}"),
            "line 1: the template is not valid here (expected '}}', found '2')");
  EXPECT_EQ(
      parse_failure("{% if x %}\n"),
      "line 1: the template is not valid here (expected {% elif or else or endif %}, found the "
      "end of the template)");
  EXPECT_EQ(parse_failure("{% for x in y %}{% endif %}"),
            "line 1: unknown tag 'endif'; {% endfor or else %} is still open");
  EXPECT_EQ(parse_failure("{{ x|nope }}"), "line 1: there is no filter named 'nope'");
  EXPECT_EQ(parse_failure("{{ 99999999999999999999 }}"),
            "line 1: the integer 99999999999999999999 does not fit into 64 bits");
}

TEST(TemplateParserTest, BoundsTheDepthOfExpressions) {
  EXPECT_NE(parse_failure("{{ " + repeat("(", 5000) + "1" + repeat(")", 5000) + " }}").find("deep"),
            std::string::npos);
  EXPECT_NE(parse_failure("{{ " + repeat("[", 5000) + repeat("]", 5000) + " }}").find("deep"),
            std::string::npos);
  EXPECT_NE(parse_failure("{{ " + repeat("- ", 5000) + "1 }}").find("deep"), std::string::npos);
  EXPECT_NE(parse_failure("{{ " + repeat("not ", 5000) + "1 }}").find("deep"), std::string::npos);
  EXPECT_NE(parse_failure("{{ 1" + repeat(" + 1", 5000) + " }}").find("deep"), std::string::npos);
  EXPECT_NE(parse_failure("{{ a" + repeat(".a", 5000) + " }}").find("deep"), std::string::npos);
  EXPECT_NE(parse_failure("{{ a" + repeat("|e", 5000) + " }}").find("deep"), std::string::npos);
  EXPECT_NE(parse_failure("{{ a" + repeat(" if a else a", 5000) + " }}").find("deep"),
            std::string::npos);
  EXPECT_NE(
      parse_failure("{{ " + repeat("{1: ", 5000) + "1" + repeat("}", 5000) + " }}").find("deep"),
      std::string::npos);
  EXPECT_EQ(parse_failure("{{ 1" + repeat(" + 1", 100) + " }}"), "no error");
  EXPECT_EQ(parse_failure("{{ [1" + repeat(", 1", 5000) + "] }}"), "no error");
}

TEST(TemplateParserTest, BoundsTheDepthOfBlocks) {
  const std::string open = "{% if x %}";
  EXPECT_NE(parse_failure(repeat(open, 5000)).find("deep"), std::string::npos);
  EXPECT_EQ(parse_failure(repeat(open, 50) + repeat("{% endif %}", 50)), "no error");
  EXPECT_EQ(parse_failure("{% if x %}" + repeat("{% elif x %}", 3000) + "{% endif %}"), "no error");
}

}  // namespace
}  // namespace palimpsest::jinja
