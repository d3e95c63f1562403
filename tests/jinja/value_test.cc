#include "palimpsest/jinja/internal/value.h"

#include <gtest/gtest.h>

namespace palimpsest::jinja {
namespace {

TEST(TemplateValueTest, TheBudgetCountsWhatIsAlive) {
  Budget budget({.max_steps = 100'000, .max_bytes = 10'000});
  for (int i = 0; i < 50; ++i) {
    const Value text = make_string(std::string(5000, 'a'), &budget);
    EXPECT_EQ(text.string().length, 5000);
  }
  const Value kept = make_string(std::string(5000, 'a'), &budget);
  EXPECT_THROW(make_string(std::string(5000, 'a'), &budget), Error);
}

TEST(TemplateValueTest, TheBudgetCountsSteps) {
  Budget budget({.max_steps = 10, .max_bytes = 1000});
  budget.spend(10);
  EXPECT_THROW(budget.spend(1), Error);
}

TEST(TemplateValueTest, NestingIsBounded) {
  Value value = make_list({}, nullptr);
  for (int i = 1; i < kMaxNesting; ++i) value = make_list({value}, nullptr);
  EXPECT_EQ(value.depth(), kMaxNesting);
  EXPECT_THROW(make_list({value}, nullptr), Error);
}

TEST(TemplateValueTest, RangesCountTheirItems) {
  const auto length = [](int64_t start, int64_t stop, int64_t step) {
    return RangeObject(start, stop, step, nullptr).length();
  };
  EXPECT_EQ(length(0, 10, 3), 4);
  EXPECT_EQ(length(10, 0, -3), 4);
  EXPECT_EQ(length(0, 0, 1), 0);
  EXPECT_EQ(length(5, 0, 1), 0);
  EXPECT_EQ(length(INT64_MIN, INT64_MAX, INT64_MAX), 3);
  EXPECT_EQ(length(INT64_MAX, INT64_MIN, INT64_MIN), 2);
}

TEST(TemplateValueTest, NamesTypesAsPythonDoes) {
  EXPECT_EQ(type_name(Value::none()), "NoneType");
  EXPECT_EQ(type_name(Value::boolean(true)), "bool");
  EXPECT_EQ(type_name(make_string("", nullptr, true)), "Markup");
}

}  // namespace
}  // namespace palimpsest::jinja
