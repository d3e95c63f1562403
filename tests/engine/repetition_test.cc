#include "palimpsest/engine/internal/repetition.h"

#include <gtest/gtest.h>

namespace palimpsest::engine {
namespace {

using Ids = std::vector<int64_t>;

constexpr int64_t kLongTrial = 64;
constexpr int64_t kWideRoom = 100;

TEST(RepetitionTest, NothingRepeatedNoGuess) {
  Repetition repetition;
  EXPECT_EQ(repetition.propose({}, kLongTrial, kWideRoom), Ids());
  EXPECT_EQ(repetition.propose(Ids{1, 1, 1, 1}, kLongTrial, kWideRoom),
            Ids());  // too short to tell
  EXPECT_EQ(repetition.propose(Ids{1, 2, 3, 4, 5, 6, 7, 8}, kLongTrial, kWideRoom), Ids());
}

TEST(RepetitionTest, OneTokenAgainAndAgain) {
  EXPECT_EQ(Repetition().propose(Ids{9, 1, 1, 1, 1, 1}, kLongTrial, kWideRoom), (Ids{1, 1, 1, 1}));
  EXPECT_EQ(Repetition().propose(Ids{9, 1, 1, 1, 1, 1}, kLongTrial, 2), (Ids{1, 1}));
  EXPECT_EQ(Repetition().propose(Ids{9, 1, 1, 1, 1, 1}, kLongTrial, 0), Ids());
}

// What followed the last time, and round again.
TEST(RepetitionTest, ACircle) {
  EXPECT_EQ(Repetition().propose(Ids{7, 1, 2, 3, 1, 2, 3, 1, 2}, kLongTrial, kWideRoom),
            (Ids{3, 1, 2, 3}));
  EXPECT_EQ(Repetition().propose(Ids{1, 2, 3, 4, 50, 9, 1, 2, 3, 4, 60, 9, 1, 2, 3, 4}, kLongTrial,
                                 kWideRoom),
            (Ids{60, 9, 1, 2}));
}

TEST(RepetitionTest, LongerAsTheyTurnOutRight) {
  Repetition repetition;
  const Ids ones(50, 1);
  for (const size_t expected : {4, 8, 16, 16}) {
    const Ids guess = repetition.propose(ones, kLongTrial, kWideRoom);
    EXPECT_EQ(guess.size(), expected);
    repetition.record(static_cast<int64_t>(guess.size()), static_cast<int64_t>(guess.size()));
  }
}

TEST(RepetitionTest, ShortWhereThereIsLittleToTry) {
  Repetition repetition;
  for (const size_t expected : {1, 2, 4, 4}) {
    const Ids guess = repetition.propose(Ids(50, 1), 4, kWideRoom);
    EXPECT_EQ(guess.size(), expected);
    repetition.record(static_cast<int64_t>(guess.size()), static_cast<int64_t>(guess.size()));
  }
}

TEST(RepetitionTest, APauseAfterAWrongOne) {
  Repetition repetition;
  EXPECT_EQ(repetition.propose(Ids(20, 1), kLongTrial, kWideRoom).size(), 4u);
  repetition.record(4, 4);
  EXPECT_EQ(repetition.propose(Ids(25, 1), kLongTrial, kWideRoom).size(), 8u);
  repetition.record(8, 3);
  EXPECT_TRUE(repetition.propose(Ids(29, 1), kLongTrial, kWideRoom).empty());
  repetition.record(0, 0);
  EXPECT_TRUE(repetition.propose(Ids(35, 1), kLongTrial, kWideRoom).empty());
  EXPECT_EQ(repetition.propose(Ids(36, 1), kLongTrial, kWideRoom).size(), 4u);
}

}  // namespace
}  // namespace palimpsest::engine
