#include "palimpsest/attack/internal/mia/blind_texts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/attack/made_up_authors.h"
#include "tests/attack/score_sets.h"

namespace palimpsest::attack {
namespace {

TraceScores set_with(const std::vector<std::string>& texts) {
  return with_texts(set_of(ScoreColumn(texts.size(), 1.0)), texts);
}

// For each text of the forget set first, then of the holdout set, the position of its family.
std::vector<size_t> level(const std::vector<BlindText>& texts, size_t BlindText::*name) {
  std::vector<size_t> result;
  for (const BlindText& text : texts) result.push_back(text.*name);
  std::map<size_t, size_t> numbers;
  for (size_t& number : result) number = numbers.emplace(number, numbers.size()).first->second;
  return result;
}

TEST(BlindTextsTest, JoinsAlternativesClustersAndSharedTexts) {
  TraceScores forget = set_with({"a", "b", "c", "d"});
  forget.examples[1] = {"0", 1};
  forget.facts.push_back({});  // without a text: left out
  forget.examples.push_back({"4", 0});
  const TraceScores holdout = set_with({"e", "c", "f"});
  const ExampleClusters clusters{.name = "author", .forget = {0, 0, 1, 1, 1}, .holdout = {2, 2, 0}};
  const auto texts = blind_texts(forget, holdout, clusters);
  ASSERT_EQ(texts.size(), 7U);
  EXPECT_TRUE(texts[3].is_forget);
  EXPECT_FALSE(texts[4].is_forget);
  EXPECT_EQ(texts[5].example, 1U);
  EXPECT_EQ(*texts[6].text, "f");
  // The index "0" of the other set is another example.
  EXPECT_EQ(level(texts, &BlindText::block), (std::vector<size_t>{0, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(level(texts, &BlindText::cluster), (std::vector<size_t>{0, 0, 1, 1, 2, 2, 0}));
  EXPECT_EQ(level(texts, &BlindText::unit), (std::vector<size_t>{0, 0, 1, 1, 1, 1, 0}));
  EXPECT_EQ(count_units(texts).forget, 2);
  EXPECT_EQ(count_units(texts).holdout, 2);
}

TEST(BlindTextsTest, SetPhrasesDoNotJoinClustersThatWereGiven) {
  std::vector<std::string> texts;
  for (int i = 0; i < 24; ++i) texts.push_back(i % 4 == 0 ? "Yes." : "text " + std::to_string(i));
  const TraceScores set = set_with(texts);
  TraceScores other = set_with(texts);
  for (size_t i = 0; i < 24; ++i) other.facts[i].text = i % 4 == 0 ? "Yes." : std::to_string(i);
  const auto given = blind_texts(set, other, block_clusters(set, other, 4));
  EXPECT_EQ(count_units(given).forget, 6);
  EXPECT_EQ(count_units(given).holdout, 6);
  // Where nobody said what belongs together, equal texts do.
  const auto single = blind_texts(set, other, block_clusters(set, other, 1));
  EXPECT_EQ(count_units(single).forget, 19);
}

TEST(BlindTextsTest, SamplesWholeUnitsOfBothSets) {
  const TraceScores forget = author_set({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10);
  std::vector<uint64_t> others(90);
  for (size_t i = 0; i < others.size(); ++i) others[i] = 100 + i;
  const TraceScores holdout = author_set(others, 10);
  const auto all = blind_texts(forget, holdout, block_clusters(forget, holdout, 10));
  ASSERT_EQ(all.size(), 1000U);
  EXPECT_EQ(sample_blind_texts(all, 1000, Random(1)).size(), 1000U);
  const auto some = sample_blind_texts(all, 400, Random(1));
  EXPECT_EQ(count_units(some).forget, 10);  // the small set is kept whole
  EXPECT_EQ(count_units(some).holdout, 30);
  EXPECT_EQ(some.size(), 400U);  // so every unit is whole
  const auto few = sample_blind_texts(all, 100, Random(1));
  EXPECT_EQ(count_units(few).forget, 10);  // units thinned to 5
  EXPECT_EQ(count_units(few).holdout, 10);
  EXPECT_EQ(few.size(), 100U);
  auto examples = [](const std::vector<BlindText>& texts) {
    std::vector<size_t> result;
    for (const BlindText& text : texts) result.push_back(text.example);
    return result;
  };
  EXPECT_EQ(examples(some), examples(sample_blind_texts(all, 400, Random(1))));
  EXPECT_NE(examples(some), examples(sample_blind_texts(all, 400, Random(2))));
}

TEST(BlindTextsTest, FoldsAreStratifiedAndKeepUnitsWhole) {
  const AuthorSplit split = split_authors(Random(1), 50, 12, 5);
  const auto texts =
      blind_texts(split.forget, split.holdout, block_clusters(split.forget, split.holdout, 5));
  const std::vector<size_t> fold_of = assign_folds(texts, 5, Random(3));
  std::map<size_t, std::set<size_t>> folds_of_unit;
  std::map<size_t, std::set<size_t>> units_of_fold[2];
  for (size_t i = 0; i < texts.size(); ++i) {
    folds_of_unit[texts[i].unit].insert(fold_of[i]);
    units_of_fold[texts[i].is_forget ? 1 : 0][fold_of[i]].insert(texts[i].unit);
  }
  EXPECT_EQ(folds_of_unit.size(), 24U);
  for (const auto& [unit, folds] : folds_of_unit) EXPECT_EQ(folds.size(), 1U);
  for (size_t fold = 0; fold < 5; ++fold) {
    for (auto& units : units_of_fold) {
      EXPECT_GE(units[fold].size(), 2U);
      EXPECT_LE(units[fold].size(), 3U);
    }
    EXPECT_LE(units_of_fold[0][fold].size() + units_of_fold[1][fold].size(), 5U);
  }
  EXPECT_NE(fold_of, assign_folds(texts, 5, Random(4)));
}

TEST(BlindTextsTest, PermutesLabelsOfUnitsWithinFolds) {
  const AuthorSplit split = split_authors(Random(1), 50, 10, 4);
  const auto texts =
      blind_texts(split.forget, split.holdout, block_clusters(split.forget, split.holdout, 4));
  const std::vector<size_t> fold_of = assign_folds(texts, 5, Random(3));
  const BlindPermutation permutation(texts, fold_of);
  std::map<size_t, int> times_forget;
  for (uint64_t draw = 0; draw < 400; ++draw) {
    const std::vector<bool> labels = permutation.draw(Random(5).split(draw));
    std::map<size_t, int> forget_in_fold;
    for (size_t i = 0; i < texts.size(); i += 4) {
      for (size_t j = 1; j < 4; ++j) EXPECT_EQ(labels[i + j], labels[i]);
      forget_in_fold[fold_of[i]] += labels[i] ? 1 : 0;
      times_forget[i] += labels[i] ? 1 : 0;
    }
    for (const auto& [fold, count] : forget_in_fold) EXPECT_EQ(count, 2);
  }
  // Each unit is of the forget set in half of the draws: 200 ± 10, five deviations.
  for (const auto& [text, times] : times_forget) EXPECT_NEAR(times, 200, 50);
}

TEST(BlindTextsTest, PermutesInsideWhatIsInBothSets) {
  TraceScores forget = set_with({"a", "b", "c", "d", "e", "same"});
  forget.examples[1] = {"0", 1};  // an alternative
  const TraceScores holdout = set_with({"f", "g", "same"});
  // Cluster 0 is in both sets; clusters 3 and 4 share a text; clusters 1 and 2 are in one set each.
  const ExampleClusters clusters{
      .name = "author", .forget = {0, 0, 0, 1, 1, 3}, .holdout = {0, 2, 4}};
  const auto texts = blind_texts(forget, holdout, clusters);
  const BlindPermutation permutation(texts, std::vector<size_t>(texts.size(), 0));
  std::set<std::vector<bool>> in_both, shared, whole;
  for (uint64_t draw = 0; draw < 200; ++draw) {
    const auto labels = permutation.draw(Random(5).split(draw));
    in_both.insert({labels[0], labels[1], labels[2], labels[6]});
    shared.insert({labels[5], labels[8]});
    whole.insert({labels[3], labels[4], labels[7]});
  }
  // Of the blocks {a, b}, {c}, {f} one is of the holdout set.
  EXPECT_EQ(in_both,
            (std::set<std::vector<bool>>{
                {true, true, true, false}, {true, true, false, true}, {false, false, true, true}}));
  EXPECT_EQ(shared, (std::set<std::vector<bool>>{{true, false}, {false, true}}));
  EXPECT_EQ(whole, (std::set<std::vector<bool>>{{true, true, false}, {false, false, true}}));
}

}  // namespace
}  // namespace palimpsest::attack
