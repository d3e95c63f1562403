#include "palimpsest/run/internal/score_run.h"

#include <gtest/gtest.h>

#include "palimpsest/model/internal/fake_model.h"
#include "tests/run/tiny_tokenizer.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::run {
namespace {

data::Example scored_example(const std::string& index, std::vector<int64_t> ids) {
  data::Example example{.index = index, .ids = std::move(ids)};
  example.labels = example.ids;
  example.labels[0] = kIgnoredLabel;
  example.prompt_ids = {example.ids[0]};
  return example;
}

class ScoreRunTest : public testing::Test {
 protected:
  ScoredLists score(const std::vector<ExampleList>& lists, const TraceOptions& options = {}) {
    return score_lists(model_, lists, options,
                       {.folder = folder_.path(), .work = {.batch_tokens = 6}});
  }

  const TempFolder folder_;
  model::FakeModelLoader loader_;
  LazyModel model_{loader_, "fake", "fake", {}};
  const std::vector<data::Example> forget_ = {scored_example("0", {1, 2, 3}),
                                              scored_example("1", {4, 5, 6, 7})};
  const std::vector<data::Example> holdout_ = {scored_example("0", {8, 9}),
                                               scored_example("1", {1, 2, 3})};
};

TEST_F(ScoreRunTest, EveryExampleHasTheScoresOfItsOwnSequence) {
  const ScoredLists scored =
      score({make_example_list("forget", forget_), make_example_list("holdout", holdout_)},
            {.masked_token = 2});
  for (size_t list = 0; list < 2; ++list) {
    const std::vector<data::Example>& examples = list == 0 ? forget_ : holdout_;
    for (size_t i = 0; i < examples.size(); ++i) {
      const model::Sequence alone{.ids = examples[i].ids, .labels = examples[i].labels};
      const auto expected = model_.get().score({&alone, 1}, {.masked_token = 2});
      EXPECT_EQ(scored.of(list, i).logprob, expected[0].logprob) << list << " " << i;
      EXPECT_EQ(scored.of(list, i).argmax, expected[0].argmax) << list << " " << i;
    }
  }
}

TEST_F(ScoreRunTest, CountsWhatItRan) {
  const ScoredLists scored =
      score({make_example_list("forget", forget_), make_example_list("holdout", holdout_)});
  EXPECT_EQ(scored.counts.examples, 4);
  EXPECT_EQ(scored.counts.sequences, 3);  // one stands in both lists
  EXPECT_EQ(scored.counts.tokens, 3 + 4 + 2);
  EXPECT_EQ(scored.counts.resumed, 0);
  EXPECT_EQ(loader_.counts().scored_sequences, 3);
}

TEST_F(ScoreRunTest, AFinishedRunLoadsNoModel) {
  const ScoredLists first = score({make_example_list("forget", forget_)});
  LazyModel other(loader_, "fake", "fake", {});
  const ScoredLists again = score_lists(other, {make_example_list("forget", forget_)}, {},
                                        {.folder = folder_.path(), .work = {.batch_tokens = 6}});
  EXPECT_FALSE(other.is_loaded());
  EXPECT_EQ(again.counts.resumed, 2);
  EXPECT_EQ(again.of(0, 1).logprob, first.of(0, 1).logprob);
}

// Every option that decides the numbers makes another journal.
TEST_F(ScoreRunTest, OtherOptionsAreAnotherRun) {
  EXPECT_EQ(score({make_example_list("forget", forget_)}).counts.resumed, 0);
  EXPECT_EQ(score({make_example_list("forget", forget_)}, {.masked_token = 2}).counts.resumed, 0);
  const TraceOptions norms{.gradient_norms = {model::NormOrder::kOne}};
  EXPECT_EQ(score({make_example_list("forget", forget_)}, norms).counts.resumed, 0);
  EXPECT_EQ(score({make_example_list("forget", forget_)}, norms).counts.resumed, 2);
}

// Found before the first batch, although it would run in the last one.
TEST_F(ScoreRunTest, SaysWhichExampleCannotBeRun) {
  std::vector<data::Example> bad = forget_;
  bad.push_back(scored_example("17", {1, 99}));
  expect_contains(error_of([&] { score({make_example_list("set", bad)}); }), "set, example 17");
  EXPECT_EQ(loader_.counts().scored_sequences, 0);
}

TEST_F(ScoreRunTest, AStoppedRunGoesOn) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(score_lists(model_, {make_example_list("forget", forget_)}, {},
                           {.folder = folder_.path(), .stop = source.get_token()}),
               Stopped);
  EXPECT_FALSE(model_.is_loaded());
  EXPECT_EQ(score({make_example_list("forget", forget_)}).counts.sequences, 2);
}

TEST_F(ScoreRunTest, NothingToRun) {
  const std::vector<data::Example> none;
  const ScoredLists scored = score({make_example_list("none", none)});
  EXPECT_TRUE(scored.sequences.empty());
  EXPECT_FALSE(model_.is_loaded());
}

TEST_F(ScoreRunTest, ATraceKeepsWhatIsLabelledAsFloat32) {
  const TraceOptions options{
      .gradient_norms = {model::NormOrder::kTwo, model::NormOrder::kInfinity}};
  data::Example example = forget_[1];
  example.alternative = 3;
  example.groups["topic"] = "places";
  const model::SequenceScores scores{.logprob = {-0.1, -0.2, -0.3},
                                     .mean = {-1.1, -1.2, -1.3},
                                     .var = {0.1, 0.2, 0.3},
                                     .argmax = {5, 6, 0},
                                     .gradient_norms = {0.7, 0.1}};
  const trace::Trace trace = to_trace(example, scores, options, tiny_tokenizer());
  EXPECT_EQ(trace.index, "1");
  EXPECT_EQ(trace.alternative, 3);
  EXPECT_EQ(trace.num_labels, 3);
  EXPECT_EQ(trace.label, (std::vector<int64_t>{5, 6, 7}));
  EXPECT_EQ(trace.argmax, scores.argmax);
  EXPECT_EQ(trace.tokens->size(), 3U);
  EXPECT_EQ(trace.groups.at("topic"), "places");
  EXPECT_EQ(trace.logprob->at(1), static_cast<double>(-0.2F));
  EXPECT_EQ(trace.mean->at(1), static_cast<double>(-1.2F));
  EXPECT_EQ(trace.var->at(2), static_cast<double>(0.3F));
  EXPECT_EQ(trace.grad_norm.at("2"), static_cast<double>(0.7F));
  EXPECT_EQ(trace.grad_norm.at("inf"), static_cast<double>(0.1F));
}

// A label at position 0 is counted and decoded, but predicted by nothing.
TEST_F(ScoreRunTest, ALabelAtTheStartHasNoEntry) {
  data::Example example = forget_[0];
  example.labels[0] = example.ids[0];
  const trace::Trace trace = to_trace(example, {.logprob = {-1, -2}}, {}, tiny_tokenizer());
  EXPECT_EQ(trace.num_labels, 3);
  EXPECT_EQ(trace.label, (std::vector<int64_t>{2, 3}));
}

TEST(NormOrderTest, NamesAndBack) {
  for (const model::NormOrder order :
       {model::NormOrder::kOne, model::NormOrder::kTwo, model::NormOrder::kInfinity}) {
    EXPECT_EQ(find_order(order_name(order)), order);
  }
  EXPECT_EQ(order_name(model::NormOrder::kInfinity), "inf");
  EXPECT_EQ(find_order("3"), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::run
