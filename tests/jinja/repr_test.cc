#include "palimpsest/jinja/internal/repr.h"

#include <gtest/gtest.h>

namespace palimpsest::jinja {
namespace {

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
