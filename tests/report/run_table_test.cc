#include "palimpsest/report/run_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "palimpsest/attack/attack.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/multiple_testing.h"
#include "tests/report/scored_metric.h"

namespace palimpsest::report {
namespace {

// A run whose examples lie `shift` above a common base, with a little noise of its own.
RunResults run_of(const std::string& name, uint64_t seed, double shift) {
  Random common(7);
  Random own(seed);
  RunMetric mean{.name = "prob", .value = 0};
  ValueByExample forget;
  ValueByExample holdout;
  for (int i = 0; i < 100; ++i) {
    const std::string index = std::to_string(i);
    const double base = common.normal();
    mean.by_index[index] = base + shift + 0.1 * own.normal();
    forget[index] = base - shift + 0.1 * own.normal();
    holdout[index] = common.normal() + 0.1 * own.normal();
  }
  const RunMetric attack{.name = "mia_loss", .value = 0, .scored = scored_attack(forget, holdout)};
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
  // Corrected for the two tests of the column, not for the four of the table.
  for (size_t m : {0, 1}) {
    const double p_values[] = {*table.cells[1][m].p_value, *table.cells[2][m].p_value};
    EXPECT_EQ(table.cells[2][m].holm_p_value, stat::holm(p_values)[1]);
    EXPECT_EQ(table.cells[2][m].holm_p_value, 2 * p_values[1]);
  }
  EXPECT_EQ(marks_legend(table),
            "differs from first (paired tests over clusters, Holm-corrected per metric, 95%)");
}

// A shift that a few clusters share: plain for many examples, nothing for few clusters.
TEST(RunTableTest, ClustersAreFlippedTogether) {
  RunResults first = run_of("first", 1, 0);
  RunResults other = first;
  other.name = "other";
  for (auto* run : {&first, &other}) {
    for (int i = 0; i < 100; ++i) {
      const std::string key = std::to_string(i);
      run->metrics[0].clusters[key] = std::to_string(i / 20);
      run->metrics[1].forget_clusters[key] = "f" + std::to_string(i / 20);
      run->metrics[1].holdout_clusters[key] = "h" + std::to_string(i / 20);
    }
  }
  ValueByExample forget = scores_by_key(other.metrics[1].scored->forget);
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::to_string(i);
    const int block = i / 20;
    other.metrics[0].by_index[key] += block == 0 ? 1 : 0.01 * (block - 2);
    forget[key] += block == 0 ? 1 : 0.01 * (block - 2);
  }
  other.metrics[1].scored->forget = set_of(forget);
  const auto p_values = [&] {
    const RunResults runs[] = {first, other};
    const RunTable table = compare_runs(runs);
    return std::pair(*table.cells[1][0].p_value, *table.cells[1][1].p_value);
  };
  const auto [auc, mean] = p_values();
  EXPECT_GT(auc, 0.1);
  EXPECT_GT(mean, 0.1);
  // One run that knows the clusters is enough.
  for (RunMetric& metric : first.metrics)
    metric.clusters = metric.forget_clusters = metric.holdout_clusters = {};
  EXPECT_EQ(p_values(), std::pair(auc, mean));
  for (RunMetric& metric : other.metrics)
    metric.clusters = metric.forget_clusters = metric.holdout_clusters = {};
  EXPECT_LT(p_values().first, 0.01);
  EXPECT_LT(p_values().second, 0.01);
}

TEST(RunTableTest, FewerThanFiveClustersDecideNothingAboutAnAuc) {
  RunResults first = run_of("first", 1, 0);
  RunResults other = run_of("other", 2, 5);
  for (int i = 0; i < 100; ++i)
    first.metrics[1].forget_clusters[std::to_string(i)] = std::to_string(i / 25);
  const RunResults runs[] = {first, other};
  EXPECT_FALSE(compare_runs(runs).cells[1][0].p_value);
}

RunResults with_k(const std::string& name, uint64_t seed, double shift,
                  const std::optional<std::string>& k) {
  RunResults run = run_of(name, seed, shift);
  run.metrics[1].name = "mia_min_k";
  run.metrics[1].attack = std::make_shared<const attack::Attack>(
      attack::select_attacks(attack::default_attack_table(), "min_k").at(0));
  if (k) run.metrics[1].parameters = MetricParameters{{"k", *k}};
  return run;
}

TEST(RunTableTest, OtherParametersAreAnotherMetric) {
  const RunResults runs[] = {with_k("a", 1, 0, "0.2"), with_k("b", 2, 3, "0.4"),
                             with_k("c", 3, 3, "0.2")};
  const RunTable table = compare_runs(runs);
  EXPECT_EQ(table.metrics, (std::vector<std::string>{"mia_min_k", "mia_min_k (k=0.4)", "prob"}));
  EXPECT_FALSE(table.cells[1][0].value);
  EXPECT_TRUE(table.cells[1][1].value);
  EXPECT_FALSE(table.cells[1][1].p_value);
  EXPECT_TRUE(table.cells[2][0].differs);
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_EQ(table.notes[0],
            "mia_min_k was run with different parameters: mia_min_k and mia_min_k (k=0.4) have "
            "columns of their own and are not tested against each other");
}

// A metric handler may be called anything, so one name may be of two attacks.
TEST(RunTableTest, AnotherAttackIsAnotherMetric) {
  const auto run = [](const std::string& name, const char* attack) {
    RunResults results = run_of(name, 1, 0);
    results.metrics[1].name = "leak";
    if (attack != nullptr) {
      results.metrics[1].parameters.emplace();
      results.metrics[1].attack = std::make_shared<const attack::Attack>(
          attack::select_attacks(attack::default_attack_table(), attack).at(0));
    }
    return results;
  };
  const RunResults runs[] = {run("first", "loss"), run("other", "zlib")};
  const RunTable table = compare_runs(runs);
  EXPECT_EQ(table.metrics, (std::vector<std::string>{"leak (loss)", "leak (zlib)", "prob"}));
  EXPECT_FALSE(table.cells[1][1].p_value);
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_EQ(table.notes[0],
            "leak was run with different attacks: leak (loss) and leak (zlib) have columns of "
            "their own and are not tested against each other");
  EXPECT_EQ(column_label(table, runs[1].metrics[1]), "leak (zlib)");
  EXPECT_EQ(column_label(table, runs[1].metrics[0]), "prob");
  const RunResults unknown[] = {run("first", "loss"), run("other", nullptr)};
  EXPECT_EQ(compare_runs(unknown).metrics, (std::vector<std::string>{"leak", "prob"}));
}

// The table of attacks need not have it.
TEST(RunTableTest, AMetricWithScoresOfBothSetsIsAnAttack) {
  RunResults run = run_of("first", 1, 0);
  run.metrics[1].name = "leak";
  EXPECT_EQ(compare_runs(std::vector{run}).is_attack, (std::vector<bool>{true, false}));
}

TEST(RunTableTest, UnknownParametersAreComparedWithANote) {
  const RunResults runs[] = {with_k("a", 1, 0, std::nullopt), with_k("b", 2, 3, "0.4")};
  const RunTable table = compare_runs(runs);
  EXPECT_EQ(table.metrics, (std::vector<std::string>{"mia_min_k (k=0.4)", "prob"}));
  EXPECT_TRUE(table.cells[1][0].differs);
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_EQ(table.notes[0],
            "not every run records the parameters of mia_min_k: the runs are compared as if they "
            "were the same");
  // An attack without parameters has none to record.
  const RunResults plain[] = {run_of("a", 1, 0), run_of("b", 2, 0)};
  EXPECT_TRUE(compare_runs(plain).notes.empty());
}

TEST(RunTableTest, ParametersOfOtherMetricsAreShownWhereTheyDiffer) {
  RunResults runs[] = {run_of("a", 1, 0), run_of("b", 2, 3)};
  runs[0].metrics[0].parameters = MetricParameters{{"type", "rouge1"}};
  runs[1].metrics[0].parameters = MetricParameters{{"type", "rougeL"}};
  EXPECT_EQ(compare_runs(runs).metrics,
            (std::vector<std::string>{"mia_loss", "prob (type=rouge1)", "prob (type=rougeL)"}));
}

TEST(RunTableTest, AnswersStandInTheTableAndWholeInJson) {
  RunResults runs[] = {run_of("a", 1, 0), run_of("b", 2, 0)};
  runs[0].answer =
      attack::Answer{.verdict = attack::AnswerVerdict::kEquivalent, .sentence = "No evidence."};
  const ResultTable table = to_result_table(compare_runs(runs));
  EXPECT_EQ(table.heading().back(), "verdict");
  EXPECT_EQ(table.rows[0].back().text, "equivalent");
  EXPECT_EQ(table.rows[1].back().text, "");
  const Json rows = parse_json(format_table(table, TableFormat::kJson), "table");
  EXPECT_EQ(rows[0]["answer"], parse_json(attack::answer_to_json(*runs[0].answer), "answer"));
  EXPECT_TRUE(rows[1]["answer"].is_null());
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
}  // namespace palimpsest::report
