#include "palimpsest/engine/internal/draft.h"

#include <gtest/gtest.h>

namespace palimpsest::engine {
namespace {

using Ids = std::vector<int64_t>;

constexpr int64_t kTrial = 8;
constexpr int64_t kRoom = 100;

TEST(DraftTest, NoTextNoGuess) {
  Draft draft({});
  EXPECT_EQ(draft.propose({}, kTrial, kRoom), Ids());
  draft.record(0, 0);
  EXPECT_EQ(draft.propose(Ids{1, 2, 3, 4}, kTrial, kRoom), Ids());
}

TEST(DraftTest, FirstFromTheBeginning) {
  Draft draft({1, 2, 3, 4, 5});
  EXPECT_EQ(draft.propose({}, kTrial, kRoom), (Ids{1, 2, 3, 4, 5}));
  EXPECT_EQ(Draft({1, 2, 3, 4, 5}).propose({}, kTrial, 3), (Ids{1, 2, 3}));
  EXPECT_EQ(Draft({1, 2, 3, 4, 5}).propose({}, 2, kRoom), (Ids{1, 2}));
  EXPECT_EQ(Draft({1, 2, 3}).propose({}, kTrial, 0), Ids());
}

TEST(DraftTest, GoesOnAfterWhatIsKnown) {
  EXPECT_EQ(Draft({1, 2, 3, 4}, Ids{1, 2}).propose(Ids{1, 2}, kTrial, kRoom), (Ids{3, 4}));
  EXPECT_EQ(Draft({1, 2}, Ids{1, 2}).propose(Ids{1, 2}, kTrial, kRoom), Ids());
  EXPECT_EQ(Draft({1, 2}, Ids{1, 2, 3}).propose(Ids{1, 2, 3}, kTrial, kRoom), Ids());
}

// Where the generation is known to differ, the rest of the text is no guess at what follows.
TEST(DraftTest, LooksForThePlaceAfterADifferentBeginning) {
  Draft draft({1, 2, 3, 4, 5}, Ids{1, 9});
  EXPECT_EQ(draft.propose(Ids{1, 9}, kTrial, kRoom), Ids());
  draft.record(0, 0);
  EXPECT_EQ(draft.propose(Ids{1, 9, 2, 3, 4}, kTrial, kRoom), (Ids{5}));
}

TEST(DraftTest, NothingIsLeftAfterTheWholeText) {
  Draft draft({1, 2, 3});
  draft.propose({}, kTrial, kRoom);
  draft.record(3, 3);
  EXPECT_EQ(draft.propose(Ids{1, 2, 3, 9}, kTrial, kRoom), Ids());
}

// One more token comes out of a pass than was guessed.
TEST(DraftTest, GoesOnAfterARightGuess) {
  Draft draft({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(draft.propose({}, kTrial, 2), (Ids{1, 2}));
  draft.record(2, 2);
  EXPECT_EQ(draft.propose(Ids{1, 2, 3}, kTrial, kRoom), (Ids{4, 5, 6}));
}

TEST(DraftTest, LooksForThePlaceAfterAWrongGuess) {
  Draft draft({1, 2, 3, 4, 5, 6, 7, 8});
  draft.propose({}, kTrial, kRoom);
  draft.record(8, 2);
  EXPECT_EQ(draft.propose(Ids{1, 2, 99}, kTrial, kRoom), Ids());  // 1 2 99 is nowhere
  draft.record(0, 0);
  EXPECT_EQ(draft.propose(Ids{1, 2, 99, 4, 5}, kTrial, kRoom), Ids());  // 99 4 5 neither
  draft.record(0, 0);
  EXPECT_EQ(draft.propose(Ids{1, 2, 99, 4, 5, 6}, kTrial, kRoom), (Ids{7, 8}));
}

TEST(DraftTest, TooFewTokensToFindAPlace) {
  Draft draft({1, 2, 3});
  draft.propose({}, kTrial, kRoom);
  draft.record(3, 0);
  EXPECT_EQ(draft.propose(Ids{1, 2}, kTrial, kRoom), Ids());
}

TEST(DraftTest, LengthFollowsSuccess) {
  Ids text(100);
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<int64_t>(i);
  Draft draft(text);
  EXPECT_EQ(draft.propose({}, 4, kRoom).size(), 4u);
  draft.record(4, 4);
  const Ids next = draft.propose(Ids{0, 1, 2, 3, 4}, 4, kRoom);
  ASSERT_EQ(next.size(), 8u);
  EXPECT_EQ(next.front(), 5);
  draft.record(8, 5);
  EXPECT_EQ(draft.propose(Ids{50, 51, 52}, 4, kRoom).size(), 4u);
}

TEST(DraftTest, APlaceAtTheEndGivesNothing) {
  Draft draft({1, 2, 3});
  draft.propose({}, kTrial, kRoom);
  draft.record(3, 1);
  EXPECT_EQ(draft.propose(Ids{7, 1, 2, 3}, kTrial, kRoom), Ids());
}

}  // namespace
}  // namespace palimpsest::engine
