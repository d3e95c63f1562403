#include "palimpsest/attack/example_facts.h"

#include <gtest/gtest.h>

#include <utility>

namespace palimpsest {
namespace {

TEST(ExampleFactsTest, KeepsWhatResultsAreSplitBy) {
  Trace trace{.index = "7", .text = "a b", .num_labels = 2, .label = {{4, 5}}};
  trace.groups["author"] = "x";
  const ExampleFacts facts = facts_of(std::move(trace));
  EXPECT_EQ(facts.num_labels, 2);
  EXPECT_EQ(facts.text, "a b");
  EXPECT_EQ(facts.label, (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(facts.groups.at("author"), "x");
}

TEST(WordsOfTest, SplitsAtWhatIsNoLetterOrDigit) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_of("Born in 1984, she-wolf!"), (Words{"born", "in", "1984", "she", "wolf"}));
  EXPECT_EQ(words_of("Élan — été"), (Words{"Élan", "—", "été"}));
  EXPECT_EQ(words_of(" ,. "), Words{});
  EXPECT_EQ(words_of(""), Words{});
}

}  // namespace
}  // namespace palimpsest
