#include "palimpsest/jinja/internal/dict.h"

#include <gtest/gtest.h>

namespace palimpsest::jinja {
namespace {

Value text(const char* content) {
  return make_string(content, nullptr);
}

TEST(TemplateDictTest, EqualNumbersAreOneKey) {
  const Value dict = make_dict({{Value::integer(1), text("a")},
                                {Value::real(1.0), text("b")},
                                {Value::boolean(true), text("c")}},
                               nullptr);
  ASSERT_EQ(dict.dict().entries().size(), 1u);
  EXPECT_TRUE(dict.dict().entries()[0].first.is(Kind::kInt));
  EXPECT_EQ(dict.dict().entries()[0].second.text(), "c");
}

TEST(TemplateDictTest, KeepsTheOrderAndFindsEveryKey) {
  std::vector<DictObject::Entry> entries;
  for (int64_t i = 0; i < 1000; ++i)
    entries.emplace_back(Value::integer(i << 20), Value::integer(i));
  const Value dict = make_dict(std::move(entries), nullptr);
  for (int64_t i = 0; i < 1000; ++i) {
    const Value* found = dict.dict().find(Value::integer(i << 20));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->as_int(), i);
    EXPECT_EQ(dict.dict().entries()[static_cast<size_t>(i)].second.as_int(), i);
  }
  EXPECT_EQ(dict.dict().find("nope"), nullptr);
}

TEST(TemplateDictTest, RefusesKeysThatCannotBeOne) {
  EXPECT_THROW(make_dict({{make_list({}, nullptr), Value::none()}}, nullptr), Error);
  EXPECT_THROW(hash_value(make_tuple({make_list({}, nullptr)}, nullptr)), Error);
  EXPECT_EQ(hash_value(make_tuple({text("a")}, nullptr)),
            hash_value(make_tuple({text("a")}, nullptr)));
}

}  // namespace
}  // namespace palimpsest::jinja
