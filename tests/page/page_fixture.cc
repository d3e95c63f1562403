// Writes the pages that page_test.py and page_safety_test.py look at into the folder given:
//   hostile.html  an attack in every text field
//   plain.html    every part of a page, questions and generations included
//   large.html    20,000 examples
//   wide.html     a table of many columns with long names, every number marked
//   models.html   four models with the metrics of TOFU
//   many.html     the same with nine models
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/random.h"
#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/internal/figures/estimate_figure.h"
#include "palimpsest/report/internal/figures/roc_figure.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"
#include "palimpsest/report/report.h"
#include "tests/report/scored_metric.h"

namespace palimpsest {
namespace {

// The field's name is put into every attack, so that a test can say which one got through.
std::string attack_on(const std::string& field) {
  return fmt::format(
      "{0}</script></title></style><script>window.broken='{0}'</script><img src=x "
      "onerror=\"window.broken='{0}'\"><a href=\"javascript:window.broken='{0}'\">{0}</a>"
      "\"' onmouseover=window.broken='{0}' {{{{data}}}} <!-- \u202e]]>",
      field);
}

std::string plain(const std::string& field) {
  return field;
}

using Text = std::string (*)(const std::string&);

report::Figure chart_of(Text text) {
  std::vector<report::EstimatePoint> points;
  for (int i = 0; i < 4; ++i) {
    points.push_back({text(fmt::format("label{}", i)), text(fmt::format("series{}", i % 2)),
                      0.4 + 0.1 * i, stat::Interval{0.3 + 0.1 * i, 0.5 + 0.1 * i}});
  }
  report::Chart chart = report::estimate_figure(points, {.axis = text("axis")});
  chart.title = text("chart title");
  return {.name = "estimates", .caption = text("chart caption"), .chart = std::move(chart)};
}

report::Figure roc_of(Text text) {
  Random random(3);
  stat::LabelledScores scores;
  for (int i = 0; i < 300; ++i) {
    scores.positives.push_back(random.normal() + 1);
    scores.negatives.push_back(random.normal());
  }
  const std::vector<report::RocLine> lines = {{text("curve"), &scores}};
  report::Chart chart = report::roc_figure(lines);
  chart.title = "ROC";
  return {.name = "roc", .caption = "A curve", .chart = std::move(chart)};
}

report::ResultTable table_of(Text text) {
  report::ResultTable table{
      .id = "models",
      .title = text("table title"),
      .caption = text("table caption"),
      .columns = {{text("row name")},
                  {text("column"), text("meaning"), true, true, text("small column")},
                  {"cost", "", false}}};
  for (int i = 0; i < 3; ++i) {
    const double auc = 0.5 + 0.15 * i;
    report::ResultCell cell =
        report::number_cell(auc, stat::Interval{auc - 0.05, auc + 0.05}, i == 2);
    cell.text = fmt::format("{:.2f}", auc);
    report::ResultCell name = report::name_cell(text(fmt::format("model {}", i)));
    name.small = text("small name");
    table.rows.push_back({name, cell, report::name_cell(text("cell"))});
    table.row_groups.push_back(text("row group"));
  }
  return table;
}

report::ResultTable wide_table() {
  report::ResultTable table{
      .id = "wide", .title = "Wide", .caption = "Many columns", .columns = {{"model"}}};
  std::vector<report::ResultCell> row = {report::name_cell("unlearned")};
  for (int i = 0; i < 40; ++i) {
    table.columns.push_back({fmt::format("forget_quality_mean_difference_{}", i)});
    row.push_back(report::number_cell(0.5, stat::Interval{0.4, 0.6}, true));
  }
  table.rows = {row, row};
  return table;
}

report::PageExample example_of(Text text, int64_t i, Random& random) {
  report::PageExample example{
      .index = i == 0 ? text("index") : std::to_string(i),
      .set = i % 2 == 0 ? report::PageSet::kForget : report::PageSet::kHoldout,
      .question = text("question") + fmt::format(" number {}", i),
      .answer = text("answer") + fmt::format(" word{}", i % 10),
      .generation = text("generation")};
  const double score = random.normal() + static_cast<double>(i % 2);
  example.scores = {score, 10 - score, std::nullopt, std::exp(score)};
  if (i % 2 == 0) example.q_value = random.uniform();
  example.is_recognised = i % 20 == 0;
  return example;
}

report::PageData page_of(Text text, int64_t examples, int64_t detailed) {
  report::PageData page{.title = text("title")};
  page.headline = {.question = text("headline question"),
                   .answer = text("headline answer"),
                   .certainty = text("headline certainty"),
                   .statistics = text("headline statistics"),
                   .detects = text("headline detects"),
                   .misses = text("headline misses"),
                   .action = text("headline action"),
                   .reasons = {text("headline reason")},
                   .tone = report::PageTone::kBad,
                   .value_name = text("value name"),
                   .value = 0.93,
                   .interval = stat::Interval{0.9, 0.95}};
  page.key_numbers = {{text("figure name"), text("figure text")}};
  page.flags = {{report::PageTone::kBad, text("flag title"), text("flag text")},
                {report::PageTone::kCaution, "Caution", "A small sample."},
                {report::PageTone::kBad, "Collapse", "It is broken.", text("flag model")}};
  page.notes = {text("note")};
  page.limits = {text("limit")};
  page.tables = {table_of(text)};
  page.charts = {chart_of(text), roc_of(text)};
  page.methods = {{text("method title"), text("method text")}};
  page.run = {{text("run title"), text("run text")}};
  page.examples = {.attacks = {text("attack"), "min_k", "undefined", "zlib"},
                   .ranking = 1,
                   .recognised = text("recognised words")};
  Random random(1);
  for (int64_t i = 0; i < examples; ++i) {
    report::PageExample example = example_of(text, i, random);
    for (int64_t t = 0; i < detailed && t < 40; ++t) {
      const double logprob = -12 * random.uniform() * random.uniform();
      example.tokens.push_back({text("token") + fmt::format(" {}", t), logprob, logprob < -6});
    }
    page.examples.rows.push_back(std::move(example));
  }
  return page;
}

// A run with what TOFU measures. Of every model two metrics are undefined.
report::RunResults run_of(const std::string& name, double shift, uint64_t seed) {
  report::RunResults run{.name = name};
  Random random(seed);
  for (const char* attack : {"mia_loss", "mia_min_k", "mia_min_k_plus_plus", "mia_zlib"}) {
    report::RunMetric metric{.name = attack};
    report::ValueByExample forget;
    report::ValueByExample holdout;
    for (int i = 0; i < 80; ++i) {
      forget[std::to_string(i)] = random.normal();
      holdout[std::to_string(i)] = random.normal() + shift;
    }
    metric.scored = report::scored_attack(forget, holdout);
    metric.value = 0.5 + 0.2 * shift;
    metric.interval = stat::Interval{*metric.value - 0.1, std::min(1.0, *metric.value + 0.1)};
    run.metrics.push_back(std::move(metric));
  }
  for (const char* metric :
       {"forget_Q_A_ROUGE", "forget_Q_A_Prob", "forget_Q_A_PARA_Prob", "forget_Truth_Ratio",
        "forget_quality_mean_difference", "forget_quality_ks_distance", "model_utility",
        "retain_Q_A_ROUGE", "retain_Q_A_Prob", "ra_Q_A_ROUGE", "ra_Q_A_Prob_normalised",
        "wf_Q_A_ROUGE", "wf_Q_A_Prob_normalised", "extraction_strength", "exact_memorization",
        "a_metric_of_my_own_with_a_long_name"}) {
    const double value = random.uniform();
    run.metrics.push_back({.name = metric,
                           .value = value,
                           .interval = stat::Interval{0.9 * value, std::min(1.0, 1.1 * value)}});
  }
  run.metrics.push_back({.name = "forget_quality", .value = 4.271e-08});
  run.metrics.push_back({.name = "privleak", .value = -43.21});
  run.metrics.push_back({.name = "never_defined", .value = std::nullopt});
  run.answer = attack::Answer{.verdict = shift > 0 ? attack::AnswerVerdict::kRemembered
                                                   : attack::AnswerVerdict::kNotDecided,
                              .sentence = "The answer of this run in one sentence.",
                              .attack = "mia_loss",
                              .would_detect = 0.64};
  run.answer->picked_out = attack::PickedOut{.attack = "mia_loss",
                                             .tpr = 0.7,
                                             .fpr = 0.3,
                                             .excess = 0.4,
                                             .interval = stat::Interval{0.21, 0.56},
                                             .forget = 40,
                                             .holdout = 40};
  run.flags = attack::red_flags({.verdict = run.answer->verdict,
                                 .auc = run.metrics.front().value,
                                 .forget_accuracy = 0.1,
                                 .retain_accuracy = 0.05});
  return run;
}

report::PageData models_page(size_t models) {
  std::vector<report::RunResults> runs;
  for (size_t i = 0; i < models; ++i) {
    constexpr const char* kNames[] = {"unlearned", "original", "retrained", "random"};
    runs.push_back(run_of(i < 4 ? kNames[i] : fmt::format("another-model-{}", i),
                          i % 2 == 0 ? 1.0 : 0.0, i + 1));
  }
  const report::ReportOptions options;
  return report::report_page(report::report_on({.runs = std::move(runs)}, options));
}

void write_pages(const std::filesystem::path& folder) {
  make_folder(folder);
  write_file(folder / "models.html", report::page_to_html(models_page(4)));
  write_file(folder / "many.html", report::page_to_html(models_page(9)));
  write_file(folder / "hostile.html", report::page_to_html(page_of(attack_on, 60, 20)));
  write_file(folder / "plain.html", report::page_to_html(page_of(plain, 500, 100)));
  report::PageData large = page_of(plain, 20'000, 1'000);
  Random random(2);
  for (report::PageExample& example : large.examples.rows) {
    *example.question += std::string(100 + random.below(200), 'q');
    *example.answer += std::string(100 + random.below(400), 'a');
  }
  report::PageData wide = page_of(plain, 10, 0);
  wide.tables = {wide_table()};
  write_file(folder / "wide.html", report::page_to_html(wide));
  write_file(folder / "large.html", report::page_to_html(large));
}

}  // namespace
}  // namespace palimpsest

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "page_fixture FOLDER\n");
    return 2;
  }
  try {
    palimpsest::write_pages(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
