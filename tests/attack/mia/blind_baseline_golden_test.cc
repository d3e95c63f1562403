// Against a classifier of the same kind from scikit-learn (tools/golden/blind.py). Folds and hashes
// differ, so both sides are averaged over twenty draws of the folds; what is left is noise of about
// 0.01.

#include <gtest/gtest.h>

#include "palimpsest/attack/mia/blind_baseline.h"
#include "tests/attack/score_sets.h"
#include "tests/support/golden.h"

namespace palimpsest {
namespace {

TraceScores texts_of(const Json& list) {
  TraceScores set = set_of(ScoreColumn(list.size(), 1.0));
  return with_texts(std::move(set), list.get<std::vector<std::string>>());
}

TEST(BlindBaselineGoldenTest, AgreesWithScikitLearn) {
  const Json golden = read_golden("attack/blind_baseline.json");
  ASSERT_GE(golden["cases"].size(), 5U);
  for (const Json& item : golden["cases"]) {
    const TraceScores forget = texts_of(item["forget"]);
    const TraceScores holdout = texts_of(item["holdout"]);
    constexpr uint64_t kDraws = 20;
    double mean = 0;
    for (uint64_t seed = 0; seed < kDraws; ++seed) {
      mean += blind_baseline(forget, holdout, {.seed = seed})->auc / kDraws;
    }
    EXPECT_NEAR(mean, item["auc"].get<double>(), 0.02) << item["name"];
  }
}

}  // namespace
}  // namespace palimpsest
