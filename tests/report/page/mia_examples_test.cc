#include "palimpsest/report/internal/page/mia_examples.h"

#include <gtest/gtest.h>

#include "tests/report/page/audit.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

class MiaExamplesTest : public testing::Test {
 protected:
  TempFolder folder_;
  std::filesystem::path forget_ = write_traces(
      folder_, {.name = "forget", .loss = 1, .text = "some words about nothing in particular"});
  std::filesystem::path holdout_ =
      write_traces(folder_, {.name = "holdout", .count = 20, .loss = 3, .seed = 2});
  attack::MiaReport report_ = audit_of(forget_, holdout_);
  MiaExampleOptions options_{.traces = {forget_, holdout_}};
};

TEST_F(MiaExamplesTest, RowsGoFromTheMostToTheLeastRemembered) {
  const PageExamples examples = mia_examples(report_, 1, options_);
  EXPECT_EQ(examples.attacks, (std::vector<std::string>{"loss", "min_k"}));
  EXPECT_EQ(examples.ranking, 1U);
  ASSERT_EQ(examples.rows.size(), 50U);
  EXPECT_EQ(examples.note, "");
  for (size_t i = 1; i < examples.rows.size(); ++i) {
    EXPECT_LE(*examples.rows[i - 1].scores[1], *examples.rows[i].scores[1]);
  }
  EXPECT_EQ(examples.rows[0].set, PageSet::kForget);
  EXPECT_EQ(examples.rows[49].set, PageSet::kHoldout);
  EXPECT_TRUE(examples.rows[0].q_value.has_value());
  EXPECT_FALSE(examples.rows[49].q_value.has_value());
}

TEST_F(MiaExamplesTest, TextsAndTokensComeFromTheTraces) {
  const PageExample row = mia_examples(report_, 0, options_).rows[0];
  EXPECT_EQ(row.answer, "some words about nothing in particular");
  EXPECT_FALSE(row.question.has_value());
  ASSERT_EQ(row.tokens.size(), 6U);
  EXPECT_EQ(row.tokens[0].text, " t0");
  EXPECT_EQ(row.tokens_left_out, 0);
  // Of five tokens (the last predicts the end) a fifth is one: the lowest.
  double lowest = 0;
  double marked = 1;
  for (size_t i = 0; i < 5; ++i) {
    lowest = std::min(lowest, row.tokens[i].logprob);
    if (row.tokens[i].is_lowest) marked = row.tokens[i].logprob;
  }
  EXPECT_EQ(marked, lowest);
  EXPECT_FALSE(row.tokens[5].is_lowest);
}

TEST_F(MiaExamplesTest, WithoutTracesThereAreScoresAlone) {
  const PageExamples examples = mia_examples(report_, 0, {});
  ASSERT_EQ(examples.rows.size(), 50U);
  EXPECT_FALSE(examples.rows[0].answer.has_value());
  EXPECT_TRUE(examples.rows[0].tokens.empty());
}

TEST_F(MiaExamplesTest, OnlyTheEndsKeepTheirTokens) {
  options_.limits.detailed = 3;
  const PageExamples examples = mia_examples(report_, 0, options_);
  for (size_t i = 0; i < examples.rows.size(); ++i) {
    EXPECT_EQ(examples.rows[i].tokens.empty(), i >= 3 && i < 47) << i;
    EXPECT_TRUE(examples.rows[i].answer.has_value()) << i;
  }
}

TEST_F(MiaExamplesTest, TheMiddleOfALargeAuditIsLeftOut) {
  const PageExamples all = mia_examples(report_, 0, options_);
  options_.limits.rows = 5;
  const PageExamples few = mia_examples(report_, 0, options_);
  ASSERT_EQ(few.rows.size(), 5U);
  EXPECT_EQ(few.rows[1].index, all.rows[1].index);
  EXPECT_EQ(few.rows[2].index, all.rows[47].index);
  EXPECT_EQ(few.note, "Of 50 examples the page holds the 2 most and the 3 least remembered.");
}

TEST_F(MiaExamplesTest, LongTextsAndTokenListsAreCut) {
  options_.limits.text_bytes = 0;
  options_.limits.least_text = 10;
  options_.limits.tokens = 0;
  options_.limits.least_tokens = 2;
  const PageExample row = mia_examples(report_, 0, options_).rows[0];
  EXPECT_EQ(row.answer, "some words…");
  EXPECT_EQ(row.tokens.size(), 2U);
  EXPECT_EQ(row.tokens_left_out, 4);
}

TEST_F(MiaExamplesTest, TokensWithoutTextsShowTheirIdsOrPlaces) {
  const auto bare = folder_.write("bare.jsonl",
                                  "{\"palimpsest_trace\": 1}\n"
                                  "{\"index\": \"0\", \"num_labels\": 2, \"logprob\": [-1, -2]}\n"
                                  "{\"index\": \"1\", \"num_labels\": 2, \"logprob\": [-1, -2], "
                                  "\"label\": [7, 8]}\n");
  attack::MiaReport report = audit_of(bare, bare, "loss");
  const PageExamples examples = mia_examples(report, 0, {.traces = {bare, bare}});
  EXPECT_EQ(examples.rows[0].tokens[1].text, "2 ");
  EXPECT_EQ(examples.rows[1].tokens[1].text, "#8 ");
}

TEST_F(MiaExamplesTest, ADamagedTraceFileIsAnErrorWithItsLine) {
  options_.traces.forget = folder_.write("bad.jsonl", "{\"palimpsest_trace\": 1}\n{\"index\": 3\n");
  expect_contains(error_of([&] { mia_examples(report_, 0, options_); }), "bad.jsonl:2");
}

TEST(ShortenedTest, CutsBetweenCharacters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc…");
  EXPECT_EQ(shortened("aäb", 2), "a…");
  EXPECT_EQ(shortened("aäb", 3), "aä…");
  EXPECT_EQ(shortened("\x80\x80\x80", 1), "…");
  EXPECT_EQ(shortened("abc", -1), "…");
}

}  // namespace
}  // namespace palimpsest::report
