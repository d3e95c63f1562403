#include "palimpsest/attack/mia/answer.h"

#include <gtest/gtest.h>

#include "palimpsest/attack/internal/mia/derive_answer.h"
#include "tests/attack/mia/audit_scores.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

// A family as infer_family() leaves it, with what a test wants to say.
FamilyInference family_with(const std::vector<stat::Interval>& simultaneous,
                            const std::vector<stat::Interval>& equivalence) {
  FamilyInference family;
  family.clusters = {.positives = 20, .negatives = 20};
  family.cluster_name = "author";
  family.permutation = {.p_value = 0.5, .tail_p_value = 0.5, .tail_attack = 0};
  family.would_detect = 0.61;
  family.needed = stat::ClusterPlan{75, 80};
  family.smallest_margin = 0;
  for (size_t i = 0; i < simultaneous.size(); ++i) {
    const double auc = (simultaneous[i].low + simultaneous[i].high) / 2;
    family.members.push_back({.attack = "attack" + std::to_string(i) + " (k=0.3)",
                              .name = "attack" + std::to_string(i),
                              .auc = auc,
                              .simultaneous = simultaneous[i],
                              .equivalence = equivalence[i]});
    family.smallest_margin =
        std::max({*family.smallest_margin, 0.5 - equivalence[i].low, equivalence[i].high - 0.5});
  }
  return family;
}

Answer judged(const FamilyInference& family) {
  return answer_of({.family = family, .forget_examples = 400, .holdout_examples = 400});
}

bool has_reason(const Answer& answer, const std::string& code) {
  return std::ranges::any_of(answer.reasons,
                             [&](const AnswerReason& reason) { return reason.code == code; });
}

TEST(AnswerTest, VerdictsHaveANameForFilesAndWordsForReaders) {
  EXPECT_EQ(verdict_words(AnswerVerdict::kRemembered), "remembered");
  EXPECT_EQ(verdict_words(AnswerVerdict::kNotDecided), "not decided");
  EXPECT_EQ(verdict_words(AnswerVerdict::kDetectableWithinMargin), "detectable within margin");
  for (const auto verdict : {AnswerVerdict::kRemembered, AnswerVerdict::kOverForgotten,
                             AnswerVerdict::kDetectableWithinMargin, AnswerVerdict::kEquivalent,
                             AnswerVerdict::kNotDecided, AnswerVerdict::kVoid}) {
    EXPECT_EQ(verdict_named(name_of(verdict)), verdict);
  }
  EXPECT_EQ(verdict_named("not decided"), std::nullopt);
}

TEST(AnswerTest, RememberedNeedsTheIntervalAndThePermutationTest) {
  FamilyInference family = family_with({{0.6, 0.8}, {0.4, 0.7}}, {{0.62, 0.78}, {0.42, 0.68}});
  EXPECT_EQ(judged(family).verdict, AnswerVerdict::kNotDecided);  // p = 0.5
  family.permutation.p_value = 0.03;
  const Answer answer = judged(family);
  EXPECT_EQ(answer.verdict, AnswerVerdict::kRemembered);
  EXPECT_EQ(answer.attack, "attack0 (k=0.3)");
  EXPECT_EQ(answer.attack_name, "attack0");
  expect_contains(answer.sentence,
                  "still remembered: attack0 (k=0.3) tells it from unseen text (AUC 0.700;");
  expect_contains(answer.sentence, "0.600 to 0.800");
}

TEST(AnswerTest, TheTailAloneIsEnough) {
  FamilyInference family = family_with({{0.45, 0.56}}, {{0.46, 0.55}});
  family.permutation.tail_p_value = 0.02;
  const Answer answer = judged(family);
  EXPECT_EQ(answer.verdict, AnswerVerdict::kRemembered);
  expect_contains(answer.sentence, "Some forget records are still remembered");
  EXPECT_TRUE(has_reason(answer, "tail"));
  family.permutation.tail_p_value = 0.021;
  EXPECT_EQ(judged(family).verdict, AnswerVerdict::kNotDecided);
}

TEST(AnswerTest, RememberedWinsOverTheOtherDirectionAndNamesBoth) {
  FamilyInference family = family_with({{0.55, 0.65}, {0.1, 0.3}}, {{0.56, 0.64}, {0.12, 0.28}});
  family.permutation.p_value = 0.001;
  const Answer answer = judged(family);
  EXPECT_EQ(answer.verdict, AnswerVerdict::kRemembered);
  EXPECT_TRUE(has_reason(answer, "both_directions"));
  family.members.erase(family.members.begin());
  EXPECT_EQ(judged(family).verdict, AnswerVerdict::kOverForgotten);
}

TEST(AnswerTest, EquivalentOnlyIfEveryAttackLiesInsideTheMarginAndTheTailIsSilent) {
  FamilyInference family = family_with({{0.46, 0.54}, {0.45, 0.56}}, {{0.47, 0.53}, {0.46, 0.54}});
  const Answer answer = judged(family);
  EXPECT_EQ(answer.verdict, AnswerVerdict::kEquivalent);
  expect_contains(answer.sentence, "would have detected an AUC of 0.610 or more");
  EXPECT_EQ(answer.sentence.find("nothing to do"), std::string::npos);
  // One attack outside, on the margin, or undefined: no clearance.
  EXPECT_EQ(judged(family_with({{0.46, 0.54}, {0.4, 0.58}}, {{0.47, 0.53}, {0.43, 0.55}})).verdict,
            AnswerVerdict::kNotDecided);
  family.smallest_margin = 0.05;
  EXPECT_EQ(judged(family).verdict, AnswerVerdict::kNotDecided);
  family.smallest_margin.reset();
  EXPECT_EQ(judged(family).verdict, AnswerVerdict::kNotDecided);
}

TEST(AnswerTest, DetectableWithinTheMargin) {
  FamilyInference family = family_with({{0.505, 0.53}}, {{0.51, 0.525}});
  family.permutation.p_value = 0.001;
  EXPECT_EQ(judged(family).verdict, AnswerVerdict::kDetectableWithinMargin);
  family.permutation.tail_p_value = 0.001;
  EXPECT_EQ(judged(family).verdict, AnswerVerdict::kRemembered);
}

TEST(AnswerTest, NotDecidedSaysWhatWouldDecideIt) {
  const Answer answer = judged(family_with({{0.4, 0.6}}, {{0.42, 0.58}}));
  EXPECT_EQ(answer.verdict, AnswerVerdict::kNotDecided);
  expect_contains(answer.sentence, "smallest margin that it supports is 0.080; 0.05 was requested");
  expect_contains(answer.sentence, "75 forget and 80 holdout clusters (author) would decide it");
}

TEST(AnswerTest, UnevenClustersMakeTheStatedPowerDoubtful) {
  FamilyInference family = family_with({{0.4, 0.6}}, {{0.42, 0.58}});
  EXPECT_FALSE(has_reason(judged(family), "uneven_clusters"));
  family.cluster_evenness = 0.4;
  EXPECT_TRUE(has_reason(judged(family), "uneven_clusters"));
  // A finding says nothing about power.
  FamilyInference found = family_with({{0.6, 0.8}}, {{0.62, 0.78}});
  found.permutation.p_value = 0.01;
  found.cluster_evenness = 0.4;
  EXPECT_FALSE(has_reason(judged(found), "uneven_clusters"));
  // Examples that count as independent are no clusters, whatever their alternatives are.
  family.cluster_name.clear();
  EXPECT_FALSE(has_reason(judged(family), "uneven_clusters"));
}

TEST(AnswerTest, VoidOverridesEverything) {
  FamilyInference family = family_with({{0.9, 1}}, {{0.91, 1}});
  family.permutation.p_value = 0.001;
  const Answer answer = answer_of({.family = family,
                                   .forget_examples = 400,
                                   .holdout_examples = 400,
                                   .void_reasons = {{"overlap", "The sets overlap."}}});
  EXPECT_EQ(answer.verdict, AnswerVerdict::kVoid);
  expect_contains(answer.sentence, "The sets overlap.");
  for (MemberInference& member : family.members) member.constant = true;
  EXPECT_EQ(judged(family).verdict, AnswerVerdict::kVoid);
  EXPECT_TRUE(has_reason(judged(family), "constant_scores"));
}

TEST(AnswerTest, TooFewOrSuspectedDependenceIsNotDecided) {
  FamilyInference family = family_with({{0.9, 1}}, {{0.91, 1}});
  family.permutation.p_value = 0.001;
  const Answer few = answer_of({.family = family, .forget_examples = 9, .holdout_examples = 400});
  EXPECT_EQ(few.verdict, AnswerVerdict::kNotDecided);
  EXPECT_TRUE(has_reason(few, "too_few"));
  const Answer suspected =
      answer_of({.family = family,
                 .forget_examples = 400,
                 .holdout_examples = 400,
                 .suspected_dependence = AnswerReason{"dependence_suspected", "Neighbours."}});
  EXPECT_EQ(suspected.verdict, AnswerVerdict::kNotDecided);
  EXPECT_TRUE(has_reason(suspected, "dependence_suspected"));
  family.clusters.negatives = 4;
  const Answer clusters = judged(family);
  EXPECT_EQ(clusters.verdict, AnswerVerdict::kNotDecided);
  expect_contains(clusters.sentence, "in 20 and 4 clusters (author)");
}

TEST(AnswerTest, WithoutAnyAttackInTheFamilyNothingIsDecided) {
  FamilyInference family = family_with({{0.9, 1}}, {{0.91, 1}});
  family.members[0].in_family = false;
  const Answer answer = judged(family);
  EXPECT_EQ(answer.verdict, AnswerVerdict::kNotDecided);
  EXPECT_TRUE(has_reason(answer, "no_attack"));
}

TEST(AnswerTest, SurvivesItsOwnJson) {
  FamilyInference family = family_with({{0.6, 0.8}}, {{0.62, 0.78}});
  family.permutation.p_value = 0.001;
  family.icc = 0.1;
  const Answer answer = judged(family);
  const Answer back = answer_from_json(answer_to_json(answer), "mia.json");
  EXPECT_EQ(back.verdict, answer.verdict);
  EXPECT_EQ(back.sentence, answer.sentence);
  EXPECT_EQ(back.attack, answer.attack);
  EXPECT_EQ(back.attack_name, "attack0");
  EXPECT_EQ(back.smallest_margin, answer.smallest_margin);
  EXPECT_EQ(back.p_value, answer.p_value);
  EXPECT_EQ(back.clusters.key, "author");
  EXPECT_EQ(back.clusters.icc, 0.1);
  EXPECT_EQ(back.needed->negatives, 80);
  EXPECT_EQ(back.reasons, answer.reasons);
  EXPECT_EQ(answer_to_json(back), answer_to_json(answer));
  expect_contains(error_of([] { answer_from_json("{\"verdict\": \"fine\"}", "mia.json"); }),
                  "mia.json: the answer has no known verdict (found 'fine')");
  expect_contains(error_of([] { answer_from_json("[]", "mia.json"); }), "not an object");
}

// Answers of older versions say the title alone.
TEST(AnswerTest, TheNameIsTheTitleWithoutParameters) {
  const auto name_in = [](const std::string& attack) {
    return answer_from_json(R"({"verdict": "remembered", "attack": )" + attack + "}", "mia.json")
        .attack_name;
  };
  EXPECT_EQ(name_in("\"mia_min_k (k=0.2)\""), "mia_min_k");
  EXPECT_EQ(name_in("\"min_k:k=0.3\""), "min_k:k=0.3");
  EXPECT_EQ(name_in("null"), "");
  EXPECT_EQ(name_in(R"("loss", "attack_name": "mia_loss")"), "mia_loss");
}

TEST(AnswerTest, EveryVerdictHasANameOfItsOwn) {
  for (const char* name : {"remembered", "over_forgotten", "detectable_within_margin", "equivalent",
                           "not_decided", "void"}) {
    ASSERT_TRUE(verdict_named(name)) << name;
    EXPECT_EQ(name_of(*verdict_named(name)), name);
  }
  EXPECT_FALSE(verdict_named("No"));
}

// The whole chain on drawn audits with a known truth; the rates are those of tests that run longer.
TEST(AnswerTest, DrawnAuditsAreAnsweredRightly) {
  int64_t remembered = 0;
  int64_t false_alarms = 0;
  int64_t cleared = 0;
  constexpr int64_t kDrawnAudits = 40;
  for (int64_t i = 0; i < kDrawnAudits; ++i) {
    auto verdict = [&](const AuditTruth& truth) {
      const AuditScores audit = draw_audit(truth, Random(11).split(static_cast<uint64_t>(i)));
      return judged(infer_family(audit.members(), audit.clusters, {})).verdict;
    };
    if (verdict({.shift = 0.8}) == AnswerVerdict::kRemembered) ++remembered;
    const AnswerVerdict innocent = verdict({});
    if (innocent == AnswerVerdict::kRemembered || innocent == AnswerVerdict::kOverForgotten)
      ++false_alarms;
    if (verdict({.shift = 0.18}) == AnswerVerdict::kEquivalent) ++cleared;  // a true AUC of 0.55
  }
  EXPECT_EQ(remembered, kDrawnAudits);
  EXPECT_LE(false_alarms, 6);  // 5% of 40 are 2; more than 6 has a probability of 0.3%
  EXPECT_LE(cleared, 2);
}

}  // namespace
}  // namespace palimpsest::attack
