#include "palimpsest/model/internal/rotary.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "palimpsest/model/internal/architecture.h"
#include "tests/support/golden.h"

namespace palimpsest::model {
namespace {

Rotary plain(int64_t dims) {
  return {.dims = dims, .theta = 10000};
}

// How many float32 numbers lie between two positive ones.
int64_t distance(float a, float b) {
  return std::abs(int64_t{std::bit_cast<int32_t>(a)} - int64_t{std::bit_cast<int32_t>(b)});
}

TEST(RotaryTest, PairsTurnEverSlower) {
  const std::vector<float> frequencies = rotary_frequencies(plain(4), 10);
  ASSERT_EQ(frequencies.size(), 2u);
  EXPECT_EQ(frequencies[0], 1.0f);
  EXPECT_FLOAT_EQ(frequencies[1], 0.01f);
}

TEST(RotaryTest, LinearScalingDivides) {
  Rotary rotary = plain(8);
  const std::vector<float> before = rotary_frequencies(rotary, 1);
  rotary.scaling = RopeScaling::kLinear;
  rotary.factor = 4;
  const std::vector<float> after = rotary_frequencies(rotary, 1);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i], before[i] / 4);
}

TEST(RotaryTest, Llama3LeavesFastPairsAndDividesSlowOnes) {
  Rotary rotary = plain(64);
  const std::vector<float> before = rotary_frequencies(rotary, 1);
  rotary.scaling = RopeScaling::kLlama3;
  rotary.factor = 8;
  rotary.original_max_positions = 1024;
  const std::vector<float> after = rotary_frequencies(rotary, 1);
  EXPECT_EQ(after.front(), before.front());
  EXPECT_EQ(after.back(), before.back() / 8);
  int64_t blended = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (after[i] < before[i] && after[i] > before[i] / 8) ++blended;
  }
  EXPECT_GT(blended, 0);
}

TEST(RotaryTest, DynamicScalingSetsInBeyondTheTrainedLength) {
  Rotary rotary = plain(8);
  const std::vector<float> before = rotary_frequencies(rotary, 1);
  rotary.scaling = RopeScaling::kDynamic;
  rotary.factor = 2;
  rotary.original_max_positions = 24;
  EXPECT_EQ(rotary_frequencies(rotary, 24), before);
  EXPECT_LT(rotary_frequencies(rotary, 25)[3], before[3]);
  EXPECT_EQ(rotary_length_class(rotary, 3), rotary_length_class(rotary, 24));
  EXPECT_NE(rotary_length_class(rotary, 25), rotary_length_class(rotary, 24));
  EXPECT_NE(rotary_length_class(rotary, 25), rotary_length_class(rotary, 26));
}

TEST(RotaryTest, LongRopeChoosesItsFactorsByLength) {
  Rotary rotary = plain(4);
  rotary.scaling = RopeScaling::kLongRope;
  rotary.original_max_positions = 32;
  rotary.short_factor = {1, 2};
  rotary.long_factor = {4, 8};
  EXPECT_EQ(rotary_frequencies(rotary, 32)[0], 1.0f);
  EXPECT_EQ(rotary_frequencies(rotary, 33)[0], 0.25f);
  EXPECT_EQ(rotary_length_class(rotary, 1), rotary_length_class(rotary, 32));
  EXPECT_NE(rotary_length_class(rotary, 32), rotary_length_class(rotary, 33));
  EXPECT_EQ(rotary_length_class(rotary, 33), rotary_length_class(rotary, 1000));
}

TEST(RotaryTest, OtherScalingsHaveOneLengthClass) {
  Rotary rotary = plain(4);
  for (const RopeScaling scaling :
       {RopeScaling::kNone, RopeScaling::kLinear, RopeScaling::kLlama3}) {
    rotary.scaling = scaling;
    EXPECT_EQ(rotary_length_class(rotary, 1), rotary_length_class(rotary, 100'000));
  }
}

// torch's vectorised power is itself only within one unit in the last place.
TEST(RotaryGoldenTest, AgreesWithTransformers) {
  const Json golden = read_golden("model/rotary.json");
  for (const Json& one : golden.at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    const Architecture architecture = read_architecture(one.at("config").dump(), "config.json");
    ASSERT_TRUE(architecture.rotary);
    for (const Json& expected : one.at("lengths")) {
      const auto length = expected.at("length").get<int64_t>();
      SCOPED_TRACE(length);
      const std::vector<float> found = rotary_frequencies(*architecture.rotary, length);
      const Json& frequencies = expected.at("frequencies");
      ASSERT_EQ(found.size(), frequencies.size());
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_LE(distance(found[i], frequencies[i].get<float>()), 1) << i;
      }
      EXPECT_FLOAT_EQ(static_cast<float>(architecture.rotary->attention_factor),
                      expected.at("attention_factor").get<float>());
    }
  }
}

}  // namespace
}  // namespace palimpsest::model
