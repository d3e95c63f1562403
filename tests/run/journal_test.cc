#include "palimpsest/run/journal.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

const std::string kPlan(32, 'a');

SequenceScores scores_of(double x) {
  return {.logprob = {-x, -2 * x},
          .mean = {x, 0.1},
          .var = {0, x},
          .argmax = {3, -1},
          .gradient_norms = {{x}}};
}

void expect_equal(const SequenceScores& a, const SequenceScores& b) {
  EXPECT_EQ(a.logprob, b.logprob);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.var, b.var);
  EXPECT_EQ(a.argmax, b.argmax);
  EXPECT_EQ(a.gradient_norms, b.gradient_norms);
}

TEST(JournalTest, KeepsWhatWasCommitted) {
  const TempFolder folder;
  {
    Journal journal(folder.path() / "j", kPlan);
    journal.commit(2, {scores_of(0.1), scores_of(1e-300)});
    journal.commit(0, {});
  }
  const Journal again(folder.path() / "j", kPlan);
  ASSERT_EQ(again.batches().size(), 2U);
  ASSERT_EQ(again.batches().at(2).size(), 2U);
  expect_equal(again.batches().at(2)[0], scores_of(0.1));
  expect_equal(again.batches().at(2)[1], scores_of(1e-300));
}

// Cut anywhere, the file gives the batches that are whole, and can be written on.
TEST(JournalTest, SurvivesBeingCutAnywhere) {
  const TempFolder folder;
  size_t first_end = 0;
  {
    Journal journal(folder.path() / "j", kPlan);
    journal.commit(0, {scores_of(0.5)});
    first_end = folder.read("j").size();
    journal.commit(1, {scores_of(0.25)});
  }
  const std::string whole = folder.read("j");
  for (size_t length = 0; length <= whole.size(); ++length) {
    folder.write("cut", whole.substr(0, length));
    {
      Journal journal(folder.path() / "cut", kPlan);
      const size_t expected = length == whole.size() ? 2 : length >= first_end ? 1 : 0;
      EXPECT_EQ(journal.batches().size(), expected) << length;
      journal.commit(7, {scores_of(3)});
    }
    const Journal again(folder.path() / "cut", kPlan);
    ASSERT_TRUE(again.batches().contains(7)) << length;
    expect_equal(again.batches().at(7)[0], scores_of(3));
  }
}

TEST(JournalTest, NoticesDamage) {
  const TempFolder folder;
  {
    Journal journal(folder.path() / "j", kPlan);
    journal.commit(0, {scores_of(0.5)});
  }
  std::string bytes = folder.read("j");
  bytes[bytes.size() - 3] ^= 1;
  folder.write("j", bytes);
  EXPECT_TRUE(Journal(folder.path() / "j", kPlan).batches().empty());
}

TEST(JournalTest, AnotherPlanStartsAnew) {
  const TempFolder folder;
  Journal(folder.path() / "j", kPlan).commit(0, {scores_of(0.5)});
  EXPECT_TRUE(Journal(folder.path() / "j", std::string(32, 'b')).batches().empty());
  EXPECT_TRUE(Journal(folder.path() / "j", kPlan).batches().empty());
}

TEST(JournalTest, TwoRunsDoNotShareAFile) {
  const TempFolder folder;
  const Journal first(folder.path() / "j", kPlan);
  expect_contains(error_of([&] { Journal(folder.path() / "j", kPlan); }), "another run");
}

}  // namespace
}  // namespace palimpsest
