#include "palimpsest/report/internal/logged_values.h"

#include <gtest/gtest.h>

namespace palimpsest {
namespace {

TEST(LoggedValuesTest, KeysAreInTheOrderOfTheirNumbersElseOfTheFile) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(example_keys(parse_json(R"({"10": 1, "9": 1, "2/1": 1, "2": 1})", "")),
            (Keys{"2/1", "2", "9", "10"}));
  EXPECT_EQ(example_keys(parse_json(R"({"b": 1, "10": 1, "9": 1})", "")), (Keys{"b", "10", "9"}));
}

TEST(LoggedValuesTest, TheMeanTellsWhichFieldWasAveraged) {
  const Json log = parse_json(R"({"0": {"avg_loss": 1, "prob": 0.2, "score": 3},
                                  "1": {"avg_loss": 2, "prob": 0.4, "score": 0.5}})",
                              "");
  EXPECT_EQ(averaged_values(log, 0.3), (ValueByExample{{"0", 0.2}, {"1", 0.4}}));
  EXPECT_EQ(averaged_values(log, 1.5), (ValueByExample{{"0", 1}, {"1", 2}}));
  EXPECT_EQ(averaged_values(log, 0.25), (ValueByExample{{"0", 0}, {"1", 0.5}}));
  EXPECT_TRUE(averaged_values(log, 7).empty());
  EXPECT_TRUE(averaged_values(parse_json("{}", ""), 0).empty());
}

}  // namespace
}  // namespace palimpsest
