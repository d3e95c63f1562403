#include "palimpsest/report/internal/report_figures.h"

#include <gtest/gtest.h>

#include "tests/report/score_rows.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

class RocReportTest : public testing::Test {
 protected:
  RocReportTest() {
    for (const char* generator : {"g1", "g2"}) {
      for (const char* attack : {"a1", "a2", "a3"}) {
        summaries_.push_back(summarize_attack(normal_rows(1, 20, 1, {generator, attack}),
                                              binary_classes(), {.metrics = metrics_}));
      }
    }
  }

  std::vector<Figure> figures(const RocReportOptions& options) {
    return roc_figures({columns_, summaries_, metrics_}, options);
  }

  std::vector<std::string> columns_ = {"generator", "attack"};
  std::vector<size_t> metrics_ = select_summary_metrics("auc");
  std::vector<AttackSummary> summaries_;
};

TEST_F(RocReportTest, WholeZoomedAndLogarithmic) {
  const std::vector<Figure> found = figures({.zooms = {1, 0.1}});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].name, "roc");
  EXPECT_EQ(found[1].name, "roc_zoom=0.1_low");
  EXPECT_EQ(found[2].name, "roc_zoom=0.1_high");
  EXPECT_EQ(found[3].name, "roc_log");
  EXPECT_EQ(found[2].chart.title, "ROC curves (high corner, zoom=0.1)");
  EXPECT_TRUE(found[0].caption.empty());  // six curves have no bands
}

TEST_F(RocReportTest, OneFigurePerGroupAndLabelsFromAnyColumn) {
  const std::vector<Figure> found =
      figures({.disaggregate_by = "attack", .curve_label = "generator", .epsilons = {1}});
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found[0].name, "roc_attack=a1");
  EXPECT_EQ(found[5].name, "roc_log_attack=a3");
  EXPECT_EQ(found[5].chart.title, "ROC curves (attack=a3, logarithmic axes)");
  EXPECT_EQ(found[0].caption, "Bands: pointwise 95% confidence.");
  EXPECT_EQ(found[0].chart.panels[0].marks.size(), 6U);  // diagonal, bound, two bands and curves
  ASSERT_EQ(found[0].chart.series.size(), 2U);
  EXPECT_EQ(found[0].chart.series[1].name, "g2");
  EXPECT_EQ(found[0].chart.series_title, "generator");
}

TEST_F(RocReportTest, CurvesOfOneLabelSayWhatTellsThemApart) {
  const std::vector<Figure> found = figures({});
  ASSERT_EQ(found[0].chart.series.size(), 6U);
  EXPECT_EQ(found[0].chart.series[0].name, "a1 (g1)");
  EXPECT_EQ(found[0].chart.series[5].name, "a3 (g2)");
}

TEST_F(RocReportTest, RefusesColumnsThatAreNotThere) {
  expect_contains(error_of([&] { figures({.disaggregate_by = "x"}); }),
                  "--disaggregate-by: there is no column 'x'");
  expect_contains(error_of([&] { figures({.curve_label = "x"}); }), "--curve-label");
  expect_contains(error_of([&] { figures({.zooms = {2}}); }), "the zoom 2 is out of range");
}

}  // namespace
}  // namespace palimpsest::report
