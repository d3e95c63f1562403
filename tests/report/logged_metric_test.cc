#include "palimpsest/report/internal/logged_metric.h"

#include <gtest/gtest.h>

namespace palimpsest::report {
namespace {

TEST(LoggedMetricTest, KeysAreInTheOrderOfTheirNumbersElseOfTheFile) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(in_record_order({"10", "9", "2/1", "2"}), (Keys{"2/1", "2", "9", "10"}));
  EXPECT_EQ(in_record_order({"b", "10", "9"}), (Keys{"b", "10", "9"}));
}

TEST(LoggedMetricTest, AFieldIsReadAsItIsOrInAForm) {
  using Numbers = std::vector<eval::Number>;
  const eval::MetricResult log{.value_by_index = {{"0", {{"score", 4.0}}},
                                                  {"1", {{"score", Numbers{0.25, 0.75}}}},
                                                  {"2", {{"score", eval::Number()}}},
                                                  {"3", {{"prob", 1.0}}},
                                                  {"4", {{"score", std::string("text")}}}}};
  EXPECT_EQ(logged_field(log, "score"), (ValueByExample{{"0", 4}, {"1", 0.5}}));
  EXPECT_EQ(logged_field(log, "score", "true_better"), (ValueByExample{{"0", 0}, {"1", 0.5}}));
}

}  // namespace
}  // namespace palimpsest::report
