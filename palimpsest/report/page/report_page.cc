#include "palimpsest/report/page/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "palimpsest/attack/internal/mia/leading_attack.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/report/chart/chart.h"
#include "palimpsest/report/internal/page/answer_headline.h"
#include "palimpsest/report/internal/page/claim_limits.h"
#include "palimpsest/report/internal/page/model_tables.h"
#include "palimpsest/report/internal/page/run_examples.h"
#include "palimpsest/report/page/mia_page.h"

namespace palimpsest::report {
namespace {

std::string attacks_caption(const Report& report) {
  std::string caption =
      "One row per attack in one setting, with bootstrap intervals where they were asked for.";
  if (shows_effective_epsilon(report)) caption += " " + effective_epsilon_note();
  return caption;
}

// The table with its place on the page.
ResultTable placed(ResultTable table, const char* id, const char* title, std::string caption) {
  table.id = id;
  table.title = title;
  table.caption = std::move(caption);
  return table;
}

void add_tables(const Report& report, std::vector<ResultTable>& tables) {
  const bool has_runs = !report.run_table.runs.empty();
  if (has_runs) {
    const RunMetric* attack = leading_attack(report.runs[0]);
    tables = model_tables(report.run_table,
                          attack != nullptr ? column_label(report.run_table, *attack) : "");
  }
  if (!report.summaries.empty()) {
    tables.push_back(placed(main_table(report), "attacks-table", "What the attacks find",
                            attacks_caption(report)));
    tables.back().is_detail = has_runs;
  }
  if (!report.epsilon.threat_models.empty()) {
    tables.push_back(placed(
        epsilon_table(report.epsilon), "epsilon-table", "Effective epsilon",
        fmt::format("What differential privacy the attacks contradict, at δ = {:g}, cut at 0. Each "
                    "estimate rests on the assumption written beside it, which the scores cannot "
                    "check.",
                    report.epsilon.delta)));
    tables.back().is_detail = true;
  }
}

// Those of the model in question first, then those of the models beside it.
void add_flags(const Report& report, std::vector<PageFlag>& flags) {
  for (size_t r = 0; r < report.runs.size(); ++r) {
    for (const attack::RedFlag& flag : report.run_table.flags[r]) {
      flags.push_back(page_flag(flag));
      if (r > 0) flags.back().model = report.runs[r].name;
    }
  }
}

std::vector<std::string> limits_of(const RunResults& run) {
  const RunMetric* attack = leading_attack(run);
  if (attack == nullptr) return {};
  ClaimFacts facts{.answer = run.answer,
                   .forget = attack->scored->forget.defined(),
                   .holdout = attack->scored->holdout.defined()};
  for (const RunMetric& metric : run.metrics) {
    if (metric.is_auc()) facts.attacks.push_back(label_of(metric));
  }
  if (run.separating_texts) facts.texts_p_value = run.separating_texts->p_value;
  return claim_limits(facts);
}

// The other models: what their audits say, and their AUCs under the attack that the headline shows.
std::string beside(const Report& report, const RunMetric& attack) {
  constexpr size_t kFewOthers = 4;  // more of them stand in the table alone
  if (report.runs.size() > kFewOthers + 1) return "";
  std::string others;
  for (size_t i = 1; i < report.runs.size(); ++i) {
    const RunResults& run = report.runs[i];
    const RunMetric* same = find_same(run, attack);
    if (same == nullptr || !same->value) continue;
    others += fmt::format(
        "{}{} {:.3f}{}", others.empty() ? "" : ", ", run.name, *same->value,
        run.answer ? fmt::format(" ({})", attack::verdict_words(run.answer->verdict)) : "");
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
    if (attack == nullptr || run.answer->verdict == attack::AnswerVerdict::kVoid) return headline;
    headline.value_name = "AUC of " + label_of(*attack);
    headline.value = std::clamp(*attack->value, 0.0, 1.0);
    const auto& simultaneous = attack->scored->auc_ci_simultaneous;
    headline.interval = simultaneous ? simultaneous : attack->interval;
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
  const std::optional<size_t> found = table.column("auc");
  if (!found) return headline;
  const size_t column = *found;
  std::vector<std::optional<double>> aucs;
  for (const auto& row : table.rows) aucs.push_back(row[column].value);
  const std::optional<size_t> highest = attack::highest_auc(aucs);
  if (!highest) return headline;
  const std::vector<ResultCell>& row = table.rows[*highest];
  const ResultCell& cell = row[column];
  const std::string name = row[0].is_number ? "the attack" : row[0].text;
  headline.value_name = "AUC of " + name;
  headline.value = cell.value;
  headline.interval = cell.interval;
  headline.tone = PageTone::kNeutral;
  headline.answer = fmt::format("{} reaches an AUC of {:.3f}.", name, *cell.value);
  headline.statistics =
      fmt::format("AUC {}{}.", shown_auc(*cell.value, cell.interval, 0.95),
                  table.rows.size() > 1
                      ? fmt::format(", the highest of {}, picked after the fact", table.rows.size())
                      : "");
  return headline;
}

constexpr std::string_view kReportExplanations[][2] = {
    {"AUC",
     "The probability that an attack ranks a member above a non-member, with ties counted half. "
     "0.5 is guessing. Of a forget set: 1 is plainly remembered, 0.5 indistinguishable from unseen "
     "text, the goal, and 0 over-forgotten, which gives the set away as well."},
    {"Significance",
     "Two models are compared on the examples that both have, by whole clusters of examples: AUCs "
     "by the jackknife, means by a permutation test. Holm's correction keeps the chance of any "
     "wrong mark in a column below the level. Metrics with different parameters are never "
     "compared."},
    {"Effective epsilon",
     "Attack and threshold are chosen on a validation part and measured on the rest; the interval "
     "follows from exact intervals of both rates. Every estimate needs an assumption, which is "
     "stated beside it; the scores of one audited model do not meet most of these assumptions."},
};

std::string title_of(const Report& report) {
  if (!report.title.empty()) return report.title;
  constexpr size_t kFew = 4;
  if (report.runs.empty() || report.runs.size() > kFew) return "Report";
  std::string names;
  for (const RunResults& run : report.runs) names += (names.empty() ? "" : ", ") + run.name;
  return "Report on " + names;
}

void add_charts(const Report& report, PageData& page) {
  size_t bytes = 0;
  for (const Figure& figure : report.figures) {
    bytes += to_svg(figure.chart, SvgUse::kPage).size();
    if (page.charts.size() == kMaxCharts || bytes > kMaxChartBytes) {
      page.notes.push_back(fmt::format("{} more charts are in the folder figures",
                                       report.figures.size() - page.charts.size()));
      return;
    }
    page.charts.push_back(figure);
  }
}

// A file may have been tried for both sets, or in several folders.
void note_unfit_traces(const RunResults& run, PageData& page) {
  for (const UnfitTraces& unfit : run.unfit_traces) {
    std::string note =
        fmt::format("no texts of {} are shown: {}", unfit.file.filename().string(), unfit.why);
    if (std::ranges::find(page.notes, note) == page.notes.end())
      page.notes.push_back(std::move(note));
  }
}

}  // namespace

PageData page_of(const Report& report, const std::vector<PageEntry>& run) {
  if (!report.audit) return report_page(report, run);
  std::optional<attack::MiaFile> file =
      attack::mia_from_json(read_file(*report.audit), report.audit->string());
  if (!file) return report_page(report, run);
  if (!report.title.empty()) file->report.title = report.title;
  if (!report.model_name.empty()) file->report.model_name = report.model_name;
  MiaPageOptions options;
  for (const auto& [title, text] : file->record) options.run.push_back({title, text});
  const RunResults& audit = report.runs.at(0);
  if (!audit.metrics.empty() && audit.metrics[0].traces)
    options.examples.traces = *audit.metrics[0].traces;
  PageData page = mia_page(file->report, options);
  note_unfit_traces(audit, page);
  return page;
}

PageData report_page(const Report& report, const std::vector<PageEntry>& run) {
  PageData page{.title = title_of(report), .notes = report.notes, .run = run};
  page.headline = report.runs.empty() ? summary_headline(report) : run_headline(report);
  if (!report.runs.empty() && report.runs[0].answer)
    page.key_numbers = answer_figures(*report.runs[0].answer);
  if (!report.summaries.empty())
    page.key_numbers.push_back(
        {"attacks in their settings", std::to_string(report.summaries.size())});
  add_flags(report, page.flags);
  add_tables(report, page.tables);
  add_charts(report, page);
  for (const auto& [title, text] : kReportExplanations)
    page.methods.push_back({std::string(title), std::string(text)});
  if (!report.runs.empty()) {
    page.limits = limits_of(report.runs[0]);
    page.examples = run_examples(report.runs[0]);
    note_unfit_traces(report.runs[0], page);
  }
  return page;
}

}  // namespace palimpsest::report
