#include "palimpsest/report/internal/report_figures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/report/figure_names.h"
#include "tests/report/scored_metric.h"

namespace palimpsest::report {
namespace {

// An attack that tells the sets apart by `gap`.
RunMetric attack_of(const std::string& name, double auc, double gap) {
  ValueByExample forget;
  ValueByExample holdout;
  for (int i = 0; i < 20; ++i) {
    forget[std::to_string(i)] = i;
    holdout[std::to_string(i)] = i + gap;
  }
  return {.name = name, .value = auc, .scored = scored_attack(forget, holdout)};
}

const Figure& named(const std::vector<Figure>& figures, const std::string& name) {
  return *std::ranges::find(figures, name, &Figure::name);
}

bool mentions(const Figure& figure, const std::string& text) {
  const Chart& chart = figure.chart;
  return std::ranges::find(chart.series, text, &ChartSeries::name) != chart.series.end() ||
         std::ranges::find(chart.panels, text, &ChartPanel::title) != chart.panels.end();
}

TEST(RunFiguresTest, SeveralModelsStandUnderTheFirstsLeadingAttack) {
  const RunResults runs[] = {
      {.name = "original",
       .metrics = {attack_of("mia_loss", 0.7, 3), attack_of("mia_zlib", 0.9, 9)}},
      {.name = "retrained", .metrics = {attack_of("mia_zlib", 0.5, 0)}},
      {.name = "other", .metrics = {attack_of("mia_loss", 0.5, 0)}}};
  const std::vector<Figure> figures = run_figures(runs, compare_runs(runs));
  EXPECT_EQ(names_of(figures), (std::vector<std::string>{"auc_by_model", "models_roc",
                                                         "models_roc_log", "models_scores"}));
  for (const char* name : {"models_roc", "models_roc_log", "models_scores"}) {
    const Figure& figure = named(figures, name);
    EXPECT_NE(figure.chart.title.find("by model (mia_zlib)"), std::string::npos)
        << figure.chart.title;
    EXPECT_TRUE(mentions(figure, "original"));
    EXPECT_TRUE(mentions(figure, "retrained"));
    EXPECT_FALSE(mentions(figure, "other"));  // has no such attack
  }
}

// All figures of a page are about one attack, and a model has one colour in all of them.
TEST(RunFiguresTest, FiguresOfOnePageAgree) {
  const RunResults runs[] = {{.name = "unlearned",
                              .metrics = {attack_of("mia_loss", 0.7, 3),
                                          attack_of("mia_zlib", 0.6, 2),
                                          {.name = "model_utility", .value = 0.5}}},
                             {.name = "original",
                              .metrics = {attack_of("mia_loss", 0.8, 5),
                                          attack_of("mia_zlib", 0.9, 9),
                                          {.name = "model_utility", .value = 0.6}}}};
  const std::vector<Figure> figures = run_figures(runs, compare_runs(runs));
  const Chart& trade_off = named(figures, "utility_against_forgetting").chart;
  EXPECT_EQ(trade_off.panels[0].x.title, "AUC of mia_loss");
  EXPECT_NE(named(figures, "models_roc").chart.title.find("(mia_loss)"), std::string::npos);
  for (const char* name : {"auc_by_model", "models_roc", "utility_against_forgetting"})
    EXPECT_EQ(named(figures, name).chart.series_title, "model") << name;
}

// Only their scores say that they are attacks.
TEST(RunFiguresTest, AttacksMayBeCalledAnything) {
  const RunResults runs[] = {{.name = "without", .metrics = {{.name = "utility", .value = 1}}},
                             {.name = "a", .metrics = {attack_of("member_loss", 0.7, 3)}},
                             {.name = "b", .metrics = {attack_of("member_loss", 0.6, 1)}}};
  const std::vector<Figure> figures = run_figures(runs, compare_runs(runs));
  EXPECT_EQ(names_of(figures), (std::vector<std::string>{"auc_by_model", "models_roc",
                                                         "models_roc_log", "models_scores"}));
  EXPECT_TRUE(mentions(figures[0], "b"));
}

TEST(RunFiguresTest, OneModelStandsUnderEachOfItsAttacks) {
  RunResults run{.name = "original",
                 .metrics = {attack_of("mia_loss", 0.7, 3), attack_of("mia_zlib", 0.9, 9)}};
  const std::vector<Figure> figures = run_figures({&run, 1}, compare_runs({&run, 1}));
  const Figure& scores = named(figures, "models_scores");
  EXPECT_TRUE(mentions(scores, "mia_loss"));
  EXPECT_TRUE(mentions(scores, "mia_zlib"));
  EXPECT_TRUE(mentions(scores, "holdout"));
  run.scores = "scores.csv";  // its figures show the same
  EXPECT_EQ(names_of(run_figures({&run, 1}, compare_runs({&run, 1}))),
            std::vector<std::string>{"auc_by_model"});
}

// A member's score is low, a curve's positives are high.
TEST(RunFiguresTest, RememberingLiesAboveTheDiagonal) {
  const RunResults run{.name = "original", .metrics = {attack_of("mia_loss", 1, 100)}};
  const std::vector<Figure> figures = run_figures({&run, 1}, compare_runs({&run, 1}));
  bool perfect = false;
  for (const ChartMark& mark : named(figures, "models_roc").chart.panels[0].marks) {
    for (const ChartPoint& point : mark.points)
      perfect = perfect || (mark.series && point.x == 0 && point.y == 1);
  }
  EXPECT_TRUE(perfect);
}

TEST(RunFiguresTest, ManyCurvesAreCut) {
  std::vector<RunResults> runs;
  for (int i = 0; i < 10; ++i) {
    runs.push_back(
        {.name = "model" + std::to_string(i), .metrics = {attack_of("mia_loss", 0.7, 3)}});
  }
  const std::vector<Figure> figures = run_figures(runs, compare_runs(runs));
  EXPECT_NE(named(figures, "models_roc").caption.find("The first 8."), std::string::npos);
  EXPECT_FALSE(mentions(named(figures, "models_roc"), "model8"));
  EXPECT_NE(named(figures, "models_scores").caption.find("The first 6."), std::string::npos);
}

TEST(RunFiguresTest, SummariesAloneHaveNoScores) {
  const RunResults run{.name = "m", .metrics = {{.name = "model_utility", .value = 0.5}}};
  EXPECT_TRUE(run_figures({&run, 1}, compare_runs({&run, 1})).empty());
}

}  // namespace
}  // namespace palimpsest::report
