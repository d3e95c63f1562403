#include "palimpsest/eval/internal/passes.h"

#include <gtest/gtest.h>

#include "palimpsest/model/internal/fake_model.h"
#include "palimpsest/trace/trace_file.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::eval {
namespace {

data::Example example_with(const std::string& index, std::vector<int64_t> prompt,
                           const std::vector<int64_t>& answer) {
  data::Example example{.index = index, .ids = prompt};
  example.labels.assign(prompt.size(), kIgnoredLabel);
  example.ids.insert(example.ids.end(), answer.begin(), answer.end());
  example.labels.insert(example.labels.end(), answer.begin(), answer.end());
  example.prompt_ids = std::move(prompt);
  return example;
}

DatasetPlan spec_of(const std::string& name) {
  return {.name = name, .access_key = name, .predict_with_generate = true, .key = name};
}

// Metrics by hand, so that nothing but the passes is at work.
MetricNode node_of(const std::string& name, const std::vector<std::string>& data,
                   MetricNeeds needs) {
  MetricNode node{.setting = {.name = name}, .needs = std::move(needs)};
  for (const std::string& one : data) node.data.emplace_back(one, spec_of(one));
  return node;
}

class PassesTest : public testing::Test {
 protected:
  PassesTest() {
    data_["forget"] = {
        .title = "the forget set",
        .examples = {example_with("0", {1, 2}, {3, 4, 5}), example_with("1", {1, 2}, {6, 7}),
                     example_with("2", {8}, {9, 10})}};
    data_["holdout"] = {
        .title = "the holdout set",
        .examples = {example_with("0", {8}, {9, 10}), example_with("1", {11}, {12, 13})}};
  }

  // Without journals: fake models have no files, so that one would be taken for the other.
  Passes passes(const MetricGraph& graph) const { return Passes(data_, tokenizer_, graph, {}); }

  const TempFolder folder_;
  const tokenizer::Tokenizer tokenizer_ =
      tokenizer::Tokenizer::load(PALIMPSEST_EXAMPLES_DIR "/tiny-tokenizer");
  DataStore data_;
  model::FakeModelLoader loader_;
  run::LazyModel model_{loader_, "model", "model", {}};
};

const MetricNeeds kTraces = {.traces = true};

TEST_F(PassesTest, WhatTwoMetricsNeedIsRunOnce) {
  const MetricGraph graph{
      .nodes = {node_of("a", {"forget"}, kTraces), node_of("b", {"forget", "holdout"}, kTraces)}};
  Passes passes = this->passes(graph);
  for (const MetricNode& node : graph.nodes) passes.request(node);
  EXPECT_FALSE(passes.has(graph.nodes[0]));
  passes.run_traces(model_);
  EXPECT_TRUE(passes.has(graph.nodes[0]));
  EXPECT_TRUE(passes.has(graph.nodes[1]));
  EXPECT_EQ(loader_.counts().scored_sequences, 4);  // one stands in both sets
  ASSERT_EQ(passes.records().size(), 1U);
  EXPECT_EQ(passes.records()[0].kind, "traces");
  EXPECT_EQ(passes.records()[0].model, "model");
  EXPECT_EQ(passes.records()[0].items, 4);
}

TEST_F(PassesTest, AnExampleKeepsItsOwnName) {
  const MetricGraph graph{.nodes = {node_of("b", {"forget", "holdout"}, kTraces)}};
  Passes passes = this->passes(graph);
  passes.request(graph.nodes[0]);
  passes.run_traces(model_);
  MetricInput input{.setting = graph.nodes[0].setting};
  passes.fill(graph.nodes[0], input);
  EXPECT_EQ(input.data.at("forget"), &data_.at("forget"));
  const std::vector<trace::Trace>& forget = *input.traces.at("forget");
  const std::vector<trace::Trace>& holdout = *input.traces.at("holdout");
  ASSERT_EQ(forget.size(), 3U);
  ASSERT_EQ(holdout.size(), 2U);
  EXPECT_EQ(forget[2].index, "2");
  EXPECT_EQ(holdout[0].index, "0");
  EXPECT_EQ(forget[2].logprob, holdout[0].logprob);
  EXPECT_EQ(forget[0].label, (std::vector<int64_t>{3, 4, 5}));
}

// A backward pass gives what a forward pass does.
TEST_F(PassesTest, WhatRanWithGradientsIsNotRunAgainWithout) {
  const MetricNeeds norms = {.traces = true, .gradient_norms = {model::NormOrder::kTwo}};
  const MetricGraph graph{
      .nodes = {node_of("plain", {"holdout"}, kTraces), node_of("norm", {"forget"}, norms)}};
  Passes passes = this->passes(graph);
  for (const MetricNode& node : graph.nodes) passes.request(node);
  passes.run_traces(model_);
  EXPECT_EQ(loader_.counts().backward_sequences, 3);
  EXPECT_EQ(loader_.counts().scored_sequences, 4);
  MetricInput input{.setting = graph.nodes[0].setting};
  passes.fill(graph.nodes[0], input);
  const std::vector<trace::Trace>& holdout = *input.traces.at("holdout");
  EXPECT_EQ(holdout[0].index, "0");
  EXPECT_EQ(holdout[1].index, "1");
  EXPECT_NE(holdout[0].logprob, holdout[1].logprob);
}

TEST_F(PassesTest, AReferenceModelHasPassesOfItsOwn) {
  MetricNeeds needs = kTraces;
  needs.reference_model = "other";
  const MetricGraph graph{.nodes = {node_of("a", {"forget"}, needs)}};
  Passes passes = this->passes(graph);
  passes.request(graph.nodes[0]);
  EXPECT_EQ(passes.reference_models(), std::set<std::string>{"other"});
  passes.run_traces(model_);
  EXPECT_FALSE(passes.has(graph.nodes[0]));
  run::LazyModel other(loader_, "other", "other", {.threads = 1});
  passes.run_traces(other, "other");
  ASSERT_TRUE(passes.has(graph.nodes[0]));
  MetricInput input{.setting = graph.nodes[0].setting};
  passes.fill(graph.nodes[0], input);
  const std::vector<trace::Trace>& traces = *input.traces.at("forget");
  const std::vector<trace::Trace>& references = *input.reference_traces.at("forget");
  ASSERT_EQ(references.size(), traces.size());
  EXPECT_EQ(references[0].label, traces[0].label);
  EXPECT_NE(references[0].logprob, traces[0].logprob);
}

// What a trace shows of the greedy output is not decoded again, and changes no text.
TEST_F(PassesTest, GenerationsAreThoseOfTheModelAlone) {
  const MetricNeeds generates = {.generation = GenerationArgs{.max_new_tokens = 4}};
  MetricNeeds both = generates;
  both.traces = true;
  const MetricGraph alone{.nodes = {node_of("g", {"forget"}, generates)}};
  const MetricGraph traced{.nodes = {node_of("g", {"forget"}, both)}};
  std::vector<std::vector<std::string>> texts;
  for (const MetricGraph* graph : {&alone, &traced}) {
    Passes passes = this->passes(*graph);
    passes.request(graph->nodes[0]);
    passes.run_traces(model_);
    EXPECT_FALSE(passes.has(graph->nodes[0]));
    passes.run_generations(model_);
    ASSERT_TRUE(passes.has(graph->nodes[0]));
    MetricInput input{.setting = graph->nodes[0].setting};
    passes.fill(graph->nodes[0], input);
    std::vector<std::string>& found = texts.emplace_back();
    for (const GeneratedText& text : *input.generations.at("forget")) {
      found.push_back(text.index + ": " + text.generation);
    }
    EXPECT_EQ(passes.records().back().kind, "generations");
    EXPECT_EQ(passes.records().back().items, 2);  // two examples have the same prompt
  }
  EXPECT_EQ(texts[0].size(), 3U);
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(PassesTest, TraceFilesAreNamedAfterTheirSet) {
  const MetricGraph graph{.nodes = {node_of("a", {"forget", "holdout"}, kTraces)}};
  Passes passes = this->passes(graph);
  passes.request(graph.nodes[0]);
  passes.run_traces(model_);
  passes.write_traces(folder_.path() / "traces", "model");
  EXPECT_EQ(passes.trace_file(graph.nodes[0], spec_of("forget")), "forget.jsonl");
  trace::TraceReader reader(folder_.path() / "traces" / "forget.jsonl");
  EXPECT_EQ(reader.header().model, "model");
  EXPECT_EQ(reader.header().dataset, "the forget set");
  MetricInput input{.setting = graph.nodes[0].setting};
  passes.fill(graph.nodes[0], input);
  // To the bit: whoever reads the file sees what the metrics saw.
  trace::Trace read;
  for (const trace::Trace& kept : *input.traces.at("forget")) {
    ASSERT_TRUE(reader.next(read));
    EXPECT_EQ(read.logprob, kept.logprob);
    EXPECT_EQ(read.mean, kept.mean);
    EXPECT_EQ(read.var, kept.var);
    EXPECT_EQ(trace::avg_loss(read), trace::avg_loss(kept));
  }
}

// Two sets of one name: no file is written over.
TEST_F(PassesTest, SetsOfOneNameHaveFilesOfTheirOwn) {
  MetricGraph graph{.nodes = {node_of("a", {"forget", "holdout"}, kTraces)}};
  for (auto& [access_key, spec] : graph.nodes[0].data) spec.name = "my set";
  Passes passes = this->passes(graph);
  const std::string forget = passes.trace_file(graph.nodes[0], graph.nodes[0].data[0].second);
  const std::string holdout = passes.trace_file(graph.nodes[0], graph.nodes[0].data[1].second);
  EXPECT_NE(forget, holdout);
  EXPECT_TRUE(forget.starts_with("my_set-"));
}

}  // namespace
}  // namespace palimpsest::eval
