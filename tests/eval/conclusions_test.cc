#include "palimpsest/eval/internal/conclusions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stop_token>

#include "palimpsest/base/error.h"
#include "palimpsest/eval/evaluate.h"
#include "palimpsest/stat/clustered_mean.h"
#include "tests/eval/log_setup.h"
#include "tests/support/expect_error.h"
#include "tests/support/own_clusters.h"

namespace palimpsest::eval {
namespace {

Json attacks(const std::vector<std::string>& handlers) {
  Json metrics = Json::object();
  for (const std::string& handler : handlers) {
    metrics[handler] = attack_config(handler, {{"k", 0.4}, {"p", 2}});
  }
  return metrics;
}

// `count` examples of each set, all attacks with the same maker.
LogSetup audited(const Json& metrics, const Json& settings, const ScoreMaker& maker,
                 size_t count = 200) {
  LogSetup setup(metrics, settings);
  setup.add_data("forget", count);
  setup.add_data("holdout", count);
  for (const MetricNode& node : setup.plan.graph.nodes) {
    if (node.handler->is_attack()) setup.add(node.setting.name, maker.attack(count));
  }
  return setup;
}

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

Json mean_metric(const std::string& file) {
  return {{"handler", "exact_memorization"}, {"datasets", {{"D", file_of_records(file)}}}};
}

MetricResult mean_result(const std::vector<double>& scores) {
  MetricResult result = with_scores_of(scores);
  double sum = 0;
  for (const double score : scores) sum += score;
  result.agg_value = sum / static_cast<double>(scores.size());
  return result;
}

TEST(ConclusionsTest, MeansHaveTheirClustersJackknife) {
  const std::vector<double> scores = {0.1, 0.2, 0.9, 0.8, 0.4, 0.5, 0.3, 0.7};
  LogSetup setup({{"em", mean_metric("forget")}}, {{"cluster_size", 2}});
  setup.add_data("forget", 8);
  setup.add("em", mean_result(scores));
  const stat::Interval expected = stat::mean_interval(
      *stat::clustered_mean(scores, std::vector<int64_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_NEAR(setup.conclude().intervals.at("em").low, std::max(0.0, expected.low), 1e-12);
  EXPECT_NEAR(setup.conclude().intervals.at("em").high, std::min(1.0, expected.high), 1e-12);
}

// The utility's interval against the delta method: with h = 2/(1/a + 1/b) of independent means,
// Var h = (h²/2a²)² Var a + (h²/2b²)² Var b.
TEST(ConclusionsTest, CompositesLeaveAClusterOutOfAllParts) {
  const Json parts = {{"a", mean_metric("one")}, {"b", mean_metric("two")}};
  LogSetup setup({{"utility", {{"handler", "hm_aggregate"}, {"pre_compute", parts}}}},
                 Json::object());
  Random random(3);
  std::vector<double> one;
  std::vector<double> two;
  for (int i = 0; i < 400; ++i) {
    one.push_back(random.uniform());
    two.push_back(0.5 + 0.5 * random.uniform());
  }
  setup.add_data("one", 400);
  setup.add_data("two", 400);
  setup.add("a", mean_result(one));
  setup.add("b", mean_result(two));
  const double a = *setup.log["a"].agg_value;
  const double b = *setup.log["b"].agg_value;
  const double h = 2 / (1 / a + 1 / b);
  MetricResult utility;
  utility.agg_value = h;
  setup.add("utility", utility);
  const double da =
      h * h / (2 * a * a) * std::sqrt(stat::clustered_mean(one, own_clusters(one))->variance);
  const double db =
      h * h / (2 * b * b) * std::sqrt(stat::clustered_mean(two, own_clusters(two))->variance);
  const stat::Interval interval = setup.conclude().intervals.at("utility");
  EXPECT_NEAR((interval.high - interval.low) / 2, 1.965 * std::hypot(da, db), 2e-4);
  EXPECT_NEAR((interval.high + interval.low) / 2, h, 1e-9);
}

Json retained_by(const Json& handler_part, const std::string& name, const std::string& handler) {
  Json part = handler_part;
  part["access_key"] = "forget";
  return {{"handler", handler},
          {"ref_value", 0.5},
          {"pre_compute", {{name, part}}},
          {"reference_logs",
           {{"retain_model_logs",
             {{"path", nullptr}, {"include", {{name, {{"access_key", "retain"}}}}}}}}}};
}

// The log of another program may lack most of the examples from which its number came.
TEST(ConclusionsTest, MissingValuesOfTheRetainModelAreNoted) {
  const auto notes_with = [](const MetricResult& retain, const Json& settings) {
    LogSetup setup =
        audited({{"privleak", retained_by(attack_config("mia_loss"), "mia_loss", "privleak")}},
                settings, {.seed = 14, .shift = 1});
    setup.add("privleak", {.agg_value = 1});
    for (MetricNode& node : setup.plan.graph.nodes) {
      if (node.setting.name == "privleak")
        node.setting.reference_logs["retain_model_logs"]["retain"] = retain;
    }
    return setup.conclude().notes;
  };
  const Json independent = Json::object();
  const MetricResult whole = ScoreMaker{.seed = 15, .shift = 0}.attack(200);
  EXPECT_FALSE(any_contains(notes_with(whole, independent), "privleak"));
  MetricResult part = whole;
  for (size_t i = 3; i < 200; ++i) part.scored->forget.scores[i].reset();
  EXPECT_TRUE(any_contains(notes_with(part, independent),
                           "privleak: the log of the retain model has no value of mia_loss for 197 "
                           "of 400 examples: the interval compares the models on different"));
  // All forget scores that are there belong to one cluster, so none can be left out.
  EXPECT_TRUE(any_contains(notes_with(part, {{"cluster_size", 10}}), "number as exact"));
  EXPECT_TRUE(any_contains(notes_with({.agg_value = whole.agg_value}, independent), "as exact"));
}

// The retain model's own uncertainty counts where its examples are known, and cancels where both
// models find the same examples hard.
TEST(ConclusionsTest, PrivleakComparesOnTheSameClusters) {
  LogSetup setup =
      audited({{"privleak", retained_by(attack_config("mia_loss"), "mia_loss", "privleak")}},
              Json::object(), {.seed = 14, .shift = 1});
  MetricResult value;
  value.agg_value = 1;
  setup.add("privleak", value);
  const stat::Interval fixed = setup.conclude().intervals.at("privleak");
  EXPECT_GT(fixed.high - fixed.low, 1);
  for (MetricNode& node : setup.plan.graph.nodes) {
    if (node.setting.name != "privleak") continue;
    node.setting.reference_logs["retain_model_logs"]["retain"] = setup.log.at("mia_loss");
  }
  // The same scores: no difference whatever is left out.
  EXPECT_FALSE(setup.conclude().intervals.contains("privleak"));
  for (MetricNode& node : setup.plan.graph.nodes) {
    if (node.setting.name != "privleak") continue;
    node.setting.reference_logs["retain_model_logs"]["retain"] =
        ScoreMaker{.seed = 15, .shift = 0}.attack(200);
  }
  const stat::Interval both = setup.conclude().intervals.at("privleak");
  EXPECT_LT(both.high, 0);  // plainly remembered: AUC near 0.76 against 0.5
  EXPECT_GE(both.low, -100);
}

TEST(ConclusionsTest, ForgetQualityHasAnEffectBesideIt) {
  LogSetup setup({{"quality", retained_by(mean_metric("forget"), "ratio", "ks_test")}},
                 {{"cluster_size", 2}});
  setup.add_data("forget", 8);
  const std::vector<double> ours = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<double> theirs = {0, 1, 3, 3, 4, 4, 6, 6};
  setup.add("ratio", mean_result(ours));
  setup.add("quality", {.agg_value = 0.9});
  EXPECT_TRUE(setup.conclude().quality.empty());  // no retain log
  for (MetricNode& node : setup.plan.graph.nodes) {
    if (node.setting.name != "quality") continue;
    node.setting.reference_logs["retain_model_logs"]["retain"] = mean_result(theirs);
  }
  const ForgetQuality found = setup.conclude().quality.at("quality");
  EXPECT_DOUBLE_EQ(found.mean_difference, 9.0 / 8);
  EXPECT_DOUBLE_EQ(found.ks_distance, 0.25);
  EXPECT_EQ(found.examples, 8);
  const std::vector<double> differences = {1, 1, 0, 1, 1, 2, 1, 2};
  const stat::Interval expected = stat::mean_interval(
      *stat::clustered_mean(differences, std::vector<int64_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  ASSERT_TRUE(found.interval);
  EXPECT_NEAR(found.interval->low, expected.low, 1e-12);
  EXPECT_NEAR(found.interval->high, expected.high, 1e-12);
}

TEST(ConclusionsTest, SeveralRetrainedModelsAreTheNull) {
  Json metrics = attacks({"mia_loss"});
  metrics["quality"] = retained_by(mean_metric("forget"), "ratio", "ks_test");
  metrics["privleak"] = retained_by(attack_config("mia_zlib"), "mia_zlib", "privleak");
  LogSetup setup = audited(metrics, Json::object(), {.seed = 16, .shift = 2});
  setup.add("ratio", mean_result(ScoreMaker{.seed = 17, .shift = 2}.forget(200)));
  setup.add("quality", {.agg_value = 0.9});
  setup.add("privleak", {.agg_value = -90});
  const auto retrained = [&](uint64_t seed) {
    const ScoreMaker maker{.seed = seed};
    return setup.retain_log("R", {{"mia_loss", maker.attack(200)},
                                  {"mia_zlib", maker.attack(200)},
                                  {"ratio", mean_result(maker.forget(200))}});
  };
  setup.plan.retain_logs = {retrained(18)};
  EXPECT_FALSE(setup.conclude().retrained);  // one tells nothing of this kind
  setup.plan.retain_logs = {retrained(18), retrained(19), retrained(20)};
  const Conclusions found = setup.conclude();
  ASSERT_TRUE(found.retrained);
  EXPECT_EQ(found.retrained->logs, 3);
  std::vector<std::string> compared;
  for (const RetrainedComparison& one : found.retrained->comparisons) {
    compared.push_back(one.metric);
    EXPECT_FALSE(one.is_within()) << one.metric;
    EXPECT_DOUBLE_EQ(one.p_value, 0.25) << one.metric;
  }
  EXPECT_EQ(compared, (std::vector<std::string>{"quality", "privleak", "mia_loss"}));
  Evaluation evaluation;
  evaluation.run.retrained = found.retrained;
  const std::string text = conclusions_text(evaluation);
  expect_contains(text, "retrained ones");
  expect_contains(text, "more than they differ");
  expect_contains(found.retrained->sentence(), "by quality, privleak, mia_loss;");
}

}  // namespace
}  // namespace palimpsest::eval
