#include "palimpsest/eval/internal/evaluator_run.h"

#include <gtest/gtest.h>

#include <numeric>

#include "palimpsest/eval/internal/eval_log.h"
#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

data::Example labelled_example(const std::string& index, std::vector<int64_t> ids) {
  data::Example example{.index = index, .ids = std::move(ids)};
  example.labels = example.ids;
  example.labels[0] = kIgnoredLabel;
  example.prompt_ids = {example.ids[0]};
  return example;
}

// One evaluator whose metrics are made by hand, so that nothing but its run is at work.
class EvaluatorRunTest : public testing::Test {
 protected:
  EvaluatorRunTest() {
    data_["d"] = {.title = "the data",
                  .examples = {labelled_example("0", {1, 2, 3}), labelled_example("1", {4, 5})}};
    plan_ = {.name = "MINE", .output_dir = folder_.path() / "out"};
    std::filesystem::create_directories(plan_.output_dir);
    traced_ = {.name = "traced",
               .keys = {{"scale", "what the losses are multiplied by"}},
               .compute = [this](const MetricInput& input) { return mean_loss(input); }};
    summed_ = {.name = "summed",
               .compute = [this](const MetricInput& input) { return sum_of_parts(input); }};
  }

  MetricResult mean_loss(const MetricInput& input) {
    computed_.push_back(input.setting.name);
    threads_ = input.threads;
    MetricResult result;
    std::vector<Number> losses;
    for (const trace::Trace& trace : *input.traces.at(kOnlyData)) {
      losses.emplace_back(*trace::avg_loss(trace) * input.setting.parameters.at("scale").as_real());
      result.value_by_index.push_back({trace.index, {{"loss", losses.back()}}});
    }
    set_mean(result, losses);
    return result;
  }

  MetricResult sum_of_parts(const MetricInput& input) {
    computed_.push_back(input.setting.name);
    if (fails_) throw Error("the sum fails");
    double sum = 0;
    for (const auto& [key, part] : input.pre_compute) sum += *part->agg_value;
    return {.agg_value = sum};
  }

  size_t add_traced(const std::string& name, double scale) {
    MetricNode node{.setting = {.name = name, .parameters = Parameter::Map{{"scale", scale}}},
                    .handler = &traced_,
                    .needs = {.data = {kOnlyData}, .traces = true},
                    .requested = true};
    node.data.emplace_back(kOnlyData, DatasetPlan{.name = "set", .key = "d", .source = "d"});
    plan_.graph.nodes.push_back(std::move(node));
    return plan_.graph.nodes.size() - 1;
  }

  void add_sum(const std::vector<size_t>& parts) {
    MetricNode node{.setting = {.name = "sum"}, .handler = &summed_, .requested = true};
    for (const size_t part : parts) {
      node.pre_compute.emplace_back(plan_.graph.nodes[part].setting.name, part);
      node.setting.pre_compute.push_back(plan_.graph.nodes[part].setting.name);
    }
    plan_.graph.nodes.push_back(std::move(node));
  }

  void set_scale(size_t node, double scale) {
    plan_.graph.nodes[node].setting.parameters.set("scale", scale);
  }

  Evaluation run() {
    computed_.clear();
    const ModelSettings settings{.name = "model", .options = {.threads = 3}};
    run::LazyModel model(loader_, settings.name, folder_.path() / "model", settings.options);
    const EvaluationContext context{.loader = loader_, .versions = {{"palimpsest", "test"}}};
    return run_evaluator(plan_, {.model = model,
                                 .settings = settings,
                                 .tokenizer = tokenizer_,
                                 .tokenizer_fingerprint = "tokens",
                                 .data = data_,
                                 .context = context});
  }

  std::string file(const char* suffix) const {
    return folder_.read("out/MINE_" + std::string(suffix));
  }

  using Names = std::vector<std::string>;

  const TestFolder folder_;
  TestLoader loader_{{.vocab_size = 32, .max_positions = 256}};
  const tokenizer::Tokenizer tokenizer_ = tokenizer::Tokenizer::load(folder_.path() / "model");
  DataStore data_;
  EvaluatorPlan plan_;
  Handler traced_;
  Handler summed_;
  Names computed_;  // by the last run, in order
  int threads_ = 0;
  bool fails_ = false;
};

TEST_F(EvaluatorRunTest, WhatItReturnsIsWhatItWrote) {
  add_traced("a", 1);
  const Evaluation done = run();
  EXPECT_EQ(done.name, "MINE");
  ASSERT_EQ(done.rows.size(), 1U);
  EXPECT_FALSE(done.rows[0].reused);
  EXPECT_EQ(done.rows[0].value, done.results.at("a").agg_value);
  const EvalLog log = read_eval_log(done.log);
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log.at("a").agg_value, done.results.at("a").agg_value);
  const auto record = read_run_record(done.record);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->complete);
  EXPECT_EQ(record->metrics.at("a").fingerprint, done.run.metrics.at("a").fingerprint);
  ASSERT_EQ(done.run.passes.size(), 1U);
  EXPECT_EQ(record->passes.size(), 1U);
  EXPECT_EQ(record->metrics.at("a").source.traces.at(kOnlyData), "MINE_TRACES/set.jsonl");
  ASSERT_TRUE(done.traces.contains("MINE_TRACES/set.jsonl"));
  const auto traces =
      std::get<std::shared_ptr<const trace::TraceSet>>(done.traces.at("MINE_TRACES/set.jsonl"));
  EXPECT_EQ(traces->traces.size(), 2U);
  EXPECT_EQ(threads_, 3);
}

TEST_F(EvaluatorRunTest, PartsComeFirstAndEachOnce) {
  const size_t a = add_traced("a", 1);
  const size_t b = add_traced("b", 2);
  plan_.graph.nodes[b].requested = false;
  add_sum({a, b});
  const Evaluation done = run();
  EXPECT_EQ(computed_, (Names{"a", "b", "sum"}));
  EXPECT_EQ(loader_.counts().scored_sequences, 2);
  // Requested ones first.
  ASSERT_EQ(done.rows.size(), 3U);
  EXPECT_EQ(done.rows[2].name, "b");
  EXPECT_FALSE(done.rows[2].requested);
  EXPECT_NEAR(*done.results.at("sum").agg_value, 3 * *done.results.at("a").agg_value, 1e-12);
  EXPECT_EQ(file("SUMMARY.json").find("\"b\""), std::string::npos);
}

TEST_F(EvaluatorRunTest, ARerunComputesWhatChangedAndWhatIsMadeOfIt) {
  const size_t a = add_traced("a", 1);
  const size_t b = add_traced("b", 2);
  add_sum({b});
  run();
  const int64_t loads = loader_.loads();
  const Evaluation again = run();
  EXPECT_TRUE(computed_.empty());
  EXPECT_EQ(loader_.loads(), loads);
  EXPECT_TRUE(again.rows[0].reused);
  EXPECT_TRUE(again.traces.empty());
  EXPECT_TRUE(again.results.contains("sum"));
  set_scale(b, 5);
  const Evaluation changed = run();
  EXPECT_EQ(computed_, (Names{"b", "sum"}));
  EXPECT_TRUE(changed.rows[a].reused);
  plan_.overwrite = true;
  run();
  EXPECT_EQ(computed_, (Names{"a", "b", "sum"}));
}

// The pass is in the journal, so that only the metrics are computed again.
TEST_F(EvaluatorRunTest, AMetricThatFailsCostsNoPass) {
  add_sum({add_traced("a", 1)});
  fails_ = true;
  expect_contains(error_of([&] { run(); }), "the sum fails");
  const auto record = read_run_record(plan_.file("RUN"));
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->complete);
  EXPECT_EQ(record->planned.size(), 2U);
  fails_ = false;
  const int64_t batches = loader_.batches;
  EXPECT_EQ(run().rows.size(), 2U);
  EXPECT_EQ(loader_.batches, batches);
  EXPECT_TRUE(read_run_record(plan_.file("RUN"))->complete);
}

TEST_F(EvaluatorRunTest, ALogOfUnknownOriginIsKeptAside) {
  add_traced("a", 1);
  const std::string foreign = R"({"a": {"agg_value": 7}, "z": {"agg_value": 1}})";
  folder_.write("out/MINE_EVAL.json", foreign);
  const Evaluation done = run();
  EXPECT_EQ(computed_, Names{"a"});
  EXPECT_NE(done.results.at("a").agg_value, 7);
  EXPECT_FALSE(done.results.contains("z"));
  EXPECT_EQ(file("EVAL.json.old"), foreign);
  folder_.write("out/MINE_EVAL.json", "{ damaged");
  run();
  EXPECT_EQ(computed_, Names{"a"});
  EXPECT_EQ(file("EVAL.json.old"), foreign);
  EXPECT_EQ(file("EVAL.json.old.1"), "{ damaged");
}

// No file of the folder is written before.
TEST_F(EvaluatorRunTest, ALogThatCannotBeKeptStopsTheRun) {
  add_traced("a", 1);
  plan_.name = std::string(255 - std::string("_EVAL.json").size(), 'x');
  const std::string name = "out/" + plan_.file("EVAL").filename().string();
  for (const char* foreign : {R"({"a": {"agg_value": 7}})", "{ damaged"}) {
    folder_.write(name, foreign);
    EXPECT_THROW(run(), SystemError);
    EXPECT_TRUE(computed_.empty());
    EXPECT_EQ(folder_.read(name), foreign);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path() / "out"), {}), 1);
  }
}

// A metric that is not asked for any more stays in the log; another model's does not.
TEST_F(EvaluatorRunTest, KeepsWhatTheSameModelComputedBefore) {
  add_traced("a", 1);
  run();
  plan_.graph.nodes.clear();
  add_traced("b", 2);
  const Evaluation both = run();
  EXPECT_TRUE(both.results.contains("a"));
  ASSERT_EQ(both.rows.size(), 1U);
  EXPECT_EQ(both.rows[0].name, "b");
  folder_.write("model/config.json", R"({"model_type": "llama", "name": "another"})");
  EXPECT_FALSE(run().results.contains("a"));
}

}  // namespace
}  // namespace palimpsest::eval
