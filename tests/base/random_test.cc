#include "palimpsest/base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace palimpsest {
namespace {

TEST(RandomTest, TheSequenceIsOursForGood) {
  // If these change, every reported bootstrap interval changes: say so in the CHANGELOG.
  Random random(42);
  const uint64_t first = random.next();
  const uint64_t second = random.next();
  EXPECT_EQ(first, 0xc757960b442b0ac3ULL);
  EXPECT_EQ(second, 0x4bb22a7f77ff8c6cULL);
}

TEST(RandomTest, SplitDependsOnTheItemNotOnWhatWasDrawn) {
  Random a(1);
  Random b(1);
  b.next();
  EXPECT_EQ(a.split(7).next(), b.split(7).next());
  std::set<uint64_t> seen;
  for (uint64_t item = 0; item < 10'000; ++item) seen.insert(a.split(item).next());
  EXPECT_EQ(seen.size(), 10'000U);
}

TEST(RandomTest, BelowIsUniform) {
  Random random(3);
  std::vector<int> counts(6, 0);
  for (int i = 0; i < 60'000; ++i) ++counts[random.below(6)];
  // Chi-square with 5 degrees of freedom: 25.7 is exceeded once in 10,000 seeds.
  double chi2 = 0;
  for (int count : counts) chi2 += (count - 10'000.0) * (count - 10'000.0) / 10'000;
  EXPECT_LT(chi2, 25.7);
}

TEST(RandomTest, UniformAndNormalHaveTheirMoments) {
  Random random(4);
  double sum = 0;
  double squares = 0;
  double uniform = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    uniform += u;
  }
  EXPECT_NEAR(sum / 100'000, 0, 0.015);
  EXPECT_NEAR(squares / 100'000, 1, 0.02);
  EXPECT_NEAR(uniform / 100'000, 0.5, 0.004);
}

}  // namespace
}  // namespace palimpsest
