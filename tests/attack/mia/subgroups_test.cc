#include "palimpsest/attack/internal/mia/subgroups.h"

#include <gtest/gtest.h>

#include "palimpsest/stat/auc.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

using Facts = std::vector<ExampleFacts>;
using Indices = std::vector<size_t>;

Facts lengths(const std::vector<int64_t>& counts) {
  Facts facts;
  for (int64_t count : counts) facts.push_back({.num_labels = count, .text = "same"});
  return facts;
}

const Subgroup* find(const Subgroups& groups, const std::string& by, const std::string& name) {
  for (const Subgroup& group : groups.groups) {
    if (group.by == by && group.name == name) return &group;
  }
  return nullptr;
}

TEST(SubgroupsTest, TercilesOfLengthOverBothSets) {
  const Subgroups groups = find_subgroups(lengths({1, 5, 9, 0}), lengths({2, 6, 8}), {});
  ASSERT_EQ(groups.groups.size(), 3U);
  EXPECT_EQ(groups.groups[0].name, "short");
  EXPECT_EQ(groups.groups[0].forget, Indices{0});
  EXPECT_EQ(groups.groups[0].holdout, Indices{0});
  EXPECT_EQ(groups.groups[1].forget, Indices{1});
  EXPECT_EQ(groups.groups[1].meaning, "3 to 6 labelled tokens");
  EXPECT_EQ(groups.groups[2].forget, Indices{2});  // the example without labels is in none
  EXPECT_EQ(groups.groups[2].holdout, Indices{2});
}

TEST(SubgroupsTest, EqualLengthsAreNotSplit) {
  EXPECT_TRUE(find_subgroups(lengths({3, 3}), lengths({3, 3}), {}).groups.empty());
  // Ties leave a tercile without examples: then there is no such group.
  const Subgroups tied = find_subgroups(lengths({1, 1, 1}), lengths({1, 1, 9}), {});
  ASSERT_EQ(tied.groups.size(), 2U);
  EXPECT_EQ(tied.groups[0].name, "short");
  EXPECT_EQ(tied.groups[1].name, "long");
}

TEST(SubgroupsTest, RareAndCommonTokensByIdsOrByWords) {
  Facts forget = {{.num_labels = 2, .text = "the the"}, {.num_labels = 2, .text = "odd words"}};
  Facts holdout = {{.num_labels = 2, .text = "The, the"}, {.num_labels = 2, .text = "zyx the"}};
  const Subgroups by_words = find_subgroups(forget, holdout, {});
  ASSERT_TRUE(find(by_words, "tokens", "rare") && find(by_words, "tokens", "common"));
  EXPECT_EQ(find(by_words, "tokens", "rare")->forget, Indices{1});
  EXPECT_EQ(find(by_words, "tokens", "rare")->holdout, Indices{1});
  EXPECT_EQ(find(by_words, "tokens", "common")->forget, Indices{0});
  // With token ids in every trace these decide: now the first of the forget set is rare.
  forget[0].label = {{7, 8}};
  forget[1].label = {{1, 1}};
  holdout[0].label = {{1, 1}};
  holdout[1].label = {{1, 1}};
  const Subgroups by_ids = find_subgroups(forget, holdout, {});
  EXPECT_EQ(find(by_ids, "tokens", "rare")->forget, Indices{0});
}

TEST(SubgroupsTest, WithoutIdsAndTextThereIsNoSplitByTokens) {
  const Facts facts = {{.num_labels = 2}, {.num_labels = 3}};
  const Subgroups groups = find_subgroups(facts, facts, {});
  EXPECT_EQ(find(groups, "tokens", "rare"), nullptr);
  expect_contains(groups.notes.at(0), "neither 'label' nor 'text'");
}

TEST(SubgroupsTest, ColumnsOfTheData) {
  Facts forget = lengths({3, 3, 3});
  const Facts holdout = lengths({3});
  forget[0].groups["author"] = "b";
  forget[1].groups["author"] = "a";
  const std::vector<std::string> keys = {"author", "author"};
  const Subgroups groups = find_subgroups(forget, holdout, keys);
  ASSERT_EQ(groups.groups.size(), 2U);
  EXPECT_EQ(groups.groups[0].by, "author");
  EXPECT_EQ(groups.groups[0].name, "a");
  EXPECT_EQ(groups.groups[0].forget, Indices{1});
  expect_contains(groups.notes.at(0), "2 examples have no 'author'");
  expect_contains(groups.notes.at(1), "fewer than 10 examples of either set: author a, author b");
}

TEST(SubgroupsTest, RefusesColumnsThatAreNotThereOrNoGroups) {
  Facts facts = lengths({3});
  const std::vector<std::string> keys = {"author"};
  expect_contains(error_of([&] { find_subgroups(facts, facts, keys); }), "no trace has 'groups'");
  facts[0].groups["topic"] = "x";
  expect_contains(error_of([&] { find_subgroups(facts, facts, keys); }),
                  "no trace has the group column 'author' (expected one of topic)");
  Facts many = lengths(std::vector<int64_t>(200, 3));
  for (size_t i = 0; i < many.size(); ++i) many[i].groups["author"] = std::to_string(i);
  expect_contains(error_of([&] { find_subgroups(many, {}, keys); }),
                  "more than 100 different values");
}

TEST(SubgroupsTest, AGroupHasItsOwnAuc) {
  ScoreColumn forget;
  ScoreColumn holdout;
  Subgroup group{.by = "x", .name = "y"};
  for (size_t i = 0; i < 20; ++i) {
    const bool inside = i % 2 == 0;
    forget.push_back(inside ? 0 : 9);
    holdout.push_back(inside ? 1 : 5);
    if (inside) group.forget.push_back(i);
    if (inside) group.holdout.push_back(i);
  }
  ExampleClusters clusters;
  for (int64_t i = 0; i < 20; ++i) {
    clusters.forget.push_back(i);
    clusters.holdout.push_back(20 + i);
  }
  const SubgroupOutcome outcome = evaluate(group, {forget, holdout}, clusters, 0.95);
  EXPECT_EQ(outcome.auc, 1);
  ASSERT_TRUE(outcome.auc_ci);
  EXPECT_GT(outcome.auc_ci->low, 0.5);
  // All of one author: the AUC stands, an interval would be made up.
  clusters.forget.assign(20, 0);
  EXPECT_EQ(evaluate(group, {forget, holdout}, clusters, 0.95).auc, 1);
  EXPECT_FALSE(evaluate(group, {forget, holdout}, clusters, 0.95).auc_ci);
  // One undefined score less than ten: nothing to say.
  forget[0] = std::nullopt;
  EXPECT_FALSE(evaluate(group, {forget, holdout}, clusters, 0.95).auc);
}

}  // namespace
}  // namespace palimpsest::attack
