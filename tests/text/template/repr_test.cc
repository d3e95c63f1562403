#include "palimpsest/text/template/repr.h"

#include <gtest/gtest.h>

#include <limits>

namespace palimpsest::jinja {
namespace {

TEST(TemplateReprTest, WritesRealsAsPythonDoes) {
  EXPECT_EQ(real_to_text(1), "1.0");
  EXPECT_EQ(real_to_text(0.1), "0.1");
  EXPECT_EQ(real_to_text(1e16), "1e+16");
  EXPECT_EQ(real_to_text(1e15), "1000000000000000.0");
  EXPECT_EQ(real_to_text(0.0001), "0.0001");
  EXPECT_EQ(real_to_text(0.00001), "1e-05");
  EXPECT_EQ(real_to_text(-1.5e300), "-1.5e+300");
  EXPECT_EQ(real_to_text(-0.0), "-0.0");
  EXPECT_EQ(real_to_text(5e-324), "5e-324");
  EXPECT_EQ(real_to_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(TemplateReprTest, QuotesTextsAsPythonDoes) {
  EXPECT_EQ(quote("a"), "'a'");
  EXPECT_EQ(quote("it's"), "\"it's\"");
  EXPECT_EQ(quote("'\""), "'\\'\"'");
  EXPECT_EQ(quote("a\n\t\\\x01é\xe2\x80\x8b"), "'a\\n\\t\\\\\\x01é\\u200b'");
}

TEST(TemplateReprTest, WritesJsonAsPythonDoes) {
  Runtime runtime({});
  const Value list =
      make_list({Value::integer(1), Value::real(1), Value::none(), Value::boolean(true),
                 make_string("é<\"\n", nullptr), make_list({}, nullptr)},
                nullptr);
  EXPECT_EQ(to_json(list, {}, runtime), "[1, 1.0, null, true, \"é<\\\"\\n\", []]");
  EXPECT_EQ(to_json(list, {.ensure_ascii = true, .indent = "  ", .item_separator = ","}, runtime),
            "[\n  1,\n  1.0,\n  null,\n  true,\n  \"\\u00e9<\\\"\\n\",\n  []\n]");
}

TEST(TemplateReprTest, RefusesWhatHasAnAddress) {
  Budget budget({});
  EXPECT_THROW(to_text(make_iterator([](Value&) { return false; }, 1, &budget), budget), Error);
  EXPECT_THROW(to_text(make_function("f", {}, 0, &budget), budget), Error);
}

}  // namespace
}  // namespace palimpsest::jinja
