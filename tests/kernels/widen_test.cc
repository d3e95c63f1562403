#include "palimpsest/kernels/internal/widen.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "palimpsest/base/error.h"

namespace palimpsest::kernels {
namespace {

constexpr int64_t kAll = 65536;  // 16-bit patterns

// By the definition of the format: sign, exponent of `exponent_bits`, fraction.
double meaning(uint32_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto exponent = static_cast<int>(bits >> fraction_bits & ((1U << exponent_bits) - 1));
  const double fraction =
      static_cast<double>(bits & ((1U << fraction_bits) - 1)) / (1 << fraction_bits);
  const double size =
      exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  return (bits & 0x8000U) != 0 ? -size : size;
}

bool is_finite(uint32_t bits, int exponent_bits) {
  const uint32_t mask = ((1U << exponent_bits) - 1) << (15 - exponent_bits);
  return (bits & mask) != mask;
}

void append(std::vector<std::byte>& bytes, uint32_t bits, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes.push_back(std::byte(bits >> (8 * i) & 0xff));
}

struct Half {
  DType dtype;
  int exponent_bits;
};

class WidenTest : public testing::TestWithParam<Half> {};

TEST_P(WidenTest, EveryFiniteNumberExactly) {
  const auto [dtype, exponent_bits] = GetParam();
  std::vector<std::byte> bytes(1);  // so that the numbers stand at odd addresses
  std::vector<uint32_t> patterns;
  for (uint32_t bits = 0; bits < kAll; ++bits) {
    if (!is_finite(bits, exponent_bits)) continue;
    patterns.push_back(bits);
    append(bytes, bits, 2);
  }
  std::vector<float> out(patterns.size() + 1, 7.0F);
  EXPECT_TRUE(widen(dtype, bytes.data() + 1, static_cast<int64_t>(patterns.size()), out.data()));
  for (size_t i = 0; i < patterns.size(); ++i) {
    const double expected = meaning(patterns[i], exponent_bits);
    ASSERT_EQ(out[i], expected) << patterns[i];
    ASSERT_EQ(std::signbit(out[i]), std::signbit(expected)) << patterns[i];
  }
  EXPECT_EQ(out.back(), 7.0F);
}

TEST_P(WidenTest, EveryOtherOneIsSeenWhereverItStands) {
  const auto [dtype, exponent_bits] = GetParam();
  const uint32_t one = dtype == DType::kFloat16 ? 0x3C00 : 0x3F80;
  std::vector<float> out(1);
  for (uint32_t bits = 0; bits < kAll; ++bits) {
    std::vector<std::byte> bytes;
    append(bytes, bits, 2);
    ASSERT_EQ(widen(dtype, bytes.data(), 1, out.data()), is_finite(bits, exponent_bits)) << bits;
  }
  const uint32_t infinity = dtype == DType::kFloat16 ? 0x7C00 : 0x7F80;
  for (int64_t index = 0; index < 70; ++index) {
    std::vector<std::byte> bytes;
    for (int64_t i = 0; i < 70; ++i) append(bytes, i == index ? infinity : one, 2);
    out.resize(70);
    EXPECT_FALSE(widen(dtype, bytes.data(), 70, out.data())) << index;
  }
}

TEST_P(WidenTest, NarrowIsTheWayBack) {
  const auto [dtype, exponent_bits] = GetParam();
  std::vector<uint16_t> patterns;
  for (uint32_t bits = 0; bits < kAll; ++bits) {
    if (is_finite(bits, exponent_bits)) patterns.push_back(static_cast<uint16_t>(bits));
  }
  const auto n = static_cast<int64_t>(patterns.size());
  std::vector<float> wide(patterns.size());
  ASSERT_TRUE(widen(dtype, reinterpret_cast<const std::byte*>(patterns.data()), n, wide.data()));
  constexpr uint16_t kUntouchedBits = 0xABCD;
  std::vector<uint16_t> back(patterns.size() + 1, kUntouchedBits);
  narrow(dtype, wide.data(), n, back.data());
  EXPECT_EQ(back.back(), kUntouchedBits);
  back.pop_back();
  EXPECT_EQ(back, patterns);
  // Alone, where no vector unit takes part.
  for (size_t i = 0; i < patterns.size(); ++i) {
    uint16_t one = 0;
    narrow(dtype, &wide[i], 1, &one);
    ASSERT_EQ(one, patterns[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Halves, WidenTest,
                         testing::Values(Half{DType::kFloat16, 5}, Half{DType::kBFloat16, 8}),
                         [](const auto& half) { return std::string(name_of(half.param.dtype)); });

TEST(WidenFloatTest, CopiesBitForBit) {
  const std::vector<float> numbers = {0.0F, -0.0F, 1e-45F, 1.5F, -3e38F};
  std::vector<std::byte> bytes(3);
  for (const float number : numbers) append(bytes, std::bit_cast<uint32_t>(number), 4);
  std::vector<float> out(numbers.size());
  EXPECT_TRUE(widen(DType::kFloat32, bytes.data() + 3, 5, out.data()));
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(out[i]), std::bit_cast<uint32_t>(numbers[i])) << i;
  }
}

TEST(WidenFloatTest, SeesNanAndInfinity) {
  using Limits = std::numeric_limits<float>;
  for (const float bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    for (int64_t index = 0; index < 40; ++index) {
      std::vector<std::byte> bytes;
      for (int64_t i = 0; i < 40; ++i)
        append(bytes, std::bit_cast<uint32_t>(i == index ? bad : 1), 4);
      std::vector<float> out(40);
      EXPECT_FALSE(widen(DType::kFloat32, bytes.data(), 40, out.data())) << index;
    }
  }
}

TEST(WidenFloatTest, FloatsAreNotNarrowed) {
  const float number = 1;
  uint16_t out = 0;
  EXPECT_THROW(narrow(DType::kFloat32, &number, 1, &out), BugError);
}

TEST(WidenFloatTest, NothingIsFinite) {
  EXPECT_TRUE(widen(DType::kBFloat16, nullptr, 0, nullptr));
}

}  // namespace
}  // namespace palimpsest::kernels
