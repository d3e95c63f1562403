#include "palimpsest/report/page/report_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/internal/page/page_json.h"
#include "palimpsest/report/internal/page/run_examples.h"
#include "palimpsest/report/page/page.h"
#include "tests/report/page/audit.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

// Two runs as `mia --out` leaves them, the second of a model that never saw the forget set; the
// first also has an evaluation log.
class ReportPageTest : public testing::Test {
 protected:
  void SetUp() override {
    write_run("unlearned", 1.2);
    write_run("retrained", 2);
    folder_.write("unlearned/TOFU_EVAL.json", R"({
      "forget_Q_A_ROUGE": {"agg_value": 0.2, "value_by_index": {
        "0": {"rougeL_recall": 0.2, "input": "Who?", "ground_truth": "Nobody.", "generation": "<b>Me</b>"},
        "99": {"rougeL_recall": 0.2, "generation": "of an example that no attack has"}}},
      "retain_Q_A_ROUGE": {"agg_value": 0.9}})");
  }

  void write_run(const std::string& name, double forget_loss) {
    std::filesystem::create_directory(folder_.path() / name);
    const attack::MiaReport report =
        audit_of(write_traces(folder_, {.name = "forget", .count = 40, .loss = forget_loss}),
                 write_traces(folder_, {.name = "holdout", .count = 40, .loss = 2, .seed = 7}));
    folder_.write(name + "/mia.json", attack::mia_to_json(report));
  }

  Report report_on(const std::vector<std::string>& names) const {
    std::vector<std::filesystem::path> inputs;
    for (const std::string& name : names) inputs.push_back(folder_.path() / name);
    ReportOptions options;
    options.bootstrap.resamples = 20;
    return make_report(inputs, options);
  }

  TempFolder folder_;
};

TEST_F(ReportPageTest, TheFirstRunIsTheOneInQuestion) {
  const PageData page = report_page(report_on({"unlearned", "retrained"}));
  EXPECT_EQ(page.headline.question, "Does unlearned still remember what it was asked to forget?");
  EXPECT_EQ(page.headline.statistics, report_on({"unlearned"}).runs[0].answer->sentence);
  expect_contains(page.headline.answer, "Remembered. Of 100 records to be forgotten");
  EXPECT_EQ(page.headline.tone, PageTone::kBad);
  EXPECT_TRUE(page.headline.value);
  expect_contains(page.headline.action, "Beside it");
  expect_contains(page.headline.action, "retrained 0.");
  expect_contains(page.headline.action, "(not decided)");
  ASSERT_FALSE(page.tables.empty());
  const ResultTable& models = page.tables[0];
  EXPECT_EQ(models.id, "models-table");
  EXPECT_TRUE(models.is_summary);
  ASSERT_EQ(models.columns.size(), 3U);
  EXPECT_EQ(models.columns[1].name, "unlearned");
  EXPECT_EQ(models.columns[2].name, "retrained");
  EXPECT_FALSE(page.limits.empty());
  expect_contains(models.caption,
                  "differs from unlearned (paired tests over clusters, "
                  "Holm-corrected per metric, 95%)");
  bool any_mark = false;
  for (const auto& row : models.rows) any_mark = any_mark || row[2].marked;
  EXPECT_TRUE(any_mark);
}

TEST_F(ReportPageTest, ARunWithoutAnAnswerIsNotJudged) {
  Report report = report_on({"unlearned"});
  report.runs[0].answer.reset();
  const PageHeadline headline = report_page(report).headline;
  EXPECT_EQ(headline.answer, "No answer was drawn.");
  expect_contains(headline.statistics, "AUC ");
  EXPECT_EQ(headline.tone, PageTone::kNeutral);
  report.runs[0].answer =
      attack::Answer{.verdict = attack::AnswerVerdict::kVoid, .sentence = "Void."};
  EXPECT_FALSE(report_page(report).headline.value);
}

TEST_F(ReportPageTest, AccuraciesOfTheLogsRaiseFlags) {
  const auto flags = report_page(report_on({"unlearned"})).flags;
  ASSERT_EQ(flags.size(), 2U);
  EXPECT_EQ(flags[0].title, "Possible collapse");
  EXPECT_EQ(flags[1].title, "Too few holdout examples");  // as mia.json says
  // Those of the model in question come first; those of the others say whose they are.
  EXPECT_EQ(report_page(report_on({"unlearned", "retrained"})).flags[0].model, "");
  std::vector<std::pair<std::string, std::string>> turned;
  for (const auto& flag : report_page(report_on({"retrained", "unlearned"})).flags) {
    turned.emplace_back(flag.title, flag.model);
  }
  EXPECT_EQ(turned, (std::vector<std::pair<std::string, std::string>>{
                        {"Too few holdout examples", ""},
                        {"Possible collapse", "unlearned"},
                        {"Too few holdout examples", "unlearned"}}));
}

TEST_F(ReportPageTest, ModelsAndThePageCanBeNamed) {
  ReportOptions options;
  options.bootstrap.resamples = 0;
  options.title = "Case 17";
  options.model_names = {"Model A", "Model B"};
  const std::vector<std::filesystem::path> inputs = {folder_.path() / "unlearned",
                                                     folder_.path() / "retrained"};
  const PageData page = report_page(make_report(inputs, options));
  EXPECT_EQ(page.title, "Case 17");
  EXPECT_EQ(page.headline.question, "Does Model A still remember what it was asked to forget?");
  EXPECT_EQ(page.tables[0].columns[2].name, "Model B");
  options.model_names = {"A", "B", "C"};
  expect_contains(error_of([&] { make_report(inputs, options); }), "more names than models");
  options.model_names = {"retrained"};
  expect_contains(error_of([&] { make_report(inputs, options); }), "two models have the same name");
  // A single audit is told again under the new name.
  options.model_names = {"Model A"};
  const Report single = make_report({folder_.path() / "retrained"}, options);
  EXPECT_EQ(page_of(single, {}).headline.question,
            "Does Model A still remember what it was asked to forget?");
  EXPECT_EQ(page_of(single, {}).title, "Case 17");
}

TEST_F(ReportPageTest, AnAuditMayNameItsModel) {
  folder_.write("retrained/mia.json", R"({"audit": {"model_name": "Model B"}})");
  EXPECT_EQ(report_on({"retrained"}).runs[0].name, "Model B");
}

TEST_F(ReportPageTest, AccuraciesOfMuseRaiseThemToo) {
  folder_.write("unlearned/TOFU_EVAL.json", R"({"forget_knowmem_ROUGE": {"agg_value": 0.1}})");
  const auto flags = report_page(report_on({"unlearned"})).flags;
  ASSERT_EQ(flags.size(), 2U);
  EXPECT_EQ(flags[0].title, "Possible collapse");
  EXPECT_EQ(flags[1].title, "Too few holdout examples");  // as mia.json says
}

TEST_F(ReportPageTest, AnAuditWhoseSetsDifferByTheirTextsSaysSo) {
  const auto flags_with = [&](const char* separates) {
    folder_.write("retrained/mia.json",
                  fmt::format(R"({{"audit": {{"blind_baseline": {{"auc": 0.9, "p_value": 0.01,
                                  "null_range": [0.4, 0.6], "separates": {},
                                  "telling": [{{"feature": "born", "side": "forget"}}]}}}}}})",
                              separates));
    return report_page(report_on({"retrained"})).flags;
  };
  const auto flags = flags_with("true");
  ASSERT_EQ(flags.size(), 1U);
  EXPECT_EQ(flags[0].title, "The sets differ without any model");
  expect_contains(flags[0].text, "AUC 0.900, p = 0.010; 0.400 … 0.600");
  expect_contains(flags[0].text, "'born' (forget)");
  EXPECT_TRUE(flags_with("false").empty());
}

TEST_F(ReportPageTest, ExamplesHaveTheTextsOfTheLogs) {
  const PageExamples examples = report_page(report_on({"unlearned"})).examples;
  EXPECT_EQ(examples.attacks, (std::vector<std::string>{"mia_loss", "mia_min_k"}));
  EXPECT_EQ(examples.rows.size(), 80U);
  int64_t with_text = 0;
  for (const PageExample& row : examples.rows) {
    if (!row.generation) continue;
    ++with_text;
    EXPECT_EQ(row.index, "0");
    EXPECT_EQ(row.set, PageSet::kForget);
    EXPECT_EQ(row.question, "Who?");
    EXPECT_EQ(row.answer, "Nobody.");
    EXPECT_EQ(row.generation, "<b>Me</b>");
  }
  EXPECT_EQ(with_text, 1);
}

TEST_F(ReportPageTest, ScoresAloneMakeAPageToo) {
  std::string csv = "label,score,attack\n";
  for (int i = 0; i < 40; ++i) {
    csv += fmt::format("{},{},strong\n", i % 2, i % 2 * 2 + i % 7 * 0.3);
    csv += fmt::format("{},{},weak\n", i % 2, i % 7);
  }
  folder_.write("scores.csv", csv);
  const PageData page = report_page(report_on({"scores.csv"}), {{"inputs", "scores.csv"}});
  EXPECT_EQ(page.headline.question, "How well do attacks tell members from others?");
  expect_contains(page.headline.answer, "strong reaches an AUC of");
  expect_contains(page.headline.statistics, "the highest of 2, picked after the fact");
  EXPECT_EQ(page.headline.tone, PageTone::kNeutral);
  EXPECT_TRUE(page.headline.interval.has_value());
  EXPECT_EQ(page.tables[0].id, "attacks-table");
  EXPECT_TRUE(page.examples.rows.empty());
  expect_contains(page_to_html(page), "strong reaches");
}

TEST_F(ReportPageTest, RunsWithoutAttacksAreStillAPage) {
  std::filesystem::create_directory(folder_.path() / "plain");
  folder_.write("plain/X_SUMMARY.json", R"({"model_utility": 0.6})");
  const PageData page = report_page(report_on({"plain"}));
  expect_contains(page.headline.answer, "Not known");
  EXPECT_TRUE(page.examples.rows.empty());
  EXPECT_EQ(page.tables[0].rows[0][1].value, 0.6);
}

TEST_F(ReportPageTest, ASmallPValueIsNotZero) {
  std::filesystem::create_directory(folder_.path() / "plain");
  folder_.write("plain/X_SUMMARY.json", R"({"forget_quality": 4.271e-08, "model_utility": 0.6})");
  const Json page = parse_json(page_to_json(report_page(report_on({"plain"}))), "page");
  const Json& cells = page["tables"][0]["rows"][0]["cells"];
  EXPECT_EQ(cells[0]["text"], "4.3e-08");
  EXPECT_EQ(page["tables"][0]["rows"][1]["cells"][0]["text"], "0.600");
}

TEST_F(ReportPageTest, ManyChartsAreCut) {
  Report report = report_on({"unlearned"});
  report.figures.clear();
  for (size_t i = 0; i < kMaxCharts + 3; ++i)
    report.figures.push_back({fmt::format("f{}", i), "caption", {.title = "title"}});
  PageData page = report_page(report);
  EXPECT_EQ(page.charts.size(), kMaxCharts);
  EXPECT_EQ(page.notes.back(), "3 more charts are in the folder figures");
}

TEST_F(ReportPageTest, LargeChartsAreCutSooner) {
  Report report = report_on({"unlearned"});
  ChartMark line{.series = 0};
  for (int i = 0; i < 3000; ++i) line.points.push_back({i / 3000.0, i % 7 / 7.0});
  const Chart chart{.series = {{"a", 0}}, .panels = {{.marks = {line}}}};
  report.figures.clear();
  for (int i = 0; i < 20; ++i) report.figures.push_back({fmt::format("f{}", i), "", chart});
  const PageData page = report_page(report);
  EXPECT_GE(page.charts.size(), 2U);
  EXPECT_LT(page.charts.size(), 20U);
  EXPECT_LT(page_to_html(page).size(), 300'000U);
}

}  // namespace
}  // namespace palimpsest::report
