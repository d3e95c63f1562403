#include "palimpsest/report/page/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "palimpsest/base/table.h"
#include "palimpsest/report/page/auc_headline.h"
#include "palimpsest/report/page/red_flags.h"
#include "palimpsest/report/page/run_examples.h"

namespace palimpsest {
namespace {

PageCell page_cell(const ResultCell& cell, bool is_share) {
  if (!cell.is_number) return {.text = cell.text};
  // A p-value that is not 0 must not look like it.
  auto shown = [&](double value) {
    if (!is_share) return format_number(value);
    return value > 0 && value < 0.0005 ? format_number(value, 2) : fmt::format("{:.3f}", value);
  };
  return {.text = cell.value ? shown(*cell.value) : "n/a",
          .value = cell.value,
          .interval = cell.interval,
          .is_significant = cell.marked};
}

// Numbers between 0 and 1 throughout are drawn on one scale.
bool is_share(const ResultTable& table, size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    const ResultCell& cell = row[column];
    if (!cell.is_number) return false;
    if (!cell.value) continue;
    if (!(*cell.value >= 0 && *cell.value <= 1)) return false;
    any = true;
  }
  return any;
}

// A table whose first column names the rows.
PageTable page_table(const ResultTable& table, PageTable page) {
  if (table.heading.empty()) return page;
  page.row_name = table.heading[0];
  for (size_t c = 1; c < table.heading.size(); ++c)
    page.columns.push_back({table.heading[c], "", is_share(table, c)});
  for (const auto& row : table.rows) {
    PageTable::Row line{page_cell(row[0], false).text, {}};
    for (size_t c = 1; c < row.size(); ++c)
      line.cells.push_back(page_cell(row[c], page.columns[c - 1].is_share));
    page.rows.push_back(std::move(line));
  }
  return page;
}

void add_tables(const Report& report, std::vector<PageTable>& tables) {
  const bool has_runs = !report.run_table.runs.empty();
  if (has_runs) {
    std::string caption = "With intervals where single examples are known.";
    if (report.run_table.runs.size() > 1) {
      caption = fmt::format(
          "✱: differs from {} by more than chance allows (paired tests on the examples that both "
          "have, corrected for their number by Holm's method, {:g}%).",
          report.run_table.runs[0], 100 * report.run_table.confidence);
    }
    tables.push_back(page_table(
        to_result_table(report.run_table),
        {.id = "models-table", .title = "Models beside each other", .caption = caption}));
  }
  if (!report.summaries.empty()) {
    tables.push_back(page_table(main_table(report),
                                {.id = "attacks-table",
                                 .title = "What the attacks find",
                                 .caption = "One row an attack in one setting, with bootstrap "
                                            "intervals where they were asked for.",
                                 .is_detail = has_runs}));
  }
  if (!report.epsilon.models.empty()) {
    tables.push_back(page_table(
        epsilon_table(report.epsilon),
        {.id = "epsilon-table",
         .title = "Effective epsilon",
         .caption = "What differential privacy the attacks contradict. Each estimate rests on the "
                    "assumption written beside it, which the scores cannot check.",
         .is_detail = true}));
  }
}

// Of the first of these metrics that the run has.
std::optional<double> metric_of(const RunResults& run,
                                std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(run.metrics, name, &RunMetric::name);
    if (found != run.metrics.end()) return found->value;
  }
  return std::nullopt;
}

// Answers to questions: TOFU's metrics, and MUSE's.
std::vector<PageFlag> flags_of(const RunResults& run) {
  const RunMetric* attack = strongest_attack(run);
  RedFlagFacts facts{
      .auc = attack != nullptr ? attack->value : std::nullopt,
      .forget_accuracy = metric_of(run, {"forget_Q_A_ROUGE", "forget_knowmem_ROUGE"}),
      .retain_accuracy = metric_of(run, {"retain_Q_A_ROUGE", "retain_knowmem_ROUGE"})};
  if (run.separating_texts) {
    facts.separating_blind_auc = run.separating_texts->auc;
    facts.blind_null_range = run.separating_texts->null_range;
  }
  return red_flags(facts);
}

void add_flags(const Report& report, std::vector<PageFlag>& flags) {
  for (const RunResults& run : report.runs) {
    for (PageFlag& flag : flags_of(run)) {
      if (report.runs.size() > 1) flag.title = fmt::format("{}: {}", run.name, flag.title);
      flags.push_back(std::move(flag));
    }
  }
}

// The other models under the attack that the headline speaks of.
std::string beside(const Report& report, const std::string& attack) {
  std::string others;
  for (size_t i = 1; i < report.runs.size(); ++i) {
    const std::optional<double> auc = metric_of(report.runs[i], {attack});
    if (!auc) continue;
    others += fmt::format("{}{} {:.3f}", others.empty() ? "" : ", ", report.runs[i].name, *auc);
  }
  return others.empty() ? "" : fmt::format(" Beside it, by {}: {}.", attack, others);
}

PageHeadline run_headline(const Report& report) {
  const RunResults& run = report.runs[0];
  const RunMetric* attack = strongest_attack(run);
  if (attack == nullptr) return unknown_headline(run.name);
  const auto attacks = std::count_if(run.metrics.begin(), run.metrics.end(),
                                     [](const RunMetric& metric) { return metric.is_auc(); });
  PageHeadline headline = auc_headline({.model = run.name,
                                        .attack = attack->name,
                                        .auc = std::clamp(*attack->value, 0.0, 1.0),
                                        .interval = attack->interval,
                                        .confidence = report.run_table.confidence,
                                        .is_strongest = attacks > 1});
  headline.action += beside(report, attack->name);
  return headline;
}

// The summary whose AUC is farthest from ½, by its row and the AUC's column in the main table.
PageHeadline summary_headline(const Report& report) {
  PageHeadline headline{.question = "How well do attacks tell members from others?",
                        .answer = "Not known: no attack of this report has an AUC.",
                        .tone = PageTone::kCaution};
  const ResultTable table = main_table(report);
  const auto found = std::find(table.heading.begin(), table.heading.end(), "auc");
  if (found == table.heading.end()) return headline;
  const auto column = static_cast<size_t>(found - table.heading.begin());
  const std::vector<ResultCell>* strongest = nullptr;
  for (const auto& row : table.rows) {
    const std::optional<double>& auc = row[column].value;
    if (!auc) continue;
    if (strongest == nullptr || std::abs(*auc - 0.5) > std::abs(*(*strongest)[column].value - 0.5))
      strongest = &row;
  }
  if (strongest == nullptr) return headline;
  const ResultCell& cell = (*strongest)[column];
  const std::string name = (*strongest)[0].is_number ? "the attack" : (*strongest)[0].text;
  headline.value_name = "AUC of " + name;
  headline.value = cell.value;
  headline.interval = cell.interval;
  headline.answer =
      fmt::format("{}{} reaches an AUC of {}.", table.rows.size() > 1 ? "At best: " : "", name,
                  shown_auc(*cell.value, cell.interval, 0.95));
  if (cell.interval) headline.tone = tone_of(verdict_of(*cell.value, *cell.interval));
  return headline;
}

constexpr std::string_view kReportExplanations[][2] = {
    {"AUC",
     "The probability that an attack ranks a member above somebody else, ties half. 0.5 is "
     "guessing. Of a forget set: 1 is plainly remembered, 0.5 indistinguishable from unseen text, "
     "the goal, and 0 over-forgotten, which gives the set away as well."},
    {"Significance",
     "Two models are compared on the examples that both have: AUCs by DeLong's paired test, means "
     "by a permutation test. Holm's correction keeps the chance of any wrong mark in the whole "
     "table below the level."},
    {"Effective epsilon",
     "Attack and threshold are chosen on a validation part and measured on the rest; the interval "
     "follows from exact intervals of both rates."},
};

std::string title_of(const Report& report) {
  constexpr size_t kFew = 4;
  if (report.runs.empty() || report.runs.size() > kFew) return "Report";
  std::string names;
  for (const RunResults& run : report.runs) names += (names.empty() ? "" : ", ") + run.name;
  return "Report on " + names;
}

void add_charts(const Report& report, PageData& page) {
  for (const Figure& figure : report.figures) {
    if (page.charts.size() == kMostCharts) {
      page.notes.push_back(fmt::format("{} more charts stand in the folder figures",
                                       report.figures.size() - kMostCharts));
      return;
    }
    page.charts.push_back(
        {.id = figure.name, .title = figure.title, .caption = figure.caption, .spec = figure.spec});
  }
}

}  // namespace

PageData report_page(const Report& report, const std::vector<PageEntry>& run) {
  PageData page{.title = title_of(report), .notes = report.notes, .run = run};
  page.headline = report.runs.empty() ? summary_headline(report) : run_headline(report);
  if (!report.runs.empty()) page.figures.push_back({"models", std::to_string(report.runs.size())});
  if (!report.summaries.empty())
    page.figures.push_back({"attacks in their settings", std::to_string(report.summaries.size())});
  add_flags(report, page.flags);
  add_tables(report, page.tables);
  add_charts(report, page);
  for (const auto& [title, text] : kReportExplanations)
    page.methods.push_back({std::string(title), std::string(text)});
  if (!report.runs.empty()) page.examples = run_examples(report.runs[0]);
  return page;
}

}  // namespace palimpsest
