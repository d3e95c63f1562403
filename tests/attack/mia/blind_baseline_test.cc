#include "palimpsest/attack/internal/mia/blind_baseline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/attack/made_up_authors.h"
#include "tests/attack/score_sets.h"

namespace palimpsest::attack {
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

// Without clusters, or with blocks of `size`.
std::optional<BlindBaseline> blind(const TraceScores& forget, const TraceScores& holdout,
                                   const BlindOptions& options = {}, int64_t size = 1) {
  return blind_baseline(forget, holdout, block_clusters(forget, holdout, size), options);
}

TEST(BlindBaselineTest, SeesADifferenceOfTheTexts) {
  const auto result = blind(texts(1, 60, 0.9), texts(2, 60));
  ASSERT_TRUE(result);
  EXPECT_GT(result->auc, 0.8);
  EXPECT_EQ(result->p_value, 1.0 / 200);
  EXPECT_TRUE(result->separates(0.05));
  EXPECT_FALSE(result->notable(0.05));
  EXPECT_LT(result->null_range.low, 0.5);
  EXPECT_GT(result->null_range.high, 0.5);
  EXPECT_LT(result->null_range.high, result->auc);
  EXPECT_EQ(result->forget_texts, 60);
  EXPECT_EQ(result->forget_clusters, 60);
  for (const auto& score : result->forget) {
    ASSERT_TRUE(score);
    EXPECT_GT(*score, 0);
    EXPECT_LT(*score, 1);
  }
  ASSERT_FALSE(result->informative.empty());
  EXPECT_LE(result->informative.size(), 8U);
  EXPECT_EQ(result->informative[0].name, "quux");
  EXPECT_EQ(result->informative[0].side, "forget");
  EXPECT_GT(result->informative[0].forget, 45);
  EXPECT_EQ(result->informative[0].holdout, 0);
}

TEST(BlindBaselineTest, SeesADifferenceOfTheLengths) {
  TraceScores longer = texts(1, 60);
  Random random(3);
  for (ExampleFacts& facts : longer.facts) *facts.text += " " + random_text(random, 6);
  const auto result = blind(texts(2, 60), longer);
  EXPECT_TRUE(result->separates());
  ASSERT_FALSE(result->informative.empty());
  EXPECT_FALSE(result->informative[0].is_word);
  EXPECT_EQ(result->informative[0].side, "holdout");
}

TEST(BlindBaselineTest, AlarmsOnlyBeyondTheMargin) {
  BlindBaseline result{.auc = 0.56, .p_value = 0.05};
  EXPECT_TRUE(result.separates(0.05));
  EXPECT_FALSE(result.notable(0.05));
  EXPECT_FALSE(result.separates(0.1));
  EXPECT_TRUE(result.notable(0.1));
  result.p_value = 0.055;
  EXPECT_FALSE(result.separates(0.05));
  EXPECT_FALSE(result.notable(0.1));
}

TEST(BlindBaselineTest, ExchangeableTextsHaveNothingTelling) {
  const auto result = blind(texts(1, 60), texts(2, 60));
  ASSERT_TRUE(result);
  EXPECT_GT(result->p_value, 0.05);
  EXPECT_TRUE(result->null_range.contains(result->auc));
  EXPECT_TRUE(result->informative.empty());
}

TEST(BlindBaselineTest, DependsOnTheSeedAndNotOnTheThreads) {
  const TraceScores forget = texts(1, 40, 0.5);
  const TraceScores holdout = texts(2, 50);
  const auto one = blind(forget, holdout, {.threads = 1});
  for (int threads : {2, 3, 7}) {
    const auto several = blind(forget, holdout, {.threads = threads});
    EXPECT_EQ(one->forget, several->forget);
    EXPECT_EQ(one->holdout, several->holdout);
    EXPECT_EQ(one->p_value, several->p_value);
    EXPECT_EQ(one->null_range, several->null_range);
    ASSERT_EQ(one->informative.size(), several->informative.size());
    for (size_t i = 0; i < one->informative.size(); ++i)
      EXPECT_EQ(one->informative[i].name, several->informative[i].name);
  }
  EXPECT_NE(one->forget, blind(forget, holdout, {.seed = 1})->forget);
}

// The names of made-up authors tell their set to who has seen another text about the author, and to
// nobody else.
TEST(BlindBaselineTest, NamesWithinAClusterAreNoDifferenceOfTheSets) {
  const AuthorSplit split = split_authors(Random(4), 100, 10, 10);
  const auto split_up = blind(split.forget, split.holdout);
  EXPECT_GT(split_up->auc, 0.9);
  EXPECT_TRUE(split_up->separates());
  const auto together = blind(split.forget, split.holdout, {}, 10);
  EXPECT_LT(together->auc, 0.75);
  EXPECT_FALSE(together->separates());
  EXPECT_EQ(together->forget_clusters, 10);
  EXPECT_EQ(together->holdout_clusters, 10);
}

// What tells the sets is named, not the authors' names.
TEST(BlindBaselineTest, ADifferenceOfAllAuthorsIsSeenAndNamed) {
  AuthorSplit split = split_authors(Random(5), 100, 10, 10);
  for (ExampleFacts& facts : split.holdout.facts) *facts.text += " This is well known.";
  const auto result = blind(split.forget, split.holdout, {}, 10);
  EXPECT_TRUE(result->separates());
  const auto& informative = result->informative;
  EXPECT_TRUE(
      std::any_of(informative.begin(), informative.end(), [](const InformativeFeature& feature) {
        return feature.name == "well known" || feature.name == "this is" || feature.name == "known";
      }));
}

// The same texts in both sets cannot be told apart; were a text's twin in another fold, the model
// would have learnt its label the wrong way round and the AUC would be far below one half.
TEST(BlindBaselineTest, TwinsStayInOneFold) {
  const TraceScores forget = texts(1, 100);
  for (int64_t size : {1, 5}) {
    const auto result = blind(forget, forget, {}, size);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->auc, 0.5);
    EXPECT_EQ(result->forget, result->holdout);
    EXPECT_EQ(result->forget_clusters, 100 / size);
    EXPECT_GT(result->p_value, 0.05);
  }
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
  const auto together = blind(alternatives(1), alternatives(2));
  EXPECT_FALSE(together->separates());
  EXPECT_EQ(together->forget_clusters, 30);
  TraceScores unrelated = alternatives(1);
  for (size_t i = 0; i < unrelated.examples.size(); ++i)
    unrelated.examples[i] = {std::to_string(i)};
  EXPECT_GT(blind(unrelated, alternatives(2))->auc, together->auc);
}

// Authors in both sets: what differs within every author is seen.
TEST(BlindBaselineTest, ClustersInBothSetsArePermutedInside) {
  std::vector<uint64_t> authors = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  TraceScores sets[2] = {author_set(authors, 12), author_set(authors, 12)};
  for (size_t i = 0; i < 120; ++i) {
    *sets[0].facts[i].text += " forget";
    if (i % 12 < 6) *sets[1].facts[i].text += " unlike";
  }
  ExampleClusters clusters = block_clusters(sets[0], sets[1], 12);
  clusters.holdout = clusters.forget;
  const auto result = blind_baseline(sets[0], sets[1], clusters, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->forget_clusters, 10);
  EXPECT_EQ(result->holdout_clusters, 10);
  EXPECT_TRUE(result->separates());
}

TEST(BlindBaselineTest, TooFewTextsGiveNone) {
  EXPECT_FALSE(blind(texts(1, 19), texts(2, 60)));
  EXPECT_FALSE(blind(set_of(ScoreColumn(60, 1.0)), texts(2, 60)));
  TraceScores repeated = texts(1, 60);
  for (ExampleFacts& facts : repeated.facts) facts.text = "one and the same";
  EXPECT_FALSE(blind(repeated, texts(2, 60)));
  EXPECT_FALSE(blind(texts(1, 60), texts(2, 60), {}, 15));  // four clusters
  EXPECT_TRUE(blind(texts(1, 60), texts(2, 60), {}, 12));
}

TEST(BlindBaselineTest, LargeSetsAreSampled) {
  const auto result = blind(texts(1, 80), texts(2, 30), {.max_texts = 70});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->forget_texts, 40);
  EXPECT_EQ(result->holdout_texts, 30);
  EXPECT_EQ(std::count(result->forget.begin(), result->forget.end(), std::nullopt), 40);
  EXPECT_EQ(std::count(result->holdout.begin(), result->holdout.end(), std::nullopt), 0);
}

// How many of `runs` random splits of made-up authors are called different, with the mean AUC.
struct AlarmCount {
  int64_t alarms = 0;
  double mean_auc = 0;
};
struct SplitPlan {
  uint64_t runs = 0;
  size_t authors = 0;  // in each set
  int64_t questions = 0;
  int64_t permutations = 199;
};
AlarmCount alarms_on_authors(const SplitPlan& plan) {
  AlarmCount count;
  for (uint64_t run = 0; run < plan.runs; ++run) {
    const AuthorSplit split =
        split_authors(Random(31).split(run), 8 * plan.authors, plan.authors, plan.questions);
    const auto result =
        blind(split.forget, split.holdout,
              {.permutations = plan.permutations, .seed = run, .threads = 1}, plan.questions);
    count.alarms += result->p_value <= kBlindLevel ? 1 : 0;
    count.mean_auc += result->auc / static_cast<double>(plan.runs);
  }
  return count;
}

TEST(BlindBaselineTest, RandomSplitsOfAuthorsAreSeldomToldApart) {
  const AlarmCount count = alarms_on_authors({100, 8, 5, 39});
  EXPECT_LE(count.alarms, 13);  // P(more) = 0.05% at 5%
  EXPECT_GE(count.alarms, 1);   // P(fewer) = 0.6%: the test is not merely silent
  EXPECT_NEAR(count.mean_auc, 0.5, 0.05);
}

TEST(BlindBaselineTest, AnotherSourceIsToldApart) {
  int64_t told = 0;
  for (uint64_t run = 0; run < 20; ++run) {
    AuthorSplit split = split_authors(Random(7).split(run), 80, 8, 5);
    Random random(run);
    for (ExampleFacts& facts : split.holdout.facts)
      facts.text = "Which river crosses " + made_up_name(random, 3) + "? It is the " +
                   made_up_name(random, 2) + ".";
    const auto result = blind(split.forget, split.holdout, {.seed = run}, 5);
    told += result->separates() ? 1 : 0;
  }
  EXPECT_EQ(told, 20);
}

TEST(BlindBaselineSlowTest, RandomSplitsOfAuthorsAreSeldomToldApart) {
  const AlarmCount count = alarms_on_authors({400, 20, 20, 199});
  EXPECT_LE(count.alarms, 35);  // 99.9% of Bin(400, 5%)
  EXPECT_GE(count.alarms, 8);   // 0.1%
  EXPECT_NEAR(count.mean_auc, 0.5, 0.02);
}

// Half of the texts of one set end in the same words, whoever they are about.
TEST(BlindBaselineSlowTest, ADifferenceOfAllAuthorsIsSeen) {
  int64_t told = 0;
  constexpr uint64_t kRuns = 100;
  for (uint64_t run = 0; run < kRuns; ++run) {
    AuthorSplit split = split_authors(Random(9).split(run), 160, 20, 20);
    Random random(run);
    for (ExampleFacts& facts : split.holdout.facts) {
      if (random.below(2) == 0) *facts.text += " Or so they say.";
    }
    told += blind(split.forget, split.holdout, {.seed = run}, 20)->separates() ? 1 : 0;
  }
  EXPECT_GE(told, 95);
}

// Texts of one source, with and without topics that several texts share, all independent.
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
      const auto result = blind(sets[0], sets[1], {.seed = run, .threads = 1});
      mean += result->auc / kRuns;
      if (result->p_value <= kBlindLevel) ++told;
    }
    EXPECT_LE(told, 73) << topics;             // 99.9% of Bin(1000, 5%)
    EXPECT_GE(told, 30) << topics;             // 0.1%
    EXPECT_NEAR(mean, 0.5, 0.0105) << topics;  // four deviations
  }
}

}  // namespace
}  // namespace palimpsest::attack
