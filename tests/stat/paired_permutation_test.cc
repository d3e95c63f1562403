#include "palimpsest/stat/paired_permutation.h"

#include <gtest/gtest.h>

#include <vector>

#include "palimpsest/base/random.h"
#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

std::vector<double> normal_differences(uint64_t seed, size_t count, double shift) {
  Random random(seed);
  std::vector<double> differences(count);
  for (double& difference : differences) difference = random.normal() + shift;
  return differences;
}

TEST(PairedPermutationTest, IsExactForFewDifferences) {
  EXPECT_EQ(paired_permutation_test(std::vector<double>{1, 2, 3}), 0.25);
  EXPECT_EQ(paired_permutation_test(std::vector<double>{1, -1}), 1.0);
  EXPECT_EQ(paired_permutation_test(std::vector<double>(10, 0.1)), 2.0 / 1024);
}

TEST(PairedPermutationTest, NoDifferenceIsNoEvidence) {
  EXPECT_EQ(paired_permutation_test(std::vector<double>(5, 0.0)), 1.0);
  EXPECT_EQ(paired_permutation_test(std::vector<double>(50, 0.0)), 1.0);
  EXPECT_EQ(paired_permutation_test({}), std::nullopt);
}

TEST(PairedPermutationTest, SeesAShiftAndTheSeedDecides) {
  const std::vector<double> shifted = normal_differences(1, 200, 0.5);
  EXPECT_LT(*paired_permutation_test(shifted), 0.001);
  EXPECT_GE(*paired_permutation_test(shifted), 1.0 / 10000);
  const std::vector<double> slightly = normal_differences(2, 100, 0.1);
  EXPECT_EQ(paired_permutation_test(slightly, {.seed = 5}),
            paired_permutation_test(slightly, {.seed = 5}));
  EXPECT_NEAR(*paired_permutation_test(slightly, {.seed = 5}),
              *paired_permutation_test(slightly, {.seed = 6}), 0.03);
}

// Without a difference every p-value is as likely as another.
TEST(PairedPermutationTest, HoldsItsLevel) {
  constexpr int kTrials = 400;
  int rejections = 0;
  for (int i = 0; i < kTrials; ++i) {
    const auto p = paired_permutation_test(normal_differences(static_cast<uint64_t>(i), 30, 0),
                                           {.flips = 199, .seed = static_cast<uint64_t>(i)});
    rejections += *p <= 0.1 ? 1 : 0;
  }
  EXPECT_NEAR(rejections, 40, 20);  // more than three standard deviations
}

TEST(PairedPermutationTest, FlipsWholeClusters) {
  EXPECT_EQ(paired_permutation_test(std::vector<double>{1, 2, 3}, std::vector<int64_t>{0, 0, 1}),
            0.5);
  // One by one these twenty would be plain; they are four authors.
  const std::vector<double> differences(20, 1.0);
  std::vector<int64_t> authors;
  for (int64_t i = 0; i < 20; ++i) authors.push_back(i % 4 * 1000);
  EXPECT_LT(*paired_permutation_test(differences), 0.001);
  EXPECT_EQ(paired_permutation_test(differences, authors), 2.0 / 16);
  EXPECT_EQ(paired_permutation_test(differences, std::vector<int64_t>{}, {.seed = 3}),
            paired_permutation_test(differences, {.seed = 3}));
}

TEST(PairedPermutationTest, SixClustersAreTheFewestThatCanBeSignificant) {
  for (int64_t clusters : {5, 6}) {
    std::vector<double> differences(60, 1.0);
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < 60; ++i) numbers.push_back(i % clusters);
    EXPECT_EQ(*paired_permutation_test(differences, numbers) <= 0.05, clusters == 6);
  }
}

TEST(PairedPermutationTest, RefusesClustersThatDoNotMatch) {
  const std::vector<double> differences = {1, 2};
  expect_contains(error_of([&] { paired_permutation_test(differences, std::vector<int64_t>{1}); }),
                  "clusters and differences do not match");
  expect_contains(error_of([&] {
                    paired_permutation_test(differences, std::vector<int64_t>{1, -1});
                  }),
                  "item 1: -1 is not a cluster number");
}

TEST(PairedPermutationTest, RefusesWhatIsNoNumber) {
  expect_contains(error_of([] {
                    paired_permutation_test(std::vector<double>{1, 0.0 / 0.0});
                  }),
                  "item 1: a difference is NaN or infinite");
  expect_contains(error_of([] { paired_permutation_test(std::vector<double>{1}, {.flips = 0}); }),
                  "0 permutations");
}

}  // namespace
}  // namespace palimpsest::stat
