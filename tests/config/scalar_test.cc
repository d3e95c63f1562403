#include "palimpsest/config/internal/scalar.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

TEST(ScalarTest, KindsOfScalars) {
  EXPECT_TRUE(resolve_scalar("").is_null());
  EXPECT_EQ(resolve_scalar("off"), Value(false));
  EXPECT_EQ(resolve_scalar("1_000"), Value(1000));
  EXPECT_EQ(resolve_scalar("1:30"), Value(90));
  EXPECT_EQ(resolve_scalar("1e-5"), Value(1e-5));
  EXPECT_EQ(resolve_scalar("1e"), Value("1e"));
  EXPECT_EQ(resolve_scalar("2024-01-31"), Value("2024-01-31"));
}

TEST(ScalarTest, NumbersBeyond64BitsAreRefused) {
  EXPECT_EQ(resolve_scalar("9223372036854775807"), Value(int64_t{9223372036854775807}));
  error_of([] { resolve_scalar("9223372036854775808"); });
  error_of([] { resolve_scalar("0xFFFFFFFFFFFFFFFFF"); });
  error_of([] { resolve_scalar("99999999999999999:59:59:59:59"); });
  error_of([] { resolve_scalar("0b_"); });
}

TEST(ScalarTest, SafePlainTexts) {
  for (const char* text : {"a", "a b", "1a", "1:60x", "2024-1", "-x"}) {
    EXPECT_TRUE(is_safe_plain_text(text)) << text;
  }
  for (const char* text : {"", "1", "yes", "n", "2024-01-31", "nan", "1e5", "=", "<<", "~",
                           "123456789012345678901234567890"}) {
    EXPECT_FALSE(is_safe_plain_text(text)) << text;
  }
}

TEST(ScalarTest, KeysAreTexts) {
  EXPECT_EQ(key_text(Value(1)), "1");
  EXPECT_EQ(key_text(Value(true)), "true");
  EXPECT_EQ(key_text(Value(0.5)), "0.5");
  expect_contains(error_of([] { key_text(Value()); }), "a key is not a text or a number");
}

}  // namespace
}  // namespace palimpsest::config
