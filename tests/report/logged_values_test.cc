#include "palimpsest/report/internal/logged_values.h"

#include <gtest/gtest.h>

namespace palimpsest::report {
namespace {

TEST(LoggedValuesTest, KeysAreInTheOrderOfTheirNumbersElseOfTheFile) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(example_keys(parse_json(R"({"10": 1, "9": 1, "2/1": 1, "2": 1})", "")),
            (Keys{"2/1", "2", "9", "10"}));
  EXPECT_EQ(example_keys(parse_json(R"({"b": 1, "10": 1, "9": 1})", "")), (Keys{"b", "10", "9"}));
}

TEST(LoggedValuesTest, AFieldIsReadAsItIsOrInAForm) {
  const Json log = parse_json(R"({"0": {"score": 4}, "1": {"score": [0.25, 0.75]},
                                  "2": {"score": null}, "3": {"prob": 1}})",
                              "");
  EXPECT_EQ(logged_field(log, "score"), (ValueByExample{{"0", 4}, {"1", 0.5}}));
  EXPECT_EQ(logged_field(log, "score", "true_better"), (ValueByExample{{"0", 0}, {"1", 0.5}}));
}

}  // namespace
}  // namespace palimpsest::report
