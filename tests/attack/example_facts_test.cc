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
