#include "palimpsest/attack/internal/mia/family.h"

#include <gtest/gtest.h>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/stat/delong.h"
#include "tests/attack/mia/audit_scores.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

TEST(FamilyTest, SimultaneousIntervalsContainTheOwnOnes) {
  const AuditScores audit = draw_audit({.shift = 0.5}, Random(1));
  const FamilyInference family = infer_family(audit.members(), audit.clusters, {});
  ASSERT_EQ(family.members.size(), 3U);
  for (const MemberInference& member : family.members) {
    ASSERT_TRUE(member.interval && member.simultaneous && member.equivalence);
    EXPECT_LT(member.simultaneous->low, member.interval->low);
    EXPECT_GT(member.simultaneous->high, member.interval->high);
    EXPECT_GT(member.equivalence->low, member.interval->low);
    EXPECT_TRUE(member.interval->contains(*member.auc));
  }
  EXPECT_EQ(family.clusters.positives, 20);
  EXPECT_EQ(family.cluster_name, "author");
  ASSERT_TRUE(family.icc && family.design_effect);
  EXPECT_NEAR(*family.icc, 0.1, 0.08);
  EXPECT_GT(*family.design_effect, 1.5);
  ASSERT_TRUE(family.permutation.p_value);
  EXPECT_LE(*family.permutation.p_value, 0.03);
  ASSERT_TRUE(family.would_detect && family.needed && family.smallest_margin);
  EXPECT_GT(*family.would_detect, 0.55);
  EXPECT_GT(family.needed->positives, 20);  // a margin of 0.05 takes many more authors
}

TEST(FamilyTest, ClustersOfOneWithOneAttackGiveDelongWithStudentsT) {
  AuditTruth truth{.forget_authors = 60, .holdout_authors = 60, .questions = 1, .attacks = 1};
  const AuditScores audit = draw_audit(truth, Random(2));
  ExampleClusters independent = audit.clusters;
  independent.name.clear();
  const FamilyInference family = infer_family(audit.members(), independent, {});
  const auto scored = to_clustered(audit.members()[0].scores, independent);
  const auto expected = stat::delong(scored.scores);
  ASSERT_TRUE(family.members[0].estimate);
  EXPECT_NEAR(family.members[0].estimate->variance, expected->variance, 1e-12);
  EXPECT_FALSE(family.icc);
  EXPECT_FALSE(family.design_effect);
}

TEST(FamilyTest, AMemberOutsideTheFamilyHasItsOwnIntervalOnly) {
  const AuditScores audit = draw_audit({}, Random(3));
  std::vector<FamilyMember> members = audit.members();
  members[1].in_family = false;
  const FamilyInference family = infer_family(members, audit.clusters, {});
  EXPECT_TRUE(family.members[1].interval);
  EXPECT_FALSE(family.members[1].simultaneous);
  // The others' intervals are those of a family of two.
  const FamilyInference pair =
      infer_family(std::vector<FamilyMember>{members[0], members[2]}, audit.clusters, {});
  EXPECT_EQ(*family.members[0].simultaneous, *pair.members[0].simultaneous);
  EXPECT_EQ(family.permutation.p_value, pair.permutation.p_value);
}

TEST(FamilyTest, ConstantScoresAreUndefinedAndSupportNoMargin) {
  AuditScores audit = draw_audit({.attacks = 2}, Random(4));
  for (auto* columns : {&audit.forget[1], &audit.holdout[1]}) {
    for (auto& score : *columns) score = 2.5;
  }
  const FamilyInference family = infer_family(audit.members(), audit.clusters, {});
  EXPECT_TRUE(family.members[1].constant);
  EXPECT_EQ(family.members[1].auc, 0.5);
  EXPECT_FALSE(family.members[1].interval);
  EXPECT_FALSE(family.members[1].simultaneous);
  EXPECT_TRUE(family.members[0].simultaneous);
  EXPECT_FALSE(family.smallest_margin);
}

TEST(FamilyTest, PerfectSeparationHasAnExactBound) {
  const AuditScores audit = draw_audit({.shift = 50, .attacks = 1}, Random(5));
  const FamilyInference family = infer_family(audit.members(), audit.clusters, {});
  ASSERT_TRUE(family.members[0].simultaneous);
  EXPECT_EQ(*family.members[0].auc, 1);
  EXPECT_EQ(family.members[0].simultaneous->high, 1);
  // (0.03/2)^(1/20): twenty authors as pairs.
  EXPECT_NEAR(family.members[0].simultaneous->low, 0.8106, 1e-3);
}

TEST(FamilyTest, AgainstABaselineTheDifferenceCounts) {
  // Two models that see the same sets, which differ by themselves: a baseline takes that out.
  AuditScores model = draw_audit({.shift = 0.6}, Random(6));
  AuditScores baseline = model;
  Random noise(7);
  for (auto* set : {&model.forget, &model.holdout, &baseline.forget, &baseline.holdout}) {
    for (ScoreColumn& column : *set) {
      for (auto& score : column) *score += 0.2 * noise.normal();
    }
  }
  std::vector<FamilyMember> members = model.members();
  for (size_t a = 0; a < members.size(); ++a)
    members[a].baseline = ScoreColumns{baseline.forget[a], baseline.holdout[a]};
  const FamilyInference family = infer_family(members, model.clusters, {});
  EXPECT_TRUE(family.has_baseline);
  EXPECT_FALSE(family.permutation.p_value);
  for (const MemberInference& member : family.members) {
    ASSERT_TRUE(member.difference_simultaneous);
    EXPECT_TRUE(member.difference_simultaneous->contains(0));
    EXPECT_GT(member.simultaneous->low, 0.5);  // the sets themselves can be told apart
  }
  ASSERT_TRUE(family.smallest_margin);
  EXPECT_LT(*family.smallest_margin, 0.05);
}

TEST(FamilyTest, OneMemberWithoutABaselineMakesTheAnswerOneOfAucs) {
  const AuditScores audit = draw_audit({}, Random(8));
  std::vector<FamilyMember> members = audit.members();
  members[0].baseline = members[1].scores;
  const FamilyInference family = infer_family(members, audit.clusters, {});
  EXPECT_FALSE(family.has_baseline);
  EXPECT_TRUE(family.members[0].difference);
  EXPECT_TRUE(family.permutation.p_value);
}

TEST(FamilyTest, EvennessIsTheEffectiveShareOfClusters) {
  AuditScores audit = draw_audit({}, Random(8));
  EXPECT_DOUBLE_EQ(infer_family(audit.members(), audit.clusters, {}).cluster_evenness, 1);
  // Half of the forget examples become one author: (2 · 200)² / (200² + 10 · 20²) = 3.64 of 11.
  const std::vector<int64_t> authors = audit.clusters.forget;
  ASSERT_EQ(authors.size(), 400U);
  for (size_t i = 0; i < 200; ++i) audit.clusters.forget[i] = authors.front();
  EXPECT_NEAR(infer_family(audit.members(), audit.clusters, {}).cluster_evenness,
              400.0 * 400 / (200.0 * 200 + 10 * 20.0 * 20) / 11, 1e-12);
}

TEST(FamilyTest, ThreadsChangeNothing) {
  const AuditScores audit = draw_audit({.shift = 0.2}, Random(9));
  const FamilyInference one = infer_family(audit.members(), audit.clusters, {.threads = 1});
  const FamilyInference three = infer_family(audit.members(), audit.clusters, {.threads = 3});
  EXPECT_EQ(one.permutation.p_value, three.permutation.p_value);
  EXPECT_EQ(one.permutation.tail_p_value, three.permutation.tail_p_value);
  for (size_t i = 0; i < one.members.size(); ++i)
    EXPECT_EQ(*one.members[i].simultaneous, *three.members[i].simultaneous);
}

TEST(FamilyTest, RefusesOptionsOutOfRange) {
  expect_contains(error_of([] { require_valid(FamilyOptions{.margin = 0}); }), "margin");
  expect_contains(error_of([] { require_valid(FamilyOptions{.margin = 0.5}); }), "margin");
  expect_contains(error_of([] { require_valid(FamilyOptions{.confidence = 1}); }), "confidence");
}

}  // namespace
}  // namespace palimpsest::attack
