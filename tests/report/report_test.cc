#include "palimpsest/report/report.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/chart/chart.h"
#include "tests/report/figure_names.h"
#include "tests/report/score_rows.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {
namespace {

ReportOptions quick() {
  ReportOptions options;
  options.bootstrap.resamples = 50;
  return options;
}

ReportOptions quick_with_epsilon() {
  ReportOptions options = quick();
  options.epsilon.single_models = true;
  return options;
}

class ReportTest : public testing::Test {
 protected:
  TempFolder folder_;
};

TEST_F(ReportTest, WritesTablesAndFigures) {
  const auto scores = folder_.write(
      "scores.csv", normal_csv(1, 100, 1, "loss") + normal_csv(2, 100, 2, "zlib", false));
  const Report report = make_report({scores}, quick_with_epsilon());
  const auto out = folder_.path() / "out" / "deep";
  const std::vector<std::string> files = write_report(report, out);
  EXPECT_EQ(files[0], "metrics.csv");
  EXPECT_EQ(files[1], "effective_epsilon.csv");
  for (const std::string& file : files) EXPECT_TRUE(std::filesystem::exists(out / file)) << file;
  const std::string metrics = folder_.read("out/deep/metrics.csv");
  EXPECT_TRUE(
      metrics.starts_with("attack,accuracy,accuracy_low,accuracy_high,true_positive_rate,"));
  expect_contains(metrics,
                  ",rows,positives,negatives,threshold,effective_epsilon_assumption\nloss,");
  expect_contains(metrics, ",100,50,50,");
  EXPECT_TRUE(
      folder_.read("out/deep/effective_epsilon.csv")
          .starts_with("confidence,epsilon_low,epsilon_high,epsilon_low_raw,delta,method,attack,"));
  EXPECT_EQ(names_of(report.figures),
            (std::vector<std::string>{"roc", "roc_log", "auc_by_attack", "score_distributions",
                                      "compare_attack_by_target_id"}));
  for (const Figure& figure : report.figures) parse_json(to_vega_lite(figure.chart), figure.name);
}

TEST_F(ReportTest, WithoutResamplesThereAreNoIntervals) {
  ReportOptions options;
  options.bootstrap.resamples = 0;
  options.metrics = "auc,accuracy";
  const Report report = make_report({folder_.write("s.csv", normal_csv(1, 100, 1))}, options);
  const ResultTable table = main_table(report);
  EXPECT_EQ(table.heading(), (std::vector<std::string>{"attack", "auc", "accuracy"}));
  EXPECT_FALSE(table.rows[0][1].interval);
}

TEST_F(ReportTest, ColumnsOfTheDataMayBeCalledLikeMetrics) {
  ReportOptions options = quick();
  options.comparison = Comparison{"auc", {}, "rows"};
  const Report report = make_report(
      {folder_.write("s.csv", "label,score,auc,rows\n1,1,a,x\n0,0,a,x\n1,2,b,y\n0,1,b,y\n")},
      options);
  const ResultTable table = metrics_table(report);
  EXPECT_EQ(table.heading()[0], "group_auc");
  EXPECT_EQ(table.heading()[1], "group_rows");
  EXPECT_EQ(main_table(report).rows.size(), 2U);
}

TEST_F(ReportTest, NotesWhatAReaderHasToKnow) {
  const Report chosen =
      make_report({folder_.write("a.csv", normal_csv(1, 2000, 2))}, quick_with_epsilon());
  ASSERT_EQ(chosen.notes.size(), 1U);
  expect_contains(chosen.notes[0], "1 of 1 summaries have no predictions");
  const Report nothing =
      make_report({folder_.write("c.csv", normal_csv(1, 40, 0))}, quick_with_epsilon());
  ASSERT_EQ(nothing.notes.size(), 2U);
  expect_contains(nothing.notes[1], "the lower bound of epsilon is 0 for 1 of 1 threat models");
  const Report lonely = make_report(
      {folder_.write("b.csv", "label,score,prediction\n1,1,1\n1,2,0\n")}, quick_with_epsilon());
  ASSERT_EQ(lonely.notes.size(), 2U);
  expect_contains(lonely.notes[0], "labels of one class only");
  expect_contains(lonely.notes[1], "no epsilon for the scores");
}

TEST_F(ReportTest, RunsStandBesideEachOther) {
  for (const char* run : {"original", "unlearned"}) {
    std::filesystem::create_directories(folder_.path() / run);
    folder_.write(std::string(run) + "/scores.csv", normal_csv(1, 60, 1));
    folder_.write(std::string(run) + "/T_SUMMARY.json",
                  R"({"mia_loss": 0.7, "model_utility": 0.6})");
  }
  const Report report =
      make_report({folder_.path() / "original", folder_.path() / "unlearned"}, quick());
  EXPECT_EQ(report.run_table.runs, (std::vector<std::string>{"original", "unlearned"}));
  EXPECT_EQ(report.columns, (std::vector<std::string>{"attack", "run"}));
  EXPECT_EQ(report.summaries.size(), 2U);
  const std::vector<std::string> names = names_of(report.figures);
  EXPECT_EQ(names[names.size() - 2], "auc_by_model");
  EXPECT_EQ(names.back(), "utility_against_forgetting");
  const auto files = write_report(report, folder_.path() / "out");
  EXPECT_EQ(folder_.read("out/models.csv"),
            "model,mia_loss,model_utility\noriginal,0.7,0.6\nunlearned,0.7,0.6\n");
}

TEST_F(ReportTest, ASingleModelHasNoEpsilonUnlessAskedFor) {
  const auto scores = folder_.write("s.csv", normal_csv(1, 100, 1));
  const Report report = make_report({scores}, quick());
  EXPECT_FALSE(shows_effective_epsilon(report));
  EXPECT_TRUE(report.epsilon.threat_models.empty());
  ASSERT_EQ(report.notes.size(), 1U);  // of thresholds; nothing is said of epsilon
  for (const std::string& file : write_report(report, folder_.path() / "out"))
    EXPECT_NE(file, "effective_epsilon.csv");
  ReportOptions named = quick();
  named.metrics = "auc,effective_epsilon";  // asked for by name
  const Report asked = make_report({scores}, named);
  EXPECT_TRUE(shows_effective_epsilon(asked));
  expect_contains(asked.notes.back(), "no column target_id");
  EXPECT_TRUE(shows_effective_epsilon(make_report({scores}, quick_with_epsilon())));
}

TEST_F(ReportTest, EpsilonIsShownAsAtLeastZero) {
  // An attack that is worse than guessing at every threshold.
  ReportOptions options = quick_with_epsilon();
  options.metrics = "effective_epsilon";
  const Report report =
      make_report({folder_.write("s.csv",
                                 "label,score,prediction\n1,0,0\n1,0,0\n1,0,1\n0,1,1\n"
                                 "0,1,1\n0,1,0\n")},
                  options);
  for (const ResultTable& table : {main_table(report), metrics_table(report)}) {
    const ResultCell& cell = table.rows[0][*table.column("effective_epsilon")];
    ASSERT_TRUE(cell.value);
    EXPECT_GE(*cell.value, 0);
    ASSERT_TRUE(cell.interval);
    EXPECT_GE(cell.interval->low, 0);
  }
}

constexpr const char* kTwoExamples =
    R"({"prob": {"agg_value": 0.5, "value_by_index": {"0": {"prob": 0.2}, "1": {"prob": 0.8}}},
        "mia_loss": {"agg_value": 0.75,
          "forget": {"value_by_index": {"0": {"score": 1}, "1": {"score": 2.5}}},
          "holdout": {"value_by_index": {"0": {"score": 2}, "1": {"score": 3}}}}})";

TEST_F(ReportTest, IntervalsOfRunsNeedNoResamples) {
  folder_.write("T_EVAL.json", kTwoExamples);
  ReportOptions options = quick();
  options.bootstrap.resamples = 0;
  const RunTable table = make_report({folder_.path()}, options).run_table;
  EXPECT_EQ(table.metrics, (std::vector<std::string>{"mia_loss", "prob"}));
  EXPECT_TRUE(table.cells[0][0].interval);
  EXPECT_TRUE(table.cells[0][1].interval);
}

TEST_F(ReportTest, SaysThatExamplesCountAsIndependent) {
  folder_.write("T_EVAL.json", kTwoExamples);
  ReportOptions options = quick();
  const std::vector<std::string> notes = make_report({folder_.path()}, options).notes;
  ASSERT_EQ(notes.size(), 1U);
  expect_contains(notes[0], "count as independent");
  expect_contains(notes[0], "--cluster-size 20, or --independent");
  options.clusters.independent = true;
  EXPECT_TRUE(make_report({folder_.path()}, options).notes.empty());
  options.clusters = {.size = 20};
  const Report clustered = make_report({folder_.path()}, options);
  EXPECT_TRUE(clustered.notes.empty());
  EXPECT_EQ(clustered.runs[0].cluster_name, "blocks of 20");
  EXPECT_FALSE(clustered.run_table.cells[0][0].interval);  // one block per set
}

// The AUC of a run's scores.csv and that of its mia.json are the same number.
TEST_F(ReportTest, ARunsAucHasOneInterval) {
  std::string forget;
  std::string holdout;
  std::string csv = "label,score,attack,index\n";
  const AttackRows rows = normal_rows(1, 60, 1);
  for (size_t i = 0; i < rows.scores.size(); ++i) {
    std::string& set = rows.labels[i] == 1 ? forget : holdout;
    set += fmt::format("{}\"{}\": {{\"score\": {}}}", set.empty() ? "" : ", ", i, -rows.scores[i]);
    csv += fmt::format("{},{},loss,{}\n", rows.labels[i], rows.scores[i], i);
  }
  folder_.write("scores.csv", csv);
  folder_.write("mia.json",
                fmt::format(R"({{"loss": {{"agg_value": 0.7, "forget": {{"value_by_index": {{{}}}}},
                                "holdout": {{"value_by_index": {{{}}}}}}}}})",
                            forget, holdout));
  ReportOptions options = quick();
  options.clusters = {.size = 3};
  options.metrics = "auc";
  const Report report = make_report({folder_.path()}, options);
  ASSERT_EQ(report.summaries.size(), 1U);
  ASSERT_TRUE(report.run_table.cells[0][0].interval);
  EXPECT_EQ(report.summaries[0].metrics[0].interval, report.run_table.cells[0][0].interval);
}

TEST_F(ReportTest, RunsWithoutScoresHaveNoSummaries) {
  folder_.write("T_SUMMARY.json", R"({"model_utility": 0.6})");
  const Report report = make_report({folder_.path()}, quick());
  EXPECT_TRUE(report.summaries.empty());
  EXPECT_TRUE(report.figures.empty());
  EXPECT_EQ(write_report(report, folder_.path() / "out"), std::vector<std::string>{"models.csv"});
}

TEST_F(ReportTest, FiguresOfOneNameAreNumbered) {
  const std::string long_name(80, 'x');
  ReportOptions options = quick();
  options.roc.disaggregate_by = "attack";
  const Report report =
      make_report({folder_.write("s.csv", normal_csv(1, 20, 1, long_name + "1") +
                                              normal_csv(2, 20, 1, long_name + "2", false))},
                  options);
  const std::vector<std::string> names = names_of(report.figures);
  EXPECT_EQ(names[2], names[0] + "-2");
}

TEST_F(ReportTest, RefusesBadCalls) {
  const auto scores = folder_.write("s.csv", normal_csv(1, 20, 1));
  auto refused = [&](const ReportOptions& options) {
    return error_of([&] { make_report({scores}, options); });
  };
  expect_contains(error_of([&] { make_report({}, quick()); }), "there is nothing to report on");
  ReportOptions options = quick();
  options.comparison = Comparison{"author", {}, ""};
  expect_contains(refused(options), "s.csv:1: there is no column 'author'");
  options.comparison = Comparison{"generator", {}, ""};
  expect_contains(refused(options), "--compare: there is no column 'generator'");
  options.comparison = Comparison{"score", {}, ""};
  expect_contains(refused(options), "the column 'score' cannot tell settings apart");
  options = quick();
  options.bootstrap.resamples = -1;
  expect_contains(refused(options), "-1 bootstrap resamples are too few");
  options = quick();
  options.metrics = "f1";
  expect_contains(refused(options), "there is no metric 'f1'");
}

}  // namespace
}  // namespace palimpsest::report
