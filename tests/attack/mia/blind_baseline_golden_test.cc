// Against a ridge regression in numpy on the same features (tools/golden/blind.py).

#include <gtest/gtest.h>

#include "palimpsest/attack/internal/mia/blind_baseline.h"
#include "palimpsest/attack/internal/mia/text_features.h"
#include "palimpsest/stat/internal/ridge.h"
#include "tests/attack/made_up_authors.h"
#include "tests/attack/score_sets.h"
#include "tests/support/golden.h"

namespace palimpsest::attack {
namespace {

std::vector<std::string> strings_of(const Json& list) {
  return list.get<std::vector<std::string>>();
}

TraceScores texts_of(const Json& list) {
  return with_texts(set_of(ScoreColumn(list.size(), 1.0)), strings_of(list));
}

// The same folds: what is left is the rounding of the features to float.
TEST(BlindBaselineGoldenTest, ValuesOfOneCrossValidationAgreeWithNumpy) {
  const Json golden = read_golden("attack/blind_baseline.json");
  ASSERT_GE(golden["cases"].size(), 7U);
  for (const Json& item : golden["cases"]) {
    const std::vector<std::string> sets[2] = {strings_of(item["forget"]),
                                              strings_of(item["holdout"])};
    std::vector<const std::string*> texts;
    std::vector<double> labels;
    for (const auto& set : sets) {
      for (const std::string& text : set) {
        texts.push_back(&text);
        labels.push_back(&set == &sets[0] ? -1 : 1);
      }
    }
    const stat::DenseMatrix gram = stat::gram_matrix(text_features(texts, 10'000, 1), 1);
    const auto folds = item["folds"].get<std::vector<size_t>>();
    const auto values = item["values"].get<std::vector<double>>();
    for (size_t fold = 0; fold < 5; ++fold) {
      std::vector<size_t> fitted;
      std::vector<size_t> scored;
      for (size_t i = 0; i < folds.size(); ++i) (folds[i] == fold ? scored : fitted).push_back(i);
      const stat::DenseMatrix smoother = stat::ridge_smoother(gram, fitted, scored, 1);
      for (size_t j = 0; j < scored.size(); ++j) {
        double value = 0;
        for (size_t i = 0; i < fitted.size(); ++i) value += smoother.at(i, j) * labels[fitted[i]];
        EXPECT_NEAR(value, values[scored[j]], 2e-6) << item["name"];
      }
    }
  }
}

// Other draws of the folds and permutations, so both sides are averaged over twenty of them; what
// is left is noise of about 0.01.
TEST(BlindBaselineGoldenTest, MeansOverFoldsAgreeWithNumpy) {
  const Json golden = read_golden("attack/blind_baseline.json");
  for (const Json& item : golden["cases"]) {
    const TraceScores forget = texts_of(item["forget"]);
    const TraceScores holdout = texts_of(item["holdout"]);
    const ExampleClusters clusters =
        block_clusters(forget, holdout, item["cluster_size"].get<int64_t>());
    constexpr uint64_t kDraws = 20;
    double mean = 0;
    stat::Interval range;
    for (uint64_t seed = 0; seed < kDraws; ++seed) {
      const auto result = blind_baseline(forget, holdout, clusters, {.seed = seed});
      mean += result->auc / kDraws;
      range.low += result->null_range.low / kDraws;
      range.high += result->null_range.high / kDraws;
    }
    EXPECT_NEAR(mean, item["auc"].get<double>(), 0.02) << item["name"];
    EXPECT_NEAR(range.low, item["null_low"].get<double>(), 0.02) << item["name"];
    EXPECT_NEAR(range.high, item["null_high"].get<double>(), 0.02) << item["name"];
  }
}

}  // namespace
}  // namespace palimpsest::attack
