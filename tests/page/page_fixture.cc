// Writes the pages that page_test.py and page_safety_test.py look at into the folder given:
//   hostile.html  an attack in every text field
//   plain.html    every part of a page, questions and generations included
//   large.html    20,000 examples
//   wide.html     a table of many columns with long names, every number marked
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/file.h"
#include "palimpsest/base/random.h"
#include "palimpsest/report/figures.h"
#include "palimpsest/report/internal/figures/estimate_figure.h"
#include "palimpsest/report/page/page.h"

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
      .columns = {
          {text("row name")}, {text("column"), text("meaning"), true}, {"cost", "", false}}};
  for (int i = 0; i < 3; ++i) {
    const double auc = 0.5 + 0.15 * i;
    report::ResultCell cell =
        report::number_cell(auc, stat::Interval{auc - 0.05, auc + 0.05}, i == 2);
    cell.text = fmt::format("{:.2f}", auc);
    table.rows.push_back({report::name_cell(text(fmt::format("model {}", i))), cell,
                          report::name_cell(text("cell"))});
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
  return example;
}

report::PageData page_of(Text text, int64_t examples, int64_t detailed) {
  report::PageData page{.title = text("title")};
  page.headline = {.question = text("headline question"),
                   .answer = text("headline answer"),
                   .action = text("headline action"),
                   .reasons = {text("headline reason")},
                   .tone = report::PageTone::kBad,
                   .value_name = text("value name"),
                   .value = 0.93,
                   .interval = stat::Interval{0.9, 0.95}};
  page.figures = {{text("figure name"), text("figure text")}};
  page.flags = {{report::PageTone::kBad, text("flag title"), text("flag text")},
                {report::PageTone::kCaution, "Caution", "A small sample."}};
  page.notes = {text("note")};
  page.tables = {table_of(text)};
  page.charts = {chart_of(text), roc_of(text)};
  page.methods = {{text("method title"), text("method text")}};
  page.run = {{text("run title"), text("run text")}};
  page.examples = {.attacks = {text("attack"), "min_k", "undefined", "zlib"}, .ranking = 1};
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

void write_pages(const std::filesystem::path& folder) {
  make_folder(folder);
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
