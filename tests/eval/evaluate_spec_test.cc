// Evaluations that a program describes itself, without any configuration.

#include <gtest/gtest.h>

#include "tests/eval/evaluate_fixture.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

class EvaluateSpecTest : public EvaluateTest {
 protected:
  DatasetSpec questions(const std::string& file) const {
    return {.name = file,
            .handler = "QADataset",
            .args = Parameter::Map{
                {"hf_args",
                 Parameter::Map{{"path", (folder_.path() / "data").string()}, {"name", file}}},
                {"question_key", "question"},
                {"answer_key", "answer"},
                {"max_length", 64}}};
  }

  MetricSpec attack() const {
    return {.name = "mia_min_k",
            .handler = "mia_min_k",
            .parameters = Parameter::Map{{"k", 0.4}},
            .datasets = {questions("forget"), questions("holdout")}};
  }

  EvaluationSpec spec_of(std::vector<MetricSpec> metrics) const {
    EvaluationSpec spec{.model = {.name = (folder_.path() / "model").string(),
                                  .prompt = PromptSettings{.chat_template = true}}};
    spec.evaluators.push_back(
        {.name = "TOFU", .output_dir = folder_.path() / "out", .metrics = std::move(metrics)});
    return spec;
  }

  Evaluation run_spec(std::vector<MetricSpec> metrics) {
    return evaluate(spec_of(std::move(metrics)), {.loader = loader_}).at(0);
  }
};

TEST_F(EvaluateSpecTest, NeedsNoConfiguration) {
  MetricSpec leak{.name = "privleak",
                  .handler = "privleak",
                  .parameters = Parameter::Map{{"ref_value", 0.5}},
                  .pre_compute = {{"forget", "mia_min_k"}}};
  const Evaluation done = run_spec({leak, attack()});
  ASSERT_EQ(done.rows.size(), 2U);
  EXPECT_EQ(done.rows[0].name, "mia_min_k");
  ASSERT_TRUE(done.rows[0].value);
  ASSERT_TRUE(done.rows[1].value);
  const double auc = *done.rows[0].value;
  EXPECT_NEAR(*done.rows[1].value, ((1 - auc) - 0.5) / 0.5 * 100, 1e-6);
  EXPECT_EQ(summary().size(), 2U);
}

// What a configuration computed is finished for a program that asks for the same.
TEST_F(EvaluateSpecTest, IsTheSameAsAConfiguration) {
  Json forget = folder_.questions("forget");
  Json holdout = folder_.questions("holdout");
  run_metrics({{"mia_min_k",
                {{"handler", "mia_min_k"},
                 {"k", 0.4},
                 {"datasets", {{"forget", forget}, {"holdout", holdout}}}}}});
  const int64_t batches = loader_.batches;
  const Evaluation again = run_spec({attack()});
  EXPECT_EQ(loader_.batches, batches);
  ASSERT_EQ(again.rows.size(), 1U);
  EXPECT_TRUE(again.rows[0].reused);
  MetricSpec other = attack();
  other.parameters.set("k", 0.2);
  EXPECT_FALSE(run_spec({other}).rows[0].reused);
}

TEST_F(EvaluateSpecTest, ParametersThatAreNotGivenAreThoseOfThePapers) {
  MetricSpec metric = attack();
  metric.parameters = Parameter::Map{};
  const Evaluation bare = run_spec({metric});
  metric.parameters.set("k", 0.2);
  const Evaluation given = run_spec({metric});
  EXPECT_TRUE(given.rows.at(0).reused);  // the same metric to the record
  EXPECT_EQ(bare.rows.at(0).parameters, (AttackParameters{{"k", 0.2}}));
  metric.handler = metric.name = "mia_gradnorm";
  metric.parameters = Parameter::Map{};
  EXPECT_EQ(run_spec({metric}).rows.at(0).parameters, (AttackParameters{{"p", 2}}));
}

TEST_F(EvaluateSpecTest, RefusesWhatCannotBeComputed) {
  const auto refused = [&](const MetricSpec& metric) {
    return error_of([&] { run_spec({metric}); });
  };
  MetricSpec metric = attack();
  metric.handler = "nothing";
  expect_contains(refused(metric), "'nothing'");
  metric = attack();
  metric.handler = "mia_reference";
  expect_contains(refused(metric), "'reference_model_path' is missing");
  metric = attack();
  metric.datasets[0].handler = "";
  expect_contains(refused(metric), "'forget' has no handler");
  metric = attack();
  metric.pre_compute = {{"forget", "absent"}};
  expect_contains(refused(metric), "'absent', which is not in the list");
  expect_contains(error_of([&] { run_spec({attack(), attack()}); }), "two metrics are called");
  EvaluationSpec spec = spec_of({attack()});
  spec.evaluators[0].inference.margin = 2;
  expect_contains(error_of([&] { evaluate(spec, {.loader = loader_}); }), "margin");
  spec = spec_of({attack()});
  spec.model.prompt.reset();
  expect_contains(error_of([&] { evaluate(spec, {.loader = loader_}); }), "template_args");
  spec = spec_of({attack()});
  spec.model.name = "org/absent";
  const model::HubEnvironment hub{.hf_hub_cache = (folder_.path() / "hub").string()};
  expect_contains(error_of([&] { evaluate(spec, {.loader = loader_, .hub = hub}); }), "org/absent");
  EXPECT_EQ(loader_.batches, 0);
}

}  // namespace
}  // namespace palimpsest::eval
