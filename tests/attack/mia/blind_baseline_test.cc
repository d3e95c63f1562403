#include "palimpsest/attack/mia/blind_baseline.h"

#include <gtest/gtest.h>

#include "tests/attack/score_sets.h"

namespace palimpsest {
namespace {

// Texts of one source; with probability `marked` a text ends in a word that the others lack.
TraceScores texts(uint64_t seed, int64_t count, double marked = 0) {
  TraceScores set = set_of(ScoreColumn(static_cast<size_t>(count), 1.0));
  Random random(seed);
  for (ExampleFacts& facts : set.facts) {
    facts.text = random_text(random, 15);
    if (random.uniform() < marked) *facts.text += " quux";
  }
  return set;
}

TEST(BlindBaselineTest, SeesADifferenceOfTheTexts) {
  const auto blind = blind_baseline(texts(1, 60, 0.9), texts(2, 60), {});
  ASSERT_TRUE(blind);
  EXPECT_GT(blind->auc, 0.8);
  EXPECT_TRUE(blind->separates());
  EXPECT_TRUE(blind->auc_ci.contains(blind->auc));
  EXPECT_EQ(blind->forget_texts, 60);
  for (const auto& score : blind->forget) {
    ASSERT_TRUE(score);
    EXPECT_GT(*score, 0);
    EXPECT_LT(*score, 1);
  }
}

TEST(BlindBaselineTest, SeesADifferenceOfTheLengths) {
  TraceScores longer = texts(1, 60);
  Random random(3);
  for (ExampleFacts& facts : longer.facts) *facts.text += " " + random_text(random, 6);
  EXPECT_TRUE(blind_baseline(longer, texts(2, 60), {})->separates());
}

TEST(BlindBaselineTest, DependsOnTheSeedAndNotOnTheThreads) {
  const TraceScores forget = texts(1, 40, 0.5);
  const TraceScores holdout = texts(2, 50);
  const auto one = blind_baseline(forget, holdout, {.threads = 1});
  const auto three = blind_baseline(forget, holdout, {.threads = 3});
  EXPECT_EQ(one->forget, three->forget);
  EXPECT_EQ(one->holdout, three->holdout);
  EXPECT_NE(one->forget, blind_baseline(forget, holdout, {.seed = 1})->forget);
}

// The same texts in both sets cannot be told apart; were a text's twin in another fold, the model
// would have learnt its label the wrong way round and the AUC would be far below one half.
TEST(BlindBaselineTest, TwinsStayInOneFold) {
  const TraceScores forget = texts(1, 100);
  const auto blind = blind_baseline(forget, forget, {});
  ASSERT_TRUE(blind);
  EXPECT_EQ(blind->auc, 0.5);
  EXPECT_EQ(blind->forget, blind->holdout);
}

// The alternatives of one example share most of their text, which tells their set.
TEST(BlindBaselineTest, AlternativesOfOneExampleStayInOneFold) {
  auto alternatives = [](uint64_t seed) {
    TraceScores set = texts(seed, 120);
    Random random(seed + 100);
    std::string stem;
    for (size_t i = 0; i < set.facts.size(); ++i) {
      if (i % 4 == 0) stem = random_text(random, 15);
      set.examples[i] = {std::to_string(i / 4), static_cast<int64_t>(i % 4)};
      set.facts[i].text = stem + " " + random_text(random, 1);
    }
    return set;
  };
  EXPECT_FALSE(blind_baseline(alternatives(1), alternatives(2), {})->separates());
  TraceScores unrelated = alternatives(1);
  for (size_t i = 0; i < unrelated.examples.size(); ++i)
    unrelated.examples[i] = {std::to_string(i)};
  EXPECT_GT(blind_baseline(unrelated, alternatives(2), {})->auc,
            blind_baseline(alternatives(1), alternatives(2), {})->auc);
}

TEST(BlindBaselineTest, TooFewTextsGiveNone) {
  EXPECT_FALSE(blind_baseline(texts(1, 19), texts(2, 60), {}));
  EXPECT_FALSE(blind_baseline(set_of(ScoreColumn(60, 1.0)), texts(2, 60), {}));
  TraceScores repeated = texts(1, 60);
  for (ExampleFacts& facts : repeated.facts) facts.text = "one and the same";
  EXPECT_FALSE(blind_baseline(repeated, texts(2, 60), {}));
}

TEST(BlindBaselineTest, LargeSetsAreSampled) {
  const auto blind = blind_baseline(texts(1, 80), texts(2, 30), {.max_texts = 40});
  ASSERT_TRUE(blind);
  EXPECT_EQ(blind->forget_texts, 40);
  EXPECT_EQ(blind->holdout_texts, 30);
  EXPECT_EQ(std::count(blind->forget.begin(), blind->forget.end(), std::nullopt), 40);
  EXPECT_EQ(std::count(blind->holdout.begin(), blind->holdout.end(), std::nullopt), 0);
}

// Texts of one source, with and without topics that several texts share: the sets are called
// different in at most 2.5% of all samples, and the mean AUC is one half.
TEST(BlindBaselineSlowTest, ExchangeableTextsAreSeldomToldApart) {
  constexpr int kRuns = 1000;
  for (uint64_t topics : {0, 25}) {
    int told = 0;
    double mean = 0;
    for (uint64_t run = 0; run < kRuns; ++run) {
      Random random = Random(21 + topics).split(run);
      TraceScores sets[2];
      for (TraceScores& set : sets) {
        set = set_of(ScoreColumn(50, 1.0));
        for (ExampleFacts& facts : set.facts) {
          facts.text = random_text(random, 12);
          if (topics == 0) continue;
          Random topic(1000 * run + random.below(topics));
          *facts.text += " " + random_text(topic, 12);
        }
      }
      const auto blind = blind_baseline(sets[0], sets[1], {.seed = run, .threads = 1});
      mean += blind->auc / kRuns;
      if (blind->separates()) ++told;
    }
    EXPECT_LT(told, 0.04 * kRuns) << topics;   // three deviations above 2.5%
    EXPECT_NEAR(mean, 0.5, 0.0105) << topics;  // four deviations
  }
}

}  // namespace
}  // namespace palimpsest
