#include "palimpsest/eval/internal/conclusions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stop_token>

#include "palimpsest/base/error.h"
#include "tests/eval/log_setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

TEST(ConclusionsTest, AllAttacksOfTheListAnswerTogether) {
  LogSetup setup = audited(attacks({"mia_loss", "mia_min_k"}), {{"cluster_size", 10}},
                           {.seed = 1, .shift = 1.5});
  const Conclusions found = setup.conclude();
  ASSERT_TRUE(found.answer);
  EXPECT_EQ(found.answer->verdict, attack::AnswerVerdict::kRemembered);
  EXPECT_EQ(found.answer->clusters.key, "blocks of 10");
  EXPECT_EQ(found.answer->clusters.forget, 20);
  EXPECT_FALSE(found.answer->against_baseline);
  ASSERT_TRUE(found.clusters);
  EXPECT_EQ(found.clusters->forget.size(), 200U);
  EXPECT_EQ(found.clusters->forget[0].second, found.clusters->forget[9].second);
  EXPECT_NE(found.clusters->forget[9].second, found.clusters->forget[10].second);
  EXPECT_NE(found.clusters->forget[0].second, found.clusters->holdout[0].second);
}

// The sentence of the answer quotes this one, which holds for all attacks together.
TEST(ConclusionsTest, TheAdjustedIntervalIsTheOneOfTheAnswer) {
  LogSetup setup = audited(attacks({"mia_loss", "mia_min_k"}), {{"cluster_size", 10}},
                           {.seed = 1, .shift = 1.5});
  const Conclusions found = setup.conclude();
  ASSERT_EQ(found.simultaneous.size(), 2U);
  const stat::Interval adjusted = found.simultaneous.at(found.answer->attack_name);
  const stat::Interval own = found.intervals.at(found.answer->attack_name);
  EXPECT_LT(adjusted.low, own.low);
  EXPECT_GT(adjusted.high, own.high);
  expect_contains(found.answer->sentence, fmt::format("{:.3f}", adjusted.low));
}

TEST(ConclusionsTest, CanBeStopped) {
  LogSetup setup = audited(attacks({"mia_loss"}), {{"cluster_size", 10}}, {.seed = 1});
  std::stop_source source;
  source.request_stop();
  AttackFamilyInput input = setup.input();
  input.stop = source.get_token();
  EXPECT_THROW(draw_conclusions(input), Stopped);
}

TEST(ConclusionsTest, ContradictionsRaiseRedFlags) {
  LogSetup setup = audited(attacks({"mia_loss"}), {{"cluster_size", 10}}, {.seed = 1, .shift = 3});
  EXPECT_TRUE(setup.conclude().flags.empty());
  setup.add("forget_Q_A_ROUGE", {.agg_value = 0.1});
  const std::vector<attack::RedFlag> flags = setup.conclude().flags;
  ASSERT_EQ(flags.size(), 1U);
  EXPECT_EQ(flags[0].code, "collapse");
}

// The AUC of the flags is the one that the answer speaks of, also where the title names parameters.
TEST(ConclusionsTest, FlagsGoByTheAttackOfTheAnswer) {
  LogSetup setup =
      audited(attacks({"mia_loss", "mia_min_k"}), {{"cluster_size", 10}, {"primary", "mia_min_k"}},
              {.seed = 1, .shift = 3});
  setup.add("mia_loss", ScoreMaker{.seed = 2, .shift = 6}.attack(200));
  setup.add("forget_Q_A_ROUGE", {.agg_value = 0.1});
  const Conclusions found = setup.conclude();
  EXPECT_EQ(found.answer->attack, "mia_min_k (k=0.4)");
  EXPECT_EQ(found.answer->attack_name, "mia_min_k");
  ASSERT_EQ(found.flags.size(), 1U);
  expect_contains(found.flags[0].text,
                  fmt::format("(AUC {:.3f})", *setup.log.at("mia_min_k").agg_value));
}

// A handler of one's own that forgot the scores, or some of them.
TEST(ConclusionsTest, AnAttackWithoutItsScoresIsRefused) {
  LogSetup setup = audited(attacks({"mia_loss"}), Json::object(), {.seed = 1});
  const auto refusal = [&] { return error_of([&] { setup.conclude(); }); };
  setup.add("mia_loss", ScoreMaker{.seed = 1}.attack(199));
  expect_contains(refusal(), "the result of the attack mia_loss lacks the scores of its examples");
  setup.add("mia_loss", {.agg_value = 0.5});
  expect_contains(refusal(), "MetricResult::scored");
}

// A list without attacks has nothing to answer; without clusters none are recorded.
TEST(ConclusionsTest, NoAttackNoAnswer) {
  LogSetup without(
      {{"p", {{"handler", "probability"}, {"datasets", {{"D", file_of_records("x")}}}}}},
      Json::object());
  without.add_data("x", 3);
  EXPECT_FALSE(without.conclude().answer);
  LogSetup independent = audited(attacks({"mia_loss"}), Json::object(), {.seed = 2});
  EXPECT_TRUE(independent.conclude().answer);
  EXPECT_FALSE(independent.conclude().clusters);
}

// Where the list names no attack itself, those that its metrics are made of answer.
TEST(ConclusionsTest, PreComputedAttacksStandIn) {
  Json part = attack_config("mia_min_k", {{"k", 0.4}});
  part["access_key"] = "forget";
  const Json privleak = {
      {"handler", "privleak"}, {"ref_value", 0.5}, {"pre_compute", {{"mia_min_k", part}}}};
  LogSetup alone = audited({{"privleak", privleak}}, Json::object(), {.seed = 1, .shift = 2});
  EXPECT_EQ(alone.conclude().answer->attack, "mia_min_k (k=0.4)");
  LogSetup beside = audited({{"privleak", privleak}, {"mia_loss", attack_config("mia_loss")}},
                            Json::object(), {.seed = 1, .shift = 2});
  EXPECT_EQ(beside.conclude().answer->attack, "mia_loss");
}

TEST(ConclusionsTest, APrimaryAttackAnswersAlone) {
  LogSetup setup = audited(attacks({"mia_loss", "mia_zlib"}), {{"primary", "mia_zlib"}},
                           {.seed = 3, .shift = 0});
  setup.add("mia_loss", ScoreMaker{.seed = 3, .shift = 2}.attack(200));
  EXPECT_NE(setup.conclude().answer->verdict, attack::AnswerVerdict::kRemembered);
  const std::string message = error_of([] {
    LogSetup(attacks({"mia_loss"}), {{"primary", "mia_zlib"}});
  });
  expect_contains(message, "'mia_zlib'");
  expect_contains(message, "one of mia_loss");
}

// Twenty questions about an author who happens to be well known are one author: with clusters the
// interval of the same scores is wider.
TEST(ConclusionsTest, ClustersWidenTheIntervalOfAnAuc) {
  const ScoreMaker maker{.seed = 4, .shift = 0, .shared = 0.7, .size = 20};
  const auto width = [&](const Json& settings) {
    const stat::Interval interval =
        audited(attacks({"mia_loss"}), settings, maker).conclude().intervals.at("mia_loss");
    return interval.high - interval.low;
  };
  EXPECT_GT(width({{"cluster_size", 20}}), 1.5 * width(Json::object()));
}

// The first retain log is the baseline where it has the attacks; then differences are judged.
TEST(ConclusionsTest, TheRetainLogIsTheBaseline) {
  const ScoreMaker remembers{.seed = 5, .shift = 1.5};
  LogSetup setup = audited(attacks({"mia_loss", "mia_min_k"}), {{"cluster_size", 10}}, remembers);
  // The retrained model tells the sets apart as well: an old holdout set.
  const ScoreMaker alike{.seed = 6, .shift = 1.5};
  setup.plan.retain_logs = {
      setup.retain_log("R", {{"mia_loss", alike.attack(200)}, {"mia_min_k", alike.attack(200)}})};
  const Conclusions found = setup.conclude();
  EXPECT_TRUE(found.answer->against_baseline);
  EXPECT_NE(found.answer->verdict, attack::AnswerVerdict::kRemembered);
  EXPECT_TRUE(found.notes.empty() || !any_contains(found.notes, "baseline"));
}

TEST(ConclusionsTest, ABaselineMustFitEveryAttack) {
  LogSetup setup = audited(attacks({"mia_loss", "mia_min_k"}), Json::object(), {.seed = 7});
  const ScoreMaker other{.seed = 8};
  RetainLog log =
      setup.retain_log("R", {{"mia_loss", other.attack(200)}, {"mia_min_k", other.attack(200)}});
  log.record->metrics["mia_min_k"].parameters = AttackParameters{{"k", 0.2}};
  setup.plan.retain_logs = {log};
  Conclusions found = setup.conclude();
  EXPECT_FALSE(found.answer->against_baseline);
  EXPECT_TRUE(any_contains(found.notes, "mia_min_k (k=0.2)"));
  EXPECT_TRUE(any_contains(found.notes, "not used as a baseline"));
  // Other examples.
  setup.plan.retain_logs = {
      setup.retain_log("R", {{"mia_loss", other.attack(150)}, {"mia_min_k", other.attack(150)}})};
  EXPECT_TRUE(any_contains(setup.conclude().notes, "lacks examples of mia_loss"));
  // The model itself.
  setup.plan.retain_logs = {setup.retain_log("R", setup.log, "model")};
  found = setup.conclude();
  EXPECT_FALSE(found.answer->against_baseline);
  EXPECT_TRUE(any_contains(found.notes, "evaluated model itself"));
}

// Of these examples there would be no difference, and a log that lacks them was perhaps cut short.
TEST(ConclusionsTest, ABaselineHasEveryScoreThatTheModelHas) {
  LogSetup setup = audited(attacks({"mia_loss"}), Json::object(), {.seed = 7});
  const auto without = [](MetricResult result, size_t example) {
    attack::SetScores& forget = result.scored->forget;
    forget.scores[example].reset();
    forget = attack::set_scores(forget.keys, std::move(forget.scores));
    return result;
  };
  const MetricResult other = ScoreMaker{.seed = 8}.attack(200);
  setup.plan.retain_logs = {setup.retain_log("R", {{"mia_loss", without(other, 3)}})};
  Conclusions found = setup.conclude();
  EXPECT_FALSE(found.answer->against_baseline);
  EXPECT_TRUE(any_contains(found.notes, "lacks the scores of examples of mia_loss"));
  // The model has none there either.
  setup.add("mia_loss", without(setup.log.at("mia_loss"), 3));
  found = setup.conclude();
  EXPECT_TRUE(found.answer->against_baseline);
  EXPECT_FALSE(any_contains(found.notes, "lacks"));
}

class ReferenceAttackTest : public testing::Test {
 protected:
  ReferenceAttackTest() {
    Json metrics = attacks({"mia_loss"});
    metrics["mia_reference"] =
        attack_config("mia_reference", {{"reference_model_path", "reference"}});
    setup_ = std::make_unique<LogSetup>(metrics);
    setup_->add_data("forget", 100);
    setup_->add_data("holdout", 100);
    setup_->add("mia_loss", ScoreMaker{.seed = 9}.attack(100));
  }

  // The reference attack says "remembered" loudly; the reference's own losses are as given.
  Conclusions with_reference(const ScoreMaker& own) {
    MetricResult result = ScoreMaker{.seed = 10, .shift = 2}.attack(100);
    result.reference = own.attack(100).scored;
    setup_->add("mia_reference", std::move(result));
    setup_->records["mia_reference"].source.reference_fingerprint = reference_;
    return setup_->conclude();
  }

  std::unique_ptr<LogSetup> setup_;
  std::string reference_ = "reference";
};

TEST_F(ReferenceAttackTest, AFairReferenceTakesPart) {
  const Conclusions found = with_reference({.seed = 13, .shift = -0.1});
  EXPECT_EQ(found.answer->verdict, attack::AnswerVerdict::kRemembered);
  EXPECT_EQ(found.answer->attack, "mia_reference");
}

TEST_F(ReferenceAttackTest, AReferenceThatKnowsTheForgetSetDoesNot) {
  const Conclusions found = with_reference({.seed = 13, .shift = 2});
  EXPECT_NE(found.answer->verdict, attack::AnswerVerdict::kRemembered);
  EXPECT_TRUE(any_contains(found.notes, "tells the forget set from the holdout set itself"));
  // Its number keeps an interval.
  EXPECT_TRUE(found.intervals.contains("mia_reference"));
}

TEST_F(ReferenceAttackTest, TheModelItselfOrAnUnknownOneDoesNot) {
  reference_ = "model";
  EXPECT_TRUE(any_contains(with_reference({.seed = 13}).notes, "evaluated model itself"));
  reference_ = "reference";
  setup_->log["mia_reference"].reference.reset();
  setup_->records["mia_reference"].source.reference_fingerprint = reference_;
  EXPECT_TRUE(any_contains(setup_->conclude().notes, "does not tell whether"));
}

// Its scores are differences from the baseline model already.
TEST_F(ReferenceAttackTest, TheBaselineAsReferenceDoesNot) {
  with_reference({.seed = 13, .shift = -0.1});
  setup_->plan.retain_logs = {
      setup_->retain_log("R", {{"mia_loss", ScoreMaker{.seed = 11}.attack(100)}}, "reference")};
  const Conclusions found = setup_->conclude();
  EXPECT_TRUE(found.answer->against_baseline);
  EXPECT_TRUE(any_contains(found.notes, "is the baseline"));
}

}  // namespace
}  // namespace palimpsest::eval
