// An attack of one's own, from outside: a row in a copy of the attack table is a metric of an
// evaluation and a row of its page.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "palimpsest/report/page/report_page.h"
#include "tests/eval/evaluate_fixture.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

class OwnAttackTest : public EvaluateTest {
 protected:
  // The default table and an attack that counts its calls: a lambda that captures.
  attack::AttackTable attacks() const {
    attack::AttackTable table = attack::default_attack_table();
    table.push_back({.name = "least_likely",
                     .measures = "weight times the loss of the least likely token",
                     .parameters = {{.name = "weight",
                                     .meaning = "what the loss is multiplied by",
                                     .default_value = 1,
                                     .range = {.expected = "a positive number",
                                               .contains = [](double w) { return w > 0; }}}},
                     .needs = {attack::needs_logprob()},
                     .score = [calls = calls_](const trace::Trace& trace,
                                               const attack::ParameterValues& values) {
                       ++*calls;
                       const std::span<const double> tokens = trace::token_logprobs(trace);
                       if (tokens.empty()) return std::optional<double>();
                       return std::optional(-attack::parameter_value(values, "weight") *
                                            *std::ranges::min_element(tokens));
                     }});
    table.push_back({.name = "gain",
                     .measures = "loss of the reference model minus the model's",
                     .needs = {attack::needs_loss()},
                     .reference_needs = {attack::needs_loss()},
                     .compare = [](const trace::Trace& trace, const trace::Trace& reference,
                                   const attack::ParameterValues&) -> std::optional<double> {
                       return *trace::avg_loss(trace) - *trace::avg_loss(reference);
                     }});
    return table;
  }

  Json metrics() const {
    Json own = mia("mia_least_likely");
    own["weight"] = 3;
    Json gain = mia("mia_gain");
    gain["reference_model_path"] = (folder_.path() / "reference").string();
    return {{"mia_loss", mia("mia_loss")}, {"mia_least_likely", own}, {"mia_gain", gain}};
  }

  // The table of handlers is gone when the evaluation is done: nothing refers to it any more.
  Evaluation evaluate_own(const Json& metrics) {
    return evaluate_config(folder_.config(metrics),
                           {.loader = loader_, .handlers = make_handler_table(attacks())})
        .at(0);
  }

  const std::shared_ptr<int64_t> calls_ = std::make_shared<int64_t>(0);
};

TEST_F(OwnAttackTest, IsAMetricOfTheLog) {
  const Evaluation done = evaluate_own(metrics());
  EXPECT_EQ(*calls_, 8);  // once per example of both sets
  const Json written = log();
  ASSERT_TRUE(written["mia_least_likely"]["agg_value"].is_number());
  EXPECT_EQ(written["mia_least_likely"]["forget"]["value_by_index"].size(), 4U);
  EXPECT_TRUE(written["mia_gain"]["holdout"]["value_by_index"]["0"]["score"].is_number());
  EXPECT_EQ(record()["metrics"]["mia_least_likely"]["parameters"]["weight"], 3);
  expect_contains(results_table(done), "mia_least_likely (weight=3)");
  EXPECT_TRUE(done.run.answer);
}

TEST_F(OwnAttackTest, IsARowOfThePage) {
  evaluate_own(metrics());
  const report::Report report =
      report::make_report({folder_.path() / "out"}, {.attacks = attacks()});
  const report::PageData page = report::report_page(report);
  ASSERT_FALSE(page.tables.empty());
  for (const char* name : {"mia_loss", "mia_least_likely (weight=3)", "mia_gain"}) {
    EXPECT_TRUE(std::ranges::any_of(page.tables.front().rows, [&](const auto& row) {
      return row[0].small == name;
    })) << name;
  }
}

TEST_F(OwnAttackTest, ItsParametersAreKeysOfTheConfiguration) {
  Json wrong = metrics();
  wrong["mia_least_likely"]["weight"] = 0;
  const std::string message = error_of([&] { evaluate_own(wrong); });
  expect_contains(message, "least_likely's weight is 0 (expected a positive number)");
  expect_contains(message, "test.yaml");
  Json alone = metrics();
  alone["mia_gain"].erase("reference_model_path");
  expect_contains(error_of([&] { evaluate_own(alone); }), "'reference_model_path'");
  EXPECT_EQ(*calls_, 0);
}

// As for the attacks of the library.
TEST_F(OwnAttackTest, AParameterThatIsNotGivenHasItsDefault) {
  Json without = metrics();
  without["mia_least_likely"].erase("weight");
  EXPECT_NO_THROW(evaluate_own(without));
  EXPECT_GT(*calls_, 0);
}

// The traces of an evaluation have no such field.
TEST_F(OwnAttackTest, ANeedThatIsNotMetIsNamed) {
  attack::AttackTable table = attack::default_attack_table();
  table.push_back({.name = "needy",
                   .measures = "nothing",
                   .needs = {{.name = "'entropy'",
                              .is_met = [](const trace::Trace&,
                                           const attack::ParameterValues&) { return false; }}},
                   .score = [](const trace::Trace&, const attack::ParameterValues&) {
                     return std::optional(0.0);
                   }});
  const Json config = folder_.config({{"needy", mia("mia_needy")}});
  const HandlerTable handlers = make_handler_table(table);
  const std::string message =
      error_of([&] { evaluate_config(config, {.loader = loader_, .handlers = handlers}); });
  expect_contains(message, "lacks 'entropy', which the attack needy needs");
}

// A handler of an attack need not come from the table of attacks, nor be called like one that does.
class OwnAttackHandlerTest : public EvaluateTest {
 protected:
  Evaluation evaluate_with(const Handler& handler) {
    HandlerTable handlers = default_handler_table();
    handlers.push_back(handler);
    return evaluate_config(folder_.config({{"lengths", mia("lengths")}}),
                           {.loader = loader_, .handlers = handlers})
        .at(0);
  }

  static attack::SetScores lengths_of(const PreparedData& data) {
    std::vector<std::string> keys;
    attack::ScoreColumn scores;
    for (const data::Example& example : data.examples) {
      keys.push_back(example.index);
      scores.push_back(static_cast<double>(example.ids.size()));
    }
    return attack::set_scores(std::move(keys), std::move(scores));
  }

  static MetricResult compare_lengths(const MetricInput& input) {
    attack::ScoredAttack scored{.attack = "length",
                                .forget = lengths_of(*input.data.at("forget")),
                                .holdout = lengths_of(*input.data.at("holdout"))};
    scored.auc = attack::auc_of(scored);
    return {.agg_value = scored.auc, .scored = scored};
  }

  Handler handler_ = {.name = "lengths",
                      .measures = "AUC of the lengths of the texts",
                      .needs =
                          [](const MetricSetting&) {
                            return MetricNeeds{.data = {"forget", "holdout"}, .traces = true};
                          },
                      .compute = compare_lengths,
                      .attack = "length"};
};

TEST_F(OwnAttackHandlerTest, AnswersUnderItsOwnName) {
  const Evaluation done = evaluate_with(handler_);
  EXPECT_TRUE(done.run.answer);
  EXPECT_EQ(record()["metrics"]["lengths"]["attack"], "length");
}

TEST_F(OwnAttackHandlerTest, ItMustReturnTheScores) {
  handler_.compute = [](const MetricInput&) { return MetricResult{.agg_value = 0.5}; };
  const std::string message = error_of([&] { evaluate_with(handler_); });
  expect_contains(message, "the result of the attack lengths lacks the scores of its examples");
  expect_contains(message, "the metric handler 'lengths' must set it");
}

// Nothing of it is stored: the fingerprint of a metric does not know its handler's code.
TEST_F(OwnAttackHandlerTest, AHandlerThatWasMendedIsNotRefusedForWhatItReturnedBefore) {
  Handler without_scores = handler_;
  without_scores.compute = [](const MetricInput&) { return MetricResult{.agg_value = 0.5}; };
  Handler with_one_less = handler_;
  with_one_less.compute = [](const MetricInput& input) {
    MetricResult result = compare_lengths(input);
    attack::SetScores& holdout = result.scored->holdout;
    std::vector<std::string> keys = holdout.keys.list();
    keys.pop_back();
    holdout.scores.pop_back();
    holdout = attack::set_scores(std::move(keys), std::move(holdout.scores));
    return result;
  };
  for (const Handler& faulty : {without_scores, with_one_less}) {
    expect_contains(error_of([&] { evaluate_with(faulty); }), "lacks the scores of its examples");
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out/TOFU_EVAL.json"));
  }
  EXPECT_TRUE(evaluate_with(handler_).run.answer);
}

// Before anything of it is logged, so that the run that goes on computes it again.
TEST_F(OwnAttackHandlerTest, EachScoreMustHaveAKey) {
  for (const bool in_forget : {true, false}) {
    handler_.compute = [=](const MetricInput& input) {
      MetricResult result = compare_lengths(input);
      (in_forget ? result.scored->forget : result.scored->holdout).keys = {};
      return result;
    };
    const std::string message = error_of([&] { evaluate_with(handler_); });
    expect_contains(message, "'lengths' returns scores without the keys of their examples");
    expect_contains(message, in_forget ? "one key per score of 'forget'" : "of 'holdout'");
    expect_contains(message, "0 keys and ");
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out" / "TOFU_EVAL.json"));
}

TEST_F(OwnAttackHandlerTest, ItMustNeedBothSets) {
  handler_.needs = [](const MetricSetting&) {
    return MetricNeeds{.data = {"forget"}, .traces = true};
  };
  expect_contains(error_of([&] { evaluate_with(handler_); }), "does not need the data 'holdout'");
  EXPECT_EQ(loader_.loads(), 0);
}

// As an audit refuses it: it would be sorted somewhere among the others.
TEST_F(OwnAttackTest, AScoreThatIsNotFiniteIsRefused) {
  for (const double score :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    attack::AttackTable table = attack::default_attack_table();
    table.push_back({.name = "odd",
                     .measures = "nothing",
                     .score = [=](const trace::Trace& trace, const attack::ParameterValues&) {
                       return std::optional(trace.index == "2" ? score : 0.5);
                     }});
    const Json config = folder_.config({{"mia_odd", mia("mia_odd")}});
    const HandlerTable handlers = make_handler_table(table);
    const std::string message =
        error_of([&] { evaluate_config(config, {.loader = loader_, .handlers = handlers}); });
    expect_contains(message, "the example '2' of 'forget': the odd score is NaN or infinite");
  }
}

TEST_F(OwnAttackTest, ATableThatIsNotValidIsRefused) {
  attack::AttackTable table = attack::default_attack_table();
  table.push_back(table.front());
  expect_contains(error_of([&] { make_handler_table(table); }), "two attacks are called 'loss'");
}

}  // namespace
}  // namespace palimpsest::eval
