#include "palimpsest/attack/internal/mia/dependence.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "palimpsest/attack/internal/mia/family.h"
#include "tests/attack/score_sets.h"

namespace palimpsest::attack {
namespace {

constexpr std::array kNames = {"loss", "min_k", "zlib"};

struct MadeUp {
  int64_t authors = 20;
  int64_t questions = 20;
  double icc = 0.1;
  bool texts = false;   // which name their author, four times out of five
  bool column = false;  // "author"
};

// One set of an audit in TOFU's shape: scores of three attacks with a latent effect of the author.
TraceScores made_up_set(Random& random, const MadeUp& shape, const std::string& name) {
  TraceScores set{.columns = {{}, {}, {}}, .lacking = {"", "", ""}};
  for (int64_t g = 0; g < shape.authors; ++g) {
    const std::string author = name + std::to_string(g);
    std::array<double, 3> effect;
    for (double& e : effect) e = std::sqrt(shape.icc) * random.normal();
    for (int64_t q = 0; q < shape.questions; ++q) {
      const double common = random.normal();
      for (size_t k = 0; k < effect.size(); ++k) {
        const double own = std::sqrt(0.7) * common + std::sqrt(0.3) * random.normal();
        set.columns[k].push_back(effect[k] + std::sqrt(1 - shape.icc) * own);
      }
      set.examples.push_back({std::to_string(set.examples.size()), 0});
      ExampleFacts& facts = set.facts.emplace_back();
      if (shape.texts) {
        facts.text = random_text(random, 12);
        if (random.uniform() < 0.8) *facts.text += " " + author;
      }
      if (shape.column) facts.groups["author"] = author;
    }
  }
  return set;
}

struct Sets {
  TraceScores forget;
  TraceScores holdout;

  std::vector<FamilyMember> attacks() const {
    std::vector<FamilyMember> members;
    for (size_t k = 0; k < forget.columns.size(); ++k)
      members.push_back({.attack = kNames[k], .scores = {forget.columns[k], holdout.columns[k]}});
    return members;
  }
  // Few permutations, since hundreds of audits are made here.
  Dependence detect(const DependenceOptions& options = {.permutations = 199}) const {
    return detect_dependence(forget, holdout, attacks(), options);
  }
};

Sets made_up(uint64_t seed, const MadeUp& shape) {
  Random random(seed);
  TraceScores forget = made_up_set(random, shape, "Vasquez");
  return {std::move(forget), made_up_set(random, shape, "Okoye")};
}

void shuffle(TraceScores& set, Random& random) {
  for (size_t i = set.examples.size(); i > 1; --i) {
    const size_t j = random.below(i);
    std::swap(set.facts[i - 1], set.facts[j]);
    for (auto& column : set.columns) std::swap(column[i - 1], column[j]);
  }
}

Sets shuffled(Sets sets, uint64_t seed) {
  Random random(seed);
  shuffle(sets.forget, random);
  shuffle(sets.holdout, random);
  return sets;
}

TEST(DependenceTest, SuspectsAuthorsByTheOrderOfScores) {
  int suspected = 0;
  int guessed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Dependence found = made_up(seed, {}).detect({.permutations = 199, .seed = seed});
    EXPECT_EQ(found.kind, found.suspected ? "order" : "");
    suspected += found.suspected ? 1 : 0;
    guessed += found.option == "--cluster-size 20" ? 1 : 0;
  }
  EXPECT_GE(suspected, 90);
  EXPECT_GE(guessed, 80);
}

TEST(DependenceTest, SuspectsAuthorsByTheirNames) {
  // Without any effect on the scores.
  const MadeUp shape{.authors = 6, .questions = 10, .icc = 0, .texts = true};
  int suspected = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Dependence found = made_up(seed, shape).detect({.permutations = 199, .seed = seed});
    suspected += found.kind == "shared_words" && found.option == "--cluster-size 10" ? 1 : 0;
  }
  EXPECT_GE(suspected, 38);
}

// The level is 3%, so that 6 of 200 are expected; more than 14 have a probability of 0.1%.
TEST(DependenceTest, IsSilentOnShuffledFiles) {
  int suspected = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Sets sets = shuffled(made_up(seed, {.texts = true}), seed + 1000);
    suspected += sets.detect({.permutations = 199, .seed = seed}).suspected ? 1 : 0;
  }
  EXPECT_LE(suspected, 14);
}

TEST(DependenceTest, IsSilentOnIndependentExamples) {
  // Texts share no rare words on purpose, the column means nothing.
  const MadeUp shape{.authors = 25, .questions = 4, .icc = 0, .column = true};
  int suspected = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    suspected += made_up(seed, shape).detect({.permutations = 199, .seed = seed}).suspected ? 1 : 0;
  }
  EXPECT_LE(suspected, 14);
}

TEST(DependenceTest, NamesTheColumnEvenIfTheFileIsShuffled) {
  const Sets sets = shuffled(made_up(1, {.icc = 0.2, .column = true}), 2);
  const Dependence found = sets.detect();
  ASSERT_TRUE(found.suspected);
  EXPECT_EQ(found.kind, "column");
  EXPECT_EQ(found.option, "--cluster-key author");
  EXPECT_NE(found.evidence.find("Examples with the same 'author' score alike"), std::string::npos);
  EXPECT_NE(found.evidence.find("over 40 groups"), std::string::npos);
}

TEST(DependenceTest, ColumnsThatCannotBeClustersAreNotLookedAt) {
  const Sets sets = shuffled(made_up(1, {.icc = 0.2, .column = true}), 2);
  ASSERT_EQ(sets.detect().kind, "column");
  // In both sets: a kind of example, not a source of it.
  Sets both = sets;
  both.holdout.facts[0].groups["author"] = both.forget.facts[0].groups["author"];
  EXPECT_NE(both.detect().kind, "column");
  // Missing somewhere.
  Sets missing = sets;
  missing.holdout.facts[5].groups.clear();
  EXPECT_NE(missing.detect().kind, "column");
  // One group per set, or one per example.
  Sets whole = sets;
  Sets single = sets;
  for (auto* set : {&whole.forget, &whole.holdout}) {
    for (ExampleFacts& facts : set->facts)
      facts.groups["author"] = set == &whole.forget ? "forget" : "holdout";
  }
  int number = 0;
  for (auto* set : {&single.forget, &single.holdout}) {
    for (ExampleFacts& facts : set->facts) facts.groups["author"] = std::to_string(number++);
  }
  EXPECT_NE(whole.detect().kind, "column");
  EXPECT_NE(single.detect().kind, "column");
}

TEST(DependenceTest, TellsAllThatItFound) {
  const Sets sets = made_up(3, {.icc = 0.3, .texts = true, .column = true});
  const Dependence found = sets.detect();
  EXPECT_EQ(found.kind, "column");
  EXPECT_EQ(found.option, "--cluster-key author");
  EXPECT_EQ(found.cluster_size, 20);
  EXPECT_NE(found.evidence.find("Neighbours in the files share rare words, such as '"),
            std::string::npos);
  EXPECT_NE(found.evidence.find("Neighbours in the files score alike"), std::string::npos);
}

TEST(DependenceTest, QuotesNoWordUnlessItMay) {
  const Sets sets = made_up(3, {.texts = true});
  EXPECT_NE(sets.detect().evidence.find("'okoye"), std::string::npos);
  const Dependence silent = sets.detect({.permutations = 199, .quotes_words = false});
  EXPECT_EQ(silent.kind, "shared_words");
  EXPECT_EQ(silent.evidence.find("okoye"), std::string::npos);
  EXPECT_EQ(silent.evidence.find('\''), std::string::npos);
}

TEST(DependenceTest, SizesThatDoNotDivideTheSetsAreNotGuessed) {
  Sets sets = made_up(3, {.icc = 0.3});
  sets.forget.examples.pop_back();
  sets.forget.facts.pop_back();
  for (auto& column : sets.forget.columns) column.pop_back();
  const Dependence found = sets.detect();
  EXPECT_TRUE(found.suspected);
  EXPECT_EQ(found.option, "--cluster-size N");
  EXPECT_EQ(found.cluster_size, 0);
}

TEST(DependenceTest, AlternativesOfOneExampleAreNoSign) {
  Sets sets = made_up(4, {.questions = 10, .icc = 0});
  for (auto* set : {&sets.forget, &sets.holdout}) {
    TraceScores twice{.columns = {{}, {}, {}}, .lacking = set->lacking};
    for (size_t i = 0; i < set->examples.size(); ++i) {
      for (int64_t a : {0, 1}) {
        twice.examples.push_back({set->examples[i].index, a});
        twice.facts.push_back(set->facts[i]);
        for (size_t k = 0; k < 3; ++k) twice.columns[k].push_back(set->columns[k][i]);
      }
    }
    *set = twice;
  }
  EXPECT_FALSE(sets.detect().suspected);
  // As examples of their own they would be one.
  for (auto* set : {&sets.forget, &sets.holdout}) {
    for (size_t i = 0; i < set->examples.size(); ++i) set->examples[i].index = std::to_string(i);
  }
  EXPECT_EQ(sets.detect().option, "--cluster-size 2");
}

TEST(DependenceTest, NothingToLookAt) {
  const Sets empty{TraceScores{.columns = {{}, {}, {}}}, TraceScores{.columns = {{}, {}, {}}}};
  EXPECT_FALSE(empty.detect().suspected);
  Sets constant = made_up(1, {});
  for (auto* set : {&constant.forget, &constant.holdout}) {
    for (auto& column : set->columns) column.assign(column.size(), 1.0);
  }
  EXPECT_FALSE(constant.detect().suspected);
  // Without facts the scores alone speak.
  Sets bare = made_up(1, {.icc = 0.3, .texts = true, .column = true});
  bare.forget.facts.clear();
  bare.holdout.facts.clear();
  EXPECT_EQ(bare.detect().kind, "order");
  EXPECT_FALSE(detect_dependence(constant.forget, constant.holdout, {}).suspected);
}

TEST(DependenceTest, DoesNotDependOnThreads) {
  const Sets sets = made_up(6, {.texts = true, .column = true});
  EXPECT_EQ(sets.detect({.permutations = 199, .threads = 1}).evidence,
            sets.detect({.permutations = 199, .threads = 3}).evidence);
}

}  // namespace
}  // namespace palimpsest::attack
