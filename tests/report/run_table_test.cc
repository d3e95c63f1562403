#include "palimpsest/report/run_table.h"

#include <gtest/gtest.h>

#include <string>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/multiple_testing.h"

namespace palimpsest {
namespace {

// A run whose examples lie `shift` above a common base, with a little noise of its own.
RunResults run_of(const std::string& name, uint64_t seed, double shift) {
  Random common(7);
  Random own(seed);
  RunMetric mean{.name = "prob", .value = 0};
  RunMetric attack{.name = "mia_loss", .value = 0};
  for (int i = 0; i < 100; ++i) {
    const std::string index = std::to_string(i);
    const double base = common.normal();
    mean.by_index[index] = base + shift + 0.1 * own.normal();
    attack.forget[index] = base - shift + 0.1 * own.normal();
    attack.holdout[index] = common.normal() + 0.1 * own.normal();
  }
  for (const auto& [index, value] : mean.by_index) *mean.value += value / 100;
  return {.name = name, .metrics = {mean, attack}};
}

TEST(RunTableTest, MarksDifferencesFromTheFirstRun) {
  RunResults same = run_of("same", 1, 0);
  same.name = "copy";
  const RunResults runs[] = {run_of("first", 1, 0), same, run_of("other", 3, 0.5)};
  const RunTable table = compare_runs(runs);
  EXPECT_EQ(table.runs, (std::vector<std::string>{"first", "copy", "other"}));
  for (size_t m = 0; m < 2; ++m) {
    EXPECT_FALSE(table.cells[0][m].p_value);
    EXPECT_EQ(table.cells[1][m].p_value, 1.0);
    EXPECT_FALSE(table.cells[1][m].differs);
    EXPECT_LT(*table.cells[2][m].p_value, 0.001);
    EXPECT_TRUE(table.cells[2][m].differs);
  }
  std::vector<double> p_values;
  for (size_t r : {1, 2}) {
    for (size_t m : {0, 1}) p_values.push_back(*table.cells[r][m].p_value);
  }
  EXPECT_EQ(table.cells[2][1].holm_p_value, holm(p_values)[3]);
}

TEST(RunTableTest, TestsOnSharedExamplesOnly) {
  RunResults first = run_of("first", 1, 0);
  RunResults other = run_of("other", 2, 5);
  std::map<std::string, double> renamed;
  for (const auto& [index, value] : other.metrics[0].by_index) renamed["x" + index] = value;
  other.metrics[0].by_index = renamed;
  const RunResults runs[] = {first, other};
  const RunTable table = compare_runs(runs);
  EXPECT_EQ(table.metrics, (std::vector<std::string>{"mia_loss", "prob"}));  // AUCs first
  EXPECT_TRUE(table.cells[1][0].p_value);
  EXPECT_FALSE(table.cells[1][1].p_value);
}

TEST(RunTableTest, ARunWithoutAMetricHasAnEmptyCell) {
  const RunResults runs[] = {
      {.name = "a", .metrics = {{.name = "x", .value = 1}}},
      {.name = "b", .metrics = {{.name = "y", .value = 2}, {.name = "x", .value = 3}}}};
  const RunTable table = compare_runs(runs);
  EXPECT_EQ(table.metrics, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(table.cells[0][1].value, std::nullopt);
  EXPECT_EQ(table.cells[1][0].value, 3);
  EXPECT_FALSE(table.cells[1][0].p_value);
  const ResultTable result = to_result_table(table);
  EXPECT_EQ(format_table(result, TableFormat::kCsv), "model,x,y\na,1,\nb,3,2\n");
}

}  // namespace
}  // namespace palimpsest
