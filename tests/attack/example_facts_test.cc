#include "palimpsest/attack/example_facts.h"

#include <gtest/gtest.h>

#include <utility>

namespace palimpsest::attack {
namespace {

TEST(ExampleFactsTest, KeepsWhatResultsAreSplitBy) {
  trace::Trace trace{.index = "7", .text = "a b", .num_labels = 2, .label = {{4, 5}}};
  trace.groups["author"] = "x";
  const ExampleFacts facts = facts_of(std::move(trace));
  EXPECT_EQ(facts.num_labels, 2);
  EXPECT_EQ(facts.text, "a b");
  EXPECT_EQ(facts.label, (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(facts.groups.at("author"), "x");
}

TEST(ExampleFactsTest, SumsUpLogProbabilities) {
  const ExampleFacts facts = facts_of({.index = "7", .num_labels = 3, .logprob = {{-1, -2.5}}});
  EXPECT_EQ(facts.logprob_sum, -3.5);
  EXPECT_EQ(facts.logprob_count, 2);
  EXPECT_FALSE(facts_of({.index = "7", .num_labels = 3}).logprob_sum);
}

TEST(ExampleFactsTest, PromptsThatReadTheSameHaveOneHash) {
  auto hash = [](const std::string& prompt) {
    return facts_of({.index = "7", .prompt = prompt}).prompt_hash;
  };
  EXPECT_TRUE(hash("Who?"));
  EXPECT_EQ(hash("Who is it?"), hash(" who is\n it?"));
  EXPECT_NE(hash("Who is it?"), hash("Who was it?"));
  EXPECT_FALSE(facts_of({.index = "7"}).prompt_hash);
}

TEST(ExampleFactsTest, DroppedContentIsComparedAsBefore) {
  const ExampleFacts examples[] = {{.num_labels = 2, .text = "Born in  Lima."},
                                   {.num_labels = 2, .text = "born in lima."},
                                   {.num_labels = 2, .text = ""},
                                   {.num_labels = 2, .label = {{1, 2}}},
                                   {.num_labels = 2, .label = {{1, 258}}},
                                   {.num_labels = 2, .text_hash = "0123"},
                                   {.num_labels = 2}};
  for (const ExampleFacts& facts : examples) {
    ExampleFacts dropped = facts;
    DroppedTotals totals;
    drop_content(dropped, totals);
    EXPECT_FALSE(dropped.text || dropped.label);
    EXPECT_EQ(content_bytes(dropped), 0);
    EXPECT_EQ(has_text(dropped), has_text(facts));
    EXPECT_EQ(exact_content(dropped), exact_content(facts));
    EXPECT_EQ(normalised_content(dropped), normalised_content(facts));
  }
  EXPECT_NE(exact_content(examples[0]), exact_content(examples[1]));
  EXPECT_EQ(normalised_content(examples[0]), normalised_content(examples[1]));
  EXPECT_NE(exact_content(examples[3]), exact_content(examples[4]));
  EXPECT_TRUE(exact_content(examples[2]).is_none() && exact_content(examples[6]).is_none());
}

TEST(ExampleFactsTest, DroppedLabelsAreCounted) {
  DroppedTotals totals;
  ExampleFacts first{.num_labels = 3, .label = {{4, 5, 4}}, .logprob_sum = -1};
  ExampleFacts second{.num_labels = 2, .label = {{4, 1L << 40}}};
  drop_content(first, totals);
  drop_content(second, totals);
  EXPECT_EQ(first.dropped->unigrams, (std::vector<uint64_t>{4, 5, 4}));
  EXPECT_EQ(totals.labels, (DroppedTotals::Counts{{4, 3}, {5, 1}, {1L << 40, 1}}));
  EXPECT_EQ(totals.unscored, (DroppedTotals::Counts{{4, 1}, {1L << 40, 1}}));
  EXPECT_EQ(totals.lengths, (DroppedTotals::Counts{{3, 1}}));
  EXPECT_EQ(totals.repeated.size(), 1U);
  EXPECT_EQ((totals.repeated[{4, 2}]), 1);
  DroppedTotals both = totals;
  both.merge(totals);
  EXPECT_EQ(both.labels.at(4), 6);
}

TEST(ExampleFactsTest, KeptUnigramsAreEvenlySpaced) {
  std::vector<int64_t> label(160);
  for (size_t i = 0; i < label.size(); ++i) label[i] = static_cast<int64_t>(i);
  ExampleFacts facts{.num_labels = 160, .label = label};
  DroppedTotals totals;
  drop_content(facts, totals);
  ASSERT_EQ(facts.dropped->unigrams.size(), kKeptUnigrams);
  EXPECT_EQ(facts.dropped->unigrams[0], 0U);
  EXPECT_EQ(facts.dropped->unigrams[15], 150U);
}

TEST(SqueezedTextTest, LowersLettersAndSqueezesWhiteSpace) {
  EXPECT_EQ(normalised_text("  Born \t\r\n in\vLIMA. "), "born in lima.");
  EXPECT_EQ(normalised_text("Été"), "Été");  // only ASCII letters
  EXPECT_EQ(normalised_text(" \n"), "");
}

TEST(WordsOfTest, SplitsAtWhatIsNoLetterOrDigit) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_of("Born in 1984, she-wolf!"), (Words{"born", "in", "1984", "she", "wolf"}));
  EXPECT_EQ(words_of("Élan — été"), (Words{"Élan", "—", "été"}));
  EXPECT_EQ(words_of(" ,. "), Words{});
  EXPECT_EQ(words_of(""), Words{});
}

}  // namespace
}  // namespace palimpsest::attack
