#include "palimpsest/eval/read_evaluation.h"

#include <gtest/gtest.h>

#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

const MetricSpec& metric_of(const EvaluationSpec& spec, const std::string& name) {
  for (const MetricSpec& metric : spec.evaluators.at(0).metrics) {
    if (metric.name == name) return metric;
  }
  throw Error("no metric " + name);
}

class ReadEvaluationTest : public testing::Test {
 protected:
  EvaluationSpec read(const Json& metrics) const {
    return read_evaluation(value_of(folder_.config(metrics)));
  }

  Json mia() const {
    Json forget = folder_.questions("forget");
    forget["access_key"] = "forget";
    forget["cluster_size"] = 5;
    return {{"handler", "mia_min_k"}, {"k", 0.4}, {"batch_size", 4}, {"datasets", {{"F", forget}}}};
  }

  const TestFolder folder_;
};

TEST_F(ReadEvaluationTest, ANegativeSeedIsRefused) {
  Json config = folder_.config({{"mia", mia()}});
  config["seed"] = -1;
  EXPECT_EQ(
      error_of([&] { read_evaluation(value_of(config)); }),
      "test.yaml:1: seed: the seed is negative (expected a whole number, at least 0, found -1)");
}

TEST_F(ReadEvaluationTest, EverythingHasItsField) {
  Json config = folder_.config({{"mia", mia()}});
  config["seed"] = 7;
  config["paths"]["data_dir"] = "data";
  config["eval"]["tofu"]["overwrite"] = true;
  config["eval"]["tofu"]["margin"] = 0.1;
  config["eval"]["tofu"]["retain_logs_path"] = {"a.json", "b.json"};
  const EvaluationSpec spec = read_evaluation(value_of(config), {}, {.defaults = {.threads = 3}});
  EXPECT_EQ(spec.seed, 7U);
  EXPECT_EQ(spec.data_dir, "data");
  EXPECT_EQ(spec.model.name, (folder_.path() / "model").string());
  EXPECT_EQ(spec.model.tokenizer, spec.model.name);
  EXPECT_EQ(spec.model.options.threads, 3);
  ASSERT_EQ(spec.evaluators.size(), 1U);
  const EvaluatorSpec& evaluator = spec.evaluators[0];
  EXPECT_EQ(evaluator.name, "TOFU");
  EXPECT_EQ(evaluator.output_dir, folder_.path() / "out");
  EXPECT_TRUE(evaluator.overwrite);
  EXPECT_EQ(evaluator.inference.margin, 0.1);
  EXPECT_EQ(evaluator.inference.retain_logs, (std::vector<std::string>{"a.json", "b.json"}));
  const MetricSpec& metric = metric_of(spec, "mia");
  EXPECT_EQ(metric.handler, "mia_min_k");
  EXPECT_TRUE(metric.requested);
  EXPECT_EQ(metric.parameters, Parameter(Parameter::Map{{"k", 0.4}}));
  EXPECT_EQ(metric.where, "test.yaml:1: eval.tofu.metrics.mia");
  ASSERT_EQ(metric.datasets.size(), 1U);
  EXPECT_EQ(metric.datasets[0].name, "F");
  EXPECT_EQ(metric.datasets[0].access_key, "forget");
  EXPECT_EQ(metric.datasets[0].handler, "QADataset");
  EXPECT_EQ(metric.datasets[0].cluster_size, 5);
  EXPECT_EQ(metric.datasets[0].args.at("max_length").as_int(), 64);
}

TEST_F(ReadEvaluationTest, MetricsBecomeAFlatList) {
  Json part = mia();
  part.erase("k");
  part["access_key"] = "forget";
  const Json leak = {
      {"handler", "privleak"},
      {"ref_value", 0.5},
      {"k", 0.2},
      {"pre_compute", {{"part", part}}},
      {"collators",
       {{"C",
         {{"handler", "DataCollatorForSupervisedDataset"},
          {"args", {{"attention_mask", "full"}}}}}}},
      {"reference_logs",
       {{"retain_model_logs",
         {{"path", "log.json"}, {"include", {{"mia", {{"access_key", "retain"}}}}}}}}}};
  const EvaluationSpec spec = read({{"leak", leak}});
  ASSERT_EQ(spec.evaluators[0].metrics.size(), 2U);
  const MetricSpec& own = spec.evaluators[0].metrics[1];
  const MetricSpec& inner = spec.evaluators[0].metrics[0];
  EXPECT_EQ(inner.name, "part");
  EXPECT_FALSE(inner.requested);
  // It inherits what its handler reads, and the collator.
  EXPECT_EQ(inner.parameters, Parameter(Parameter::Map{{"k", 0.2}}));
  EXPECT_FALSE(inner.masks_padding);
  using Names = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(own.pre_compute, (Names{{"forget", "part"}}));
  ASSERT_EQ(own.reference_logs.size(), 1U);
  EXPECT_EQ(own.reference_logs[0].name, "retain_model_logs");
  EXPECT_EQ(own.reference_logs[0].paths, std::vector<std::string>{"log.json"});
  EXPECT_EQ(own.reference_logs[0].include, (Names{{"retain", "mia"}}));
}

TEST_F(ReadEvaluationTest, PromptsAreTags) {
  const PromptSettings prompt = read_prompt_settings(value_of({{"apply_chat_template", false},
                                                               {"user_start_tag", "Q: "},
                                                               {"user_end_tag", "\n"},
                                                               {"asst_start_tag", "A: "},
                                                               {"asst_end_tag", "\n\n"}}));
  ASSERT_TRUE(prompt.tags);
  EXPECT_EQ(prompt.tags->user_start_tag, "Q: ");
  EXPECT_EQ(prompt.tags->asst_end_tag, "\n\n");
  EXPECT_FALSE(read_prompt_settings(value_of({{"apply_chat_template", false}})).tags);
}

TEST_F(ReadEvaluationTest, AnEvaluatorMayNameTheDevice) {
  Json config = folder_.config({{"mia", mia()}});
  config["model"]["model_args"]["device_map"] = "cuda";
  EXPECT_EQ(wanted_device(value_of(config)), "cuda");
  config["eval"]["tofu"]["device"] = "cpu";
  EXPECT_EQ(wanted_device(value_of(config)), "cpu");
  const MachineSettings machine{.has_cuda = true};
  EXPECT_EQ(read_evaluation(value_of(config), {}, machine).model.options.device, "cpu");
  config["eval"]["tofu"]["device"] = "cuda:1";
  EXPECT_EQ(read_evaluation(value_of(config), {}, machine).model.options.device, "cuda:1");
  const ModelSettings model = read_evaluation(value_of(config)).model;
  EXPECT_EQ(model.options.device, "cpu");
  ASSERT_EQ(model.notes.size(), 1U);
  expect_contains(model.notes[0], "device is cuda:1, but there is no such device");
  config["eval"]["muse"] = config["eval"]["tofu"];
  config["eval"]["muse"]["device"] = "cpu";
  expect_contains(error_of([&] { read_evaluation(value_of(config)); }), "different devices");
  config["eval"].erase("muse");
  config["eval"]["tofu"]["device"] = "abacus";
  expect_contains(error_of([&] { read_evaluation(value_of(config)); }), "no device 'abacus'");
}

// The sample configuration of the evaluation guide has none.
TEST_F(ReadEvaluationTest, WithoutAHandlerTheKeyNamesTheEvaluator) {
  Json config = folder_.config({{"mia", mia()}});
  config["eval"]["tofu"].erase("handler");
  const EvaluatorSpec evaluator = read_evaluation(value_of(config)).evaluators.at(0);
  EXPECT_EQ(evaluator.name, "TOFU");
  ASSERT_EQ(evaluator.notes.size(), 1U);
  expect_contains(evaluator.notes[0], "its key is taken to mean TOFUEvaluator");
  config["eval"]["other"] = config["eval"]["tofu"];
  expect_contains(error_of([&] { read_evaluation(value_of(config)); }), "handler");
}

TEST_F(ReadEvaluationTest, KeysThatNobodyReadsAreNamed) {
  Json config = folder_.config({{"mia", mia()}});
  const auto notes = [&] { return read_evaluation(value_of(config)).evaluators.at(0).notes; };
  EXPECT_EQ(notes(), std::vector<std::string>());
  config["eval"]["tofu"]["nonsense"] = 1;
  ASSERT_EQ(notes().size(), 1U);
  expect_contains(notes()[0], "eval.tofu.nonsense");
}

TEST_F(ReadEvaluationTest, SaysWhereSomethingIsWrong) {
  Json metric = mia();
  metric["handler"] = "mia_nothing";
  expect_contains(error_of([&] { read({{"m", metric}}); }), "eval.tofu.metrics.m.handler");
  metric = mia();
  metric["k"] = "???";
  expect_contains(error_of([&] { read({{"m", metric}}); }), "eval.tofu.metrics.m.k");
  Json config = folder_.config({{"mia", mia()}});
  config["model"]["model_args"]["pretrained_model_name_or_path"] = "???";
  expect_contains(error_of([&] { read_evaluation(value_of(config)); }),
                  "pretrained_model_name_or_path");
}

}  // namespace
}  // namespace palimpsest::eval
