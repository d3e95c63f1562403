#include "palimpsest/attack/internal/mia/record_tests.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

TEST(RecordTestsTest, FamiliarRecordsAreRecognised) {
  ScoreColumn holdout;
  for (int i = 1; i <= 99; ++i) holdout.push_back(i);
  const ScoreColumn forget = {0, std::nullopt, 50, 0.5};
  const RecordTests tests = test_records({forget, holdout}, 0.1);
  EXPECT_EQ(tests.p_values, (ScoreColumn{0.01, std::nullopt, 0.51, 0.01}));
  ASSERT_TRUE(tests.q_values[0] && tests.q_values[2]);
  EXPECT_DOUBLE_EQ(*tests.q_values[0], 0.015);
  EXPECT_DOUBLE_EQ(*tests.q_values[2], 0.51);
  EXPECT_EQ(tests.recognised, (std::vector<size_t>{0, 3}));
}

TEST(RecordTestsTest, UnfamiliarRecordsAreNot) {
  const ScoreColumn holdout = {1, 2, 3};
  const ScoreColumn forget = {9, 9};
  EXPECT_TRUE(test_records({forget, holdout}, 0.5).recognised.empty());
  EXPECT_TRUE(test_records({forget, {}}, 0.5).recognised.empty());
  EXPECT_TRUE(test_records({{}, holdout}, 0.5).p_values.empty());
}

TEST(RecordTestsTest, HoldoutForOneRecordIsTheLeastThatSuffices) {
  const int64_t needed = holdout_for_one_record(20, 0.1);
  EXPECT_EQ(needed, 199);
  for (int64_t size : {needed, needed - 1}) {
    ScoreColumn forget(20, 1000.0);
    forget[4] = 0;
    const ScoreColumn holdout(static_cast<size_t>(size), 1.0);
    EXPECT_EQ(test_records({forget, holdout}, 0.1).recognised.size(), size == needed ? 1U : 0U);
  }
  EXPECT_EQ(holdout_for_one_record(0, 0.1), 0);
}

TEST(RecordTestsTest, RefusesRatesOutOfRange) {
  for (double rate : {0.0, 1.0, -0.5}) {
    expect_contains(error_of([=] { test_records({}, rate); }), "false discovery rate");
  }
}

}  // namespace
}  // namespace palimpsest::attack
