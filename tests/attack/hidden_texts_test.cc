#include "palimpsest/attack/internal/hidden_texts.h"

#include <gtest/gtest.h>

#include "palimpsest/attack/internal/mia/overlap.h"
#include "tests/attack/score_of.h"

namespace palimpsest::attack {
namespace {

trace::Trace some_trace() {
  return {.index = "7",
          .prompt = "Where was she born?",
          .text = "In a small town",
          .num_labels = 2,
          .logprob = std::vector<double>{-1, -2},
          .mean = std::vector<double>{-1, -1},
          .argmax = std::vector<int64_t>{3, 4},
          .label = std::vector<int64_t>{5, 6},
          .tokens = std::vector<std::string>{"In", "a"},
          .groups = {{"author", "Jane Doe"}}};
}

TEST(HiddenTextsTest, NothingReadableIsLeft) {
  trace::Trace trace = some_trace();
  hide_texts("salt", trace);
  EXPECT_FALSE(trace.prompt || trace.text || trace.tokens || trace.argmax || trace.label);
  EXPECT_EQ(trace.groups.at("author"), salted_hash("salt", "Jane Doe"));
  EXPECT_EQ(trace.groups.at("author").size(), 16U);
  EXPECT_EQ(trace.index, "7");
  EXPECT_EQ(trace.logprob, some_trace().logprob);
}

TEST(HiddenTextsTest, ZlibGivesTheSameScore) {
  trace::Trace trace = some_trace();
  const std::optional<double> score = score_of("zlib", trace);
  ASSERT_TRUE(score);
  hide_texts("salt", trace);
  EXPECT_EQ(score_of("zlib", trace), score);
}

TEST(HiddenTextsTest, TheSaltDecidesTheHash) {
  EXPECT_EQ(salted_hash("a", "b"), salted_hash("a", "b"));
  EXPECT_NE(salted_hash("a", "b"), salted_hash("b", "b"));
  EXPECT_NE(salted_hash("a", "bc"), salted_hash("ab", "c"));
}

TEST(HiddenTextsTest, TheSameTextsAreStillTheSame) {
  trace::Trace shouted = some_trace();
  shouted.text = "  IN a small   TOWN";
  trace::Trace asked_otherwise = some_trace();
  asked_otherwise.prompt = "Where did she die?";
  std::vector<ExampleFacts> forget;
  std::vector<ExampleFacts> holdout;
  for (trace::Trace trace : {shouted, asked_otherwise}) {
    hide_texts("salt", trace);
    holdout.push_back(facts_of(std::move(trace)));
  }
  trace::Trace trace = some_trace();
  hide_texts("salt", trace);
  forget.push_back(facts_of(std::move(trace)));
  EXPECT_EQ(find_overlap(forget, holdout).shared_holdout, 1) << "case and white space do not count";
}

TEST(HiddenTextsTest, ATraceWithoutTextHasNoHash) {
  trace::Trace trace{.index = "0"};
  hide_texts("salt", trace);
  EXPECT_FALSE(trace.text_hash || trace.zlib_size);
}

}  // namespace
}  // namespace palimpsest::attack
