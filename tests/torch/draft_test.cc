#include "palimpsest/torch/draft.h"

#include <gtest/gtest.h>

namespace palimpsest::torch {
namespace {

using Ids = std::vector<int64_t>;

constexpr int64_t kRoom = 100;

TEST(DraftTest, NoTextNoGuess) {
  Draft draft({});
  EXPECT_EQ(draft.guess({}, kRoom), Ids());
  draft.learn(0, 0);
  EXPECT_EQ(draft.guess(Ids{1, 2, 3, 4}, kRoom), Ids());
}

TEST(DraftTest, FirstTheWholeText) {
  Draft draft({1, 2, 3, 4, 5});
  EXPECT_EQ(draft.guess({}, kRoom), (Ids{1, 2, 3, 4, 5}));
  EXPECT_EQ(Draft({1, 2, 3, 4, 5}).guess({}, 3), (Ids{1, 2, 3}));
  EXPECT_EQ(Draft({1, 2, 3}).guess({}, 0), Ids());
}

TEST(DraftTest, NothingIsLeftAfterTheWholeText) {
  Draft draft({1, 2, 3});
  draft.guess({}, kRoom);
  draft.learn(3, 3);
  EXPECT_EQ(draft.guess(Ids{1, 2, 3, 9}, kRoom), Ids());
}

// A guess that was cut short (room, a boundary of the rotary classes) goes on one token later.
TEST(DraftTest, GoesOnAfterARightGuess) {
  Draft draft({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(draft.guess({}, 2), (Ids{1, 2}));
  draft.learn(2, 2);
  EXPECT_EQ(draft.guess(Ids{1, 2, 3}, kRoom), (Ids{4, 5, 6}));
}

TEST(DraftTest, LooksForThePlaceAfterAWrongGuess) {
  Draft draft({1, 2, 3, 4, 5, 6, 7, 8});
  draft.guess({}, kRoom);
  draft.learn(8, 2);
  EXPECT_EQ(draft.guess(Ids{1, 2, 99}, kRoom), Ids());  // 1 2 99 is nowhere
  draft.learn(0, 0);
  EXPECT_EQ(draft.guess(Ids{1, 2, 99, 4, 5}, kRoom), Ids());  // 99 4 5 neither
  draft.learn(0, 0);
  EXPECT_EQ(draft.guess(Ids{1, 2, 99, 4, 5, 6}, kRoom), (Ids{7, 8}));
}

TEST(DraftTest, TooFewTokensToFindAPlace) {
  Draft draft({1, 2, 3});
  draft.guess({}, kRoom);
  draft.learn(3, 0);
  EXPECT_EQ(draft.guess(Ids{1, 2}, kRoom), Ids());
}

// Short guesses after a wrong one, longer ones as they turn out right.
TEST(DraftTest, LengthFollowsSuccess) {
  Ids text(100);
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<int64_t>(i);
  Draft draft(text);
  draft.guess({}, kRoom);
  draft.learn(100, 0);
  EXPECT_EQ(draft.guess(Ids{0, 1, 2}, kRoom), (Ids{3, 4, 5, 6, 7, 8, 9, 10}));
  draft.learn(8, 8);
  const Ids next = draft.guess(Ids{9, 10, 11}, kRoom);
  ASSERT_EQ(next.size(), 16u);
  EXPECT_EQ(next.front(), 12);
  draft.learn(16, 5);
  EXPECT_EQ(draft.guess(Ids{50, 51, 52}, kRoom).size(), 8u);
}

TEST(DraftTest, APlaceAtTheEndGivesNothing) {
  Draft draft({1, 2, 3});
  draft.guess({}, kRoom);
  draft.learn(3, 1);
  EXPECT_EQ(draft.guess(Ids{7, 1, 2, 3}, kRoom), Ids());
}

}  // namespace
}  // namespace palimpsest::torch
