#include "palimpsest/report/page/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "palimpsest/base/table.h"
#include "palimpsest/report/page/answer_headline.h"
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

std::string attacks_caption(const Report& report) {
  std::string caption =
      "One row per attack in one setting, with bootstrap intervals where they were asked for.";
  if (shows_effective_epsilon(report)) caption += " " + effective_epsilon_note();
  return caption;
}

void add_tables(const Report& report, std::vector<PageTable>& tables) {
  const bool has_runs = !report.run_table.runs.empty();
  if (has_runs) {
    std::string caption =
        "With intervals where single examples are known, by leaving out one cluster of examples "
        "after the other.";
    if (report.run_table.runs.size() > 1) {
      caption = fmt::format("{} ✱: {}.", caption, marks_legend(report.run_table));
    }
    tables.push_back(page_table(
        to_result_table(report.run_table),
        {.id = "models-table", .title = "Models beside each other", .caption = caption}));
  }
  if (!report.summaries.empty()) {
    tables.push_back(page_table(main_table(report), {.id = "attacks-table",
                                                     .title = "What the attacks find",
                                                     .caption = attacks_caption(report),
                                                     .is_detail = has_runs}));
  }
  if (!report.epsilon.models.empty()) {
    tables.push_back(
        page_table(epsilon_table(report.epsilon),
                   {.id = "epsilon-table",
                    .title = "Effective epsilon",
                    .caption = fmt::format(
                        "What differential privacy the attacks contradict, at δ = {:g}, cut at 0. "
                        "Each estimate "
                        "rests on the assumption written beside it, which the scores cannot check.",
                        report.epsilon.delta),
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
  const RunMetric* attack = leading_attack(run);
  const RedFlagFacts facts{
      .verdict = run.answer ? std::optional(run.answer->verdict) : std::nullopt,
      .auc = attack != nullptr ? attack->value : std::nullopt,
      .forget_accuracy = metric_of(run, {"forget_Q_A_ROUGE", "forget_knowmem_ROUGE"}),
      .retain_accuracy = metric_of(run, {"retain_Q_A_ROUGE", "retain_knowmem_ROUGE"}),
      .separating_texts = run.separating_texts};
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

// The other models: what their audits say, and their AUCs under the attack that the headline shows.
std::string beside(const Report& report, const RunMetric& attack) {
  std::string others;
  for (size_t i = 1; i < report.runs.size(); ++i) {
    const RunResults& run = report.runs[i];
    const auto same = std::ranges::find_if(
        run.metrics, [&](const RunMetric& metric) { return is_same_metric(metric, attack); });
    if (same == run.metrics.end() || !same->value) continue;
    others += fmt::format("{}{} {:.3f}{}", others.empty() ? "" : ", ", run.name, *same->value,
                          run.answer ? fmt::format(" ({})", name_of(run.answer->verdict)) : "");
  }
  return others.empty() ? "" : fmt::format("Beside it, by {}: {}.", label_of(attack), others);
}

PageHeadline run_headline(const Report& report) {
  const RunResults& run = report.runs[0];
  const RunMetric* attack = leading_attack(run);
  if (!run.answer && attack == nullptr) return unknown_headline(run.name);
  PageHeadline headline;
  if (run.answer) {
    headline = answer_headline(run.name, *run.answer);
    // The AUC of a void audit means nothing.
    if (attack == nullptr || run.answer->verdict == AnswerVerdict::kVoid) return headline;
    headline.value_name = "AUC of " + label_of(*attack);
    headline.value = std::clamp(*attack->value, 0.0, 1.0);
    headline.interval = attack->simultaneous ? attack->simultaneous : attack->interval;
  } else {
    const auto attacks = std::ranges::count_if(run.metrics, &RunMetric::is_auc);
    headline = neutral_headline(run.name, {.attack = label_of(*attack),
                                           .auc = std::clamp(*attack->value, 0.0, 1.0),
                                           .interval = attack->interval,
                                           .confidence = report.run_table.confidence,
                                           .attacks = static_cast<size_t>(attacks)});
  }
  headline.action = beside(report, *attack);
  return headline;
}

// The summary with the highest AUC, by its row and the AUC's column in the main table.
PageHeadline summary_headline(const Report& report) {
  PageHeadline headline{.question = "How well do attacks tell members from others?",
                        .answer = "Not known: no attack of this report has an AUC.",
                        .tone = PageTone::kCaution};
  const ResultTable table = main_table(report);
  const auto found = std::find(table.heading.begin(), table.heading.end(), "auc");
  if (found == table.heading.end()) return headline;
  const auto column = static_cast<size_t>(found - table.heading.begin());
  const std::vector<ResultCell>* highest = nullptr;
  for (const auto& row : table.rows) {
    const std::optional<double>& auc = row[column].value;
    if (auc && (highest == nullptr || *auc > *(*highest)[column].value)) highest = &row;
  }
  if (highest == nullptr) return headline;
  const ResultCell& cell = (*highest)[column];
  const std::string name = (*highest)[0].is_number ? "the attack" : (*highest)[0].text;
  headline.value_name = "AUC of " + name;
  headline.value = cell.value;
  headline.interval = cell.interval;
  headline.tone = PageTone::kNeutral;
  headline.answer =
      fmt::format("{} reaches an AUC of {}{}.", name, shown_auc(*cell.value, cell.interval, 0.95),
                  table.rows.size() > 1
                      ? fmt::format(", the highest of {}, picked after the fact", table.rows.size())
                      : "");
  return headline;
}

constexpr std::string_view kReportExplanations[][2] = {
    {"AUC",
     "The probability that an attack ranks a member above somebody else, ties half. 0.5 is "
     "guessing. Of a forget set: 1 is plainly remembered, 0.5 indistinguishable from unseen text, "
     "the goal, and 0 over-forgotten, which gives the set away as well."},
    {"Significance",
     "Two models are compared on the examples that both have, by whole clusters of examples: AUCs "
     "by "
     "the jackknife, means by a permutation test. Holm's correction keeps the chance of any wrong "
     "mark in a column below the level. Metrics with other parameters are never compared."},
    {"Effective epsilon",
     "Attack and threshold are chosen on a validation part and measured on the rest; the interval "
     "follows from exact intervals of both rates. Every estimate needs an assumption, which stands "
     "beside it; scores of one audited model do not meet that of most of them."},
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
  if (!report.runs.empty() && report.runs[0].answer)
    page.figures = answer_figures(*report.runs[0].answer);
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
