#include "palimpsest/jinja/internal/ops.h"

#include <gtest/gtest.h>

#include "palimpsest/jinja/internal/repr.h"

namespace palimpsest::jinja {
namespace {

class TemplateOpsTest : public ::testing::Test {
 protected:
  Runtime runtime_{ChatLimits{}};
  Value text(const char* content) { return make_string(content, &runtime_.budget); }
  std::string show(const Value& value) { return to_repr(value, runtime_.budget); }
  std::string calculate(Operator op, const Value& a, const Value& b) {
    return show(arithmetic(op, a, b, runtime_));
  }
};

TEST_F(TemplateOpsTest, DivisionRoundsDownAsInPython) {
  const auto whole = [](int64_t value) { return Value::integer(value); };
  EXPECT_EQ(calculate(Operator::kFloorDivide, whole(-7), whole(2)), "-4");
  EXPECT_EQ(calculate(Operator::kModulo, whole(-7), whole(2)), "1");
  EXPECT_EQ(calculate(Operator::kModulo, whole(7), whole(-2)), "-1");
  EXPECT_EQ(calculate(Operator::kDivide, whole(6), whole(2)), "3.0");
  EXPECT_EQ(calculate(Operator::kModulo, Value::real(-7.5), whole(2)), "0.5");
  EXPECT_EQ(calculate(Operator::kFloorDivide, Value::real(-7.5), whole(2)), "-4.0");
}

TEST_F(TemplateOpsTest, RefusesIntegersBeyond64Bits) {
  const Value most = Value::integer(INT64_MAX);
  const Value least = Value::integer(INT64_MIN);
  for (const Operator op : {Operator::kAdd, Operator::kMultiply, Operator::kPower}) {
    EXPECT_THROW(arithmetic(op, most, most, runtime_), Error);
  }
  EXPECT_THROW(arithmetic(Operator::kFloorDivide, least, Value::integer(-1), runtime_), Error);
  EXPECT_EQ(calculate(Operator::kModulo, least, Value::integer(-1)), "0");
  EXPECT_THROW(negate(least), Error);
}

TEST_F(TemplateOpsTest, ComparesIntegersWithRealsExactly) {
  const Value whole = Value::integer((int64_t{1} << 53) + 1);
  const Value real = Value::real(9007199254740992.0);
  EXPECT_FALSE(equal(whole, real, nullptr));
  EXPECT_TRUE(less(real, whole, runtime_));
  EXPECT_TRUE(equal(Value::boolean(true), Value::real(1), nullptr));
}

TEST_F(TemplateOpsTest, SlicesAsPythonDoes) {
  const auto cut = [&](const char* source, const Value& a, const Value& b, const Value& c) {
    return slice(text(source), a, b, c, runtime_.budget).text();
  };
  EXPECT_EQ(cut("añ日😀", Value::integer(1), Value::integer(-1), Value()), "ñ日");
  EXPECT_EQ(cut("abcdef", Value(), Value(), Value::integer(-2)), "fdb");
  EXPECT_EQ(cut("abcdef", Value::integer(-100), Value::integer(100), Value()), "abcdef");
  EXPECT_EQ(cut("abcdef", Value::integer(INT64_MIN), Value::integer(INT64_MAX), Value()), "abcdef");
  EXPECT_EQ(cut("abcdef", Value(), Value(), Value::integer(INT64_MIN)), "f");
  EXPECT_EQ(cut("abcdef", Value(), Value(), Value::integer(INT64_MAX)), "a");
  EXPECT_THROW(cut("abc", Value(), Value(), Value::integer(0)), Error);
}

TEST_F(TemplateOpsTest, AddingToMarkupEscapes) {
  const Value markup = make_string("<b>", &runtime_.budget, true);
  const Value sum = arithmetic(Operator::kAdd, markup, text("<i>"), runtime_);
  EXPECT_EQ(sum.text(), "<b>&lt;i&gt;");
  EXPECT_TRUE(sum.string().markup);
  EXPECT_EQ(escape_html("<>&\"'"), "&lt;&gt;&amp;&#34;&#39;");
}

TEST_F(TemplateOpsTest, UndefinedIsEmptyButCannotBeUsed) {
  const Value nothing = make_undefined("'x' is undefined", &runtime_.budget);
  EXPECT_FALSE(truth(nothing));
  EXPECT_EQ(require_length(nothing), 0);
  EXPECT_TRUE(collect(nothing, runtime_.budget).empty());
  EXPECT_THROW(arithmetic(Operator::kAdd, nothing, Value::integer(1), runtime_), Error);
  EXPECT_THROW(less(nothing, Value::integer(1), runtime_), Error);
}

}  // namespace
}  // namespace palimpsest::jinja
