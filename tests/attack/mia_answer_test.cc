// What the answer of a whole audit is drawn from: `mia` from scores to verdict.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/attack/mia.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

const AttackTable& only_loss() {
  static const AttackTable table = select_attacks(default_attack_table(), "loss");
  return table;
}

bool notes_say(const MiaReport& report, const std::string& part) {
  return std::any_of(report.notes.begin(), report.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

Answer answer_with(const TraceScores& forget, const TraceScores& holdout,
                   const MiaOptions& options = {}) {
  return mia({.attacks = only_loss(), .forget = forget, .holdout = holdout}, options).answer;
}

bool gives_reason(const Answer& answer, const std::string& code) {
  return std::ranges::any_of(answer.reasons,
                             [&](const AnswerReason& reason) { return reason.code == code; });
}

TEST(MiaAnswerTest, SetsThatOverlapAreVoidUnlessAllowed) {
  TraceScores forget = normal_set(1, 20, 0);
  TraceScores holdout = normal_set(2, 20, 0);
  Random random(3);
  for (size_t i = 0; i < 20; ++i) {
    forget.facts[i].text = random_text(random, 10);
    holdout.facts[i].text = i < 7 ? forget.facts[i].text : random_text(random, 10);
  }
  const Answer overlapping = answer_with(forget, holdout);
  EXPECT_EQ(overlapping.verdict, AnswerVerdict::kVoid);
  EXPECT_TRUE(gives_reason(overlapping, "overlap"));
  const Answer allowed = answer_with(forget, holdout, {.allow_overlap = true});
  EXPECT_FALSE(gives_reason(allowed, "overlap"));
  expect_contains(error_of([&] { answer_with(forget, forget); }),
                  "every text of one set is also in the other one");
}

TEST(MiaAnswerTest, TheAnswerIsRememberedOnlyWhereItIs) {
  const MiaOptions independent{.clusters = {.independent = true}};
  const Answer remembered = answer_with(normal_set(1, 200, 0), normal_set(2, 200, 1), independent);
  EXPECT_EQ(remembered.verdict, AnswerVerdict::kRemembered);
  EXPECT_EQ(remembered.attack, "loss");
  const Answer unknown = answer_with(normal_set(3, 200, 0), normal_set(4, 200, 0), independent);
  EXPECT_EQ(unknown.verdict, AnswerVerdict::kNotDecided);
  ASSERT_TRUE(unknown.needed);
  EXPECT_GT(unknown.needed->positives, 200);
}

TEST(MiaAnswerTest, EightExamplesDecideNothing) {
  const Answer answer = answer_with(normal_set(1, 8, 0), normal_set(2, 8, 9));
  EXPECT_EQ(answer.verdict, AnswerVerdict::kNotDecided);
  EXPECT_TRUE(gives_reason(answer, "too_few"));
}

TEST(MiaAnswerTest, ConstantScoresAreVoid) {
  const TraceScores constant = set_of(ScoreColumn(50, 1.5));
  const MiaReport report =
      mia({.attacks = only_loss(), .forget = constant, .holdout = constant}, {});
  EXPECT_EQ(report.answer.verdict, AnswerVerdict::kVoid);
  EXPECT_TRUE(gives_reason(report.answer, "constant_scores"));
  EXPECT_FALSE(report.outcomes[0].auc_ci);
}

TEST(MiaAnswerTest, ClustersWidenTheInterval) {
  TraceScores forget = normal_set(1, 200, 0);
  TraceScores holdout = normal_set(2, 200, 0.4);
  for (TraceScores* set : {&forget, &holdout}) {
    Random random(set == &forget ? 5 : 6);
    double author = 0;
    for (size_t i = 0; i < 200; ++i) {
      if (i % 20 == 0) author = random.normal();
      *set->columns[0][i] += author;
      set->facts[i].groups["author"] =
          fmt::format("{} {}", set == &forget ? "forget" : "holdout", i / 20);
    }
  }
  auto outcome = [&](const MiaOptions& options) {
    return mia({.attacks = only_loss(), .forget = forget, .holdout = holdout}, options);
  };
  const MiaReport by_key = outcome({.clusters = {.key = "author"}});
  const MiaReport by_size = outcome({.clusters = {.size = 20}});
  const MiaReport independent = outcome({.clusters = {.independent = true}});
  auto width = [](const MiaReport& report) {
    return report.outcomes[0].auc_ci->high - report.outcomes[0].auc_ci->low;
  };
  EXPECT_EQ(*by_key.outcomes[0].auc_ci, *by_size.outcomes[0].auc_ci);
  EXPECT_GT(width(by_key), 1.5 * width(independent));
  EXPECT_FALSE(by_key.outcomes[0].auc_ci_delong);
  EXPECT_TRUE(independent.outcomes[0].auc_ci_delong);
  EXPECT_EQ(by_key.answer.clusters.forget, 10);
  EXPECT_GT(*by_key.answer.clusters.design_effect, 2);
  EXPECT_EQ(by_key.outcomes[0].clusters.size(), 10U);
  // Nobody said anything: then neighbours that score alike are noticed.
  EXPECT_TRUE(gives_reason(outcome({}).answer, "dependence_suspected"));
}

TEST(MiaAnswerTest, ASuspicionQuotesNoWordUnlessItMay) {
  TraceScores forget = normal_set(1, 200, 0);
  TraceScores holdout = normal_set(2, 200, 0);
  Random random(3);
  for (TraceScores* set : {&forget, &holdout}) {
    for (size_t i = 0; i < 200; ++i) {
      set->facts[i].text = fmt::format("{} zorblatt{}", random_text(random, 10), i / 20);
    }
  }
  const Answer open = answer_with(forget, holdout);
  EXPECT_NE(answer_to_json(open).find("zorblatt"), std::string::npos);
  const Answer silent = answer_with(forget, holdout, {.quotes_words = false});
  EXPECT_TRUE(gives_reason(silent, "dependence_suspected"));
  EXPECT_EQ(answer_to_json(silent).find("zorblatt"), std::string::npos);
}

TEST(MiaAnswerTest, BootstrapIntervalsAreMadeOnRequestAndWithEnoughClusters) {
  const TraceScores forget = normal_set(1, 60, 0);
  const TraceScores holdout = normal_set(2, 60, 1);
  auto report = [&](const MiaOptions& options) {
    return mia({.attacks = only_loss(), .forget = forget, .holdout = holdout}, options);
  };
  EXPECT_FALSE(report({}).outcomes[0].auc_ci_bootstrap);
  EXPECT_TRUE(report({.bootstrap = {.resamples = 200}}).outcomes[0].auc_ci_bootstrap);
  const MiaReport few = report({.bootstrap = {.resamples = 200}, .clusters = {.size = 2}});
  EXPECT_FALSE(few.outcomes[0].auc_ci_bootstrap);
  EXPECT_TRUE(notes_say(few, "no bootstrap intervals"));
}

TEST(MiaAnswerTest, APrimaryAttackAnswersAlone) {
  const AttackTable attacks = select_attacks(default_attack_table(), "loss,min_k");
  TraceScores forget = normal_set(1, 200, 0);
  TraceScores holdout = normal_set(2, 200, 0);
  forget.columns.push_back(normal_set(3, 200, 0).columns[0]);
  holdout.columns.push_back(normal_set(4, 200, 2).columns[0]);
  forget.lacking.push_back("");
  holdout.lacking.push_back("");
  auto report = [&](const std::string& primary) {
    return mia({.attacks = attacks, .forget = forget, .holdout = holdout},
               {.clusters = {.independent = true}, .primary = primary});
  };
  EXPECT_EQ(report("").answer.verdict, AnswerVerdict::kRemembered);
  const MiaReport primary = report("loss");
  EXPECT_EQ(primary.answer.verdict, AnswerVerdict::kNotDecided);
  EXPECT_FALSE(primary.outcomes[1].in_family);
  EXPECT_TRUE(primary.outcomes[1].auc_ci);
  EXPECT_FALSE(primary.outcomes[1].auc_ci_simultaneous);
  expect_contains(error_of([&] { report("zlib"); }), "the primary attack 'zlib'");
}

TEST(MiaAnswerTest, AReferenceThatKnowsTheForgetSetTakesNoPart) {
  const AttackTable attacks = select_attacks(default_attack_table(), "loss,reference");
  TraceScores forget = normal_set(1, 200, 0);
  TraceScores holdout = normal_set(2, 200, 0.5);
  for (TraceScores* set : {&forget, &holdout}) {
    // The model before unlearning: it knows the forget set far better.
    set->reference_loss = normal_set(7, 200, set == &forget ? 0 : 3).columns[0];
    set->reference_model = "original";
    set->columns.emplace_back();
    for (size_t i = 0; i < 200; ++i)
      set->columns[1].push_back(*set->columns[0][i] - *set->reference_loss[i]);
    set->lacking.push_back("");
  }
  const MiaReport report = mia({.attacks = attacks, .forget = forget, .holdout = holdout},
                               {.clusters = {.independent = true}});
  EXPECT_LT(*report.outcomes[1].auc, 0.3);  // looks over-forgotten, and is not
  EXPECT_FALSE(report.outcomes[1].in_family);
  EXPECT_EQ(report.answer.verdict, AnswerVerdict::kRemembered);
  EXPECT_TRUE(notes_say(report, "reference takes no part in the answer"));
}

TEST(MiaAnswerTest, SetsThatTheTextsAloneTellApartAreVoid) {
  TraceScores forget = normal_set(1, 60, 0);
  TraceScores holdout = normal_set(2, 60, 0);
  Random random(5);
  for (size_t i = 0; i < 60; ++i) {
    forget.facts[i].text = random_text(random, 10) + " once upon a time";
    holdout.facts[i].text = random_text(random, 10);
  }
  const MiaReport report = mia({.attacks = only_loss(), .forget = forget, .holdout = holdout}, {});
  ASSERT_TRUE(report.blind);
  EXPECT_TRUE(report.blind->separates(0.05));
  EXPECT_EQ(report.answer.verdict, AnswerVerdict::kVoid);
  EXPECT_TRUE(gives_reason(report.answer, "texts_differ"));
  expect_contains(report.answer.sentence, "upon");
  const MiaReport unasked = mia({.attacks = only_loss(), .forget = forget, .holdout = holdout},
                                {.blind_baseline = false});
  EXPECT_FALSE(unasked.blind);
  EXPECT_FALSE(gives_reason(unasked.answer, "texts_differ"));
  EXPECT_TRUE(
      notes_say(mia({.attacks = only_loss(), .forget = set_of({1}), .holdout = set_of({2})}, {}),
                "no blind baseline: it needs at least 20"));
}

}  // namespace
}  // namespace palimpsest::attack
