// SURP, WBC and EZ-MIA against numpy's word on the papers' formulas (tools/golden/attack.py).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/attack/score_of.h"
#include "tests/support/golden.h"

namespace palimpsest::attack {
namespace {

// Both sides add the same numbers in double, only in another order.
constexpr double kTolerance = 1e-12;

struct Case {
  trace::Trace trace;
  trace::Trace reference;
  Json expected;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const Json file = read_golden("attack/scores.json");
  for (const Json& item : file["cases"]) {
    const auto count = static_cast<int64_t>(item["label"].size());
    all.push_back({.trace = {.index = "0",
                             .num_labels = count,
                             .logprob = item["logprob"].get<std::vector<double>>(),
                             .mean = item["mean"].get<std::vector<double>>(),
                             .argmax = item["argmax"].get<std::vector<int64_t>>(),
                             .label = item["label"].get<std::vector<int64_t>>()},
                   .reference = {.index = "0",
                                 .num_labels = count,
                                 .logprob = item["reference"].get<std::vector<double>>()},
                   .expected = item});
  }
  return all;
}

TEST(ScoresGoldenTest, Surp) {
  int64_t empty = 0;
  for (const Case& item : cases()) {
    for (const Json& expected : item.expected["surp"]) {
      const auto score = score_of(fmt::format("surp:k={}:entropy={}", expected["k"].get<double>(),
                                              expected["entropy"].get<double>()),
                                  item.trace);
      const bool none = expected["score"].is_null();
      empty += none ? 1 : 0;
      const double mean = expected[none ? "lowest" : "score"];
      EXPECT_NEAR(score.value(), -mean, kTolerance * (1 - mean));
    }
  }
  EXPECT_GT(empty, 10);
}

TEST(ScoresGoldenTest, Wbc) {
  const std::vector<Case> all = cases();
  EXPECT_EQ(all.size(), 200U);
  for (const Case& item : all) {
    const auto score = score_of("wbc", item.trace, item.reference);
    EXPECT_NEAR(score.value(), 1 - item.expected["wbc"].get<double>(), kTolerance);
  }
}

TEST(ScoresGoldenTest, EzMia) {
  for (const Case& item : cases()) {
    const Json& expected = item.expected["ez_mia"];
    const double up = expected["up"];
    const double down = expected["down"];
    // The paper's up/down on a bounded scale; without a downward shift or without any error the
    // paper calls the example a member.
    const double bounded = down == 0 ? 0 : 1 / (1 + up / down);
    EXPECT_NEAR(score_of("ez_mia", item.trace, item.reference).value(), bounded, kTolerance);
  }
}

}  // namespace
}  // namespace palimpsest::attack
