// The page of an evaluation, made of what is in memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "palimpsest/report/internal/run_intervals.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"
#include "palimpsest/report/report.h"
#include "tests/eval/evaluate_fixture.h"

namespace palimpsest::eval {
namespace {

class EvaluationPageTest : public EvaluateTest {
 protected:
  std::filesystem::path out() const { return folder_.path() / "out"; }

  // Everything that a report can show of an evaluation: attacks with clusters, means, generations,
  // composites, the effect behind a p-value.
  Json whole_suite() const {
    Json metrics = suite();
    metrics["mia_loss"] = mia("mia_loss");
    return metrics;
  }

  Evaluation run_suite() { return run(suite_config()).at(0); }

  Json suite_config() const {
    Json config = folder_.config(whole_suite());
    config["eval"]["tofu"]["cluster_size"] = 2;
    return config;
  }

  static std::string html(const report::Report& report) {
    return report::page_to_html(report::report_page(report));
  }

  static std::string page_of(const Evaluation& evaluation, const report::ReportOptions& options) {
    return html(report::report_on(
        {.runs = {report::run_of({&evaluation}, report::read_options(options))}}, options));
  }

  std::string page_of_folder(const report::ReportOptions& options) const {
    return html(report::make_report({out()}, options));
  }
};

TEST_F(EvaluationPageTest, IsTheOneOfTheFolder) {
  const Evaluation done = run_suite();
  EXPECT_FALSE(done.traces.empty());
  for (const double confidence : {0.95, 0.9}) {
    report::ReportOptions options;
    options.bootstrap.confidence = confidence;
    EXPECT_EQ(page_of(done, options), page_of_folder(options)) << confidence;
  }
}

// docs/page.md promises the interval that the answer quotes.
TEST_F(EvaluationPageTest, ItsHeadlineHasTheAdjustedInterval) {
  Json config = folder_.config({{"mia_loss", mia("mia_loss")}, {"mia_min_k", mia("mia_min_k")}});
  config["eval"]["tofu"]["independent"] = true;
  const Evaluation done = run(config).at(0);
  const report::Report report = report::make_report({out()}, {});
  const report::RunMetric* attack = report::leading_attack(report.runs[0]);
  ASSERT_NE(attack, nullptr);
  const std::optional<stat::Interval> adjusted =
      done.run.metrics.at(attack->name).auc_ci_simultaneous;
  ASSERT_TRUE(adjusted);
  EXPECT_EQ(attack->scored->auc_ci_simultaneous, adjusted);
  EXPECT_EQ(report::report_page(report).headline.interval, adjusted);
}

TEST_F(EvaluationPageTest, ReadsNothingThatWasJustWritten) {
  const Evaluation done = run_suite();
  const std::string page = page_of(done, {});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out())) {
    if (entry.is_regular_file()) std::ofstream(entry.path()) << "not what it was";
  }
  EXPECT_EQ(page_of(done, {}), page);
  std::filesystem::remove_all(out());
  EXPECT_EQ(page_of(done, {}), page);
}

// At any level the interval of a composite is drawn from what the record says.
TEST_F(EvaluationPageTest, CompositesHaveTheirIntervalsAtAnyLevel) {
  const Evaluation done = run_suite();
  for (const char* name : {"utility", "privleak"}) {
    const MetricRecord& metric = done.run.metrics.at(name);
    ASSERT_EQ(metric.spread.has_value(), metric.interval.has_value()) << name;
    if (!metric.spread) continue;
    const stat::Interval again = report::spread_interval(*metric.agg_value, *metric.spread, 0.95);
    EXPECT_EQ(again, *metric.interval) << name;
    const report::RunResults run = report::run_of({&done}, {.confidence = 0.8});
    const auto found = std::ranges::find(run.metrics, name, &report::RunMetric::name);
    EXPECT_EQ(found->interval, report::spread_interval(*metric.agg_value, *metric.spread, 0.8))
        << name;
  }
  EXPECT_TRUE(done.run.metrics.at("utility").spread);
}

// What was finished before is in memory as well, but for its traces, whose files are still there.
TEST_F(EvaluationPageTest, OfARerunIsTheSame) {
  const std::string page = page_of(run_suite(), {});
  const Evaluation again = run_suite();
  EXPECT_TRUE(again.traces.empty());
  EXPECT_EQ(page_of(again, {}), page);
}

// Other results in the folder stay on its page.
TEST_F(EvaluationPageTest, ShowsWhatElseLiesInTheFolder) {
  const Evaluation done = run_suite();
  folder_.write("out/OTHER_SUMMARY.json", R"({"other_metric": 0.25})");
  const std::string page = page_of(done, {});
  EXPECT_NE(page.find("other_metric"), std::string::npos);
  EXPECT_EQ(page, page_of_folder({}));
}

}  // namespace
}  // namespace palimpsest::eval
