#include "palimpsest/report/page/mia_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/base/table.h"
#include "palimpsest/report/page/auc_headline.h"
#include "palimpsest/stat/multiple_testing.h"

namespace palimpsest {
namespace {

constexpr double kSignificance = 0.05;

PageCell rounded_cell(const std::optional<double>& value,
                      const std::optional<Interval>& interval = std::nullopt) {
  return {
      .text = value ? fmt::format("{:.3f}", *value) : "n/a", .value = value, .interval = interval};
}

// Of any size: "1.234e-07", "inf".
PageCell wide_cell(const std::optional<double>& value) {
  return {.text = value ? format_number(*value) : "n/a", .value = value};
}

PageCell count_cell(size_t count) {
  return {.text = std::to_string(count), .value = static_cast<double>(count)};
}

std::string p_text(const std::optional<double>& p) {
  if (!p) return "n/a";
  return *p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", *p);
}

std::vector<size_t> resolved_rates(const MiaReport& report) {
  std::vector<size_t> rates;
  for (size_t i = 0; i < report.fprs.size(); ++i) {
    if (std::any_of(report.outcomes.begin(), report.outcomes.end(),
                    [&](const AttackOutcome& o) { return o.tpr_at_fpr[i].has_value(); }))
      rates.push_back(i);
  }
  return rates;
}

PageTable::Row attack_row(const AttackOutcome& outcome, const std::vector<size_t>& rates) {
  PageTable::Row row{outcome.attack, {rounded_cell(outcome.auc, outcome.auc_ci_delong)}};
  for (size_t i : rates) {
    const std::optional<TprAtFpr>& point = outcome.tpr_at_fpr[i];
    row.cells.push_back(point ? rounded_cell(point->tpr, point->tpr_interval)
                              : rounded_cell(std::nullopt));
  }
  row.cells.push_back(rounded_cell(outcome.advantage));
  row.cells.push_back(wide_cell(outcome.effective_epsilon));
  row.cells.push_back(outcome.verdict ? PageCell{.text = outcome.verdict->words(),
                                                 .tone = tone_of(*outcome.verdict)}
                                      : PageCell{.text = "n/a"});
  return row;
}

PageTable attack_table(const MiaReport& report) {
  PageTable table{.id = "attacks-table",
                  .title = "What the attacks find",
                  .caption = fmt::format("AUC 1: the forget set is still recognised; 0.5: it "
                                         "cannot be told from unseen text, the goal; 0: "
                                         "over-forgotten, which gives it away, too. Intervals at "
                                         "{:g}%.",
                                         100 * report.confidence),
                  .row_name = "attack"};
  const std::vector<size_t> rates = resolved_rates(report);
  table.columns.push_back({"AUC",
                           "Probability that a holdout example looks less familiar than a "
                           "forget example; interval by DeLong's method",
                           true});
  for (size_t i : rates) {
    table.columns.push_back({fmt::format("TPR at {:g}% FPR", 100 * report.fprs[i]),
                             "Share of the forget set recognised where at most this share of the "
                             "holdout set is taken for it",
                             false});
  }
  table.columns.push_back({"advantage", "Largest TPR − FPR over all thresholds", false});
  table.columns.push_back({"effective ε", "Differential privacy that the rates contradict", false});
  table.columns.push_back({"verdict", "The AUC and its interval in words", false});
  for (const AttackOutcome& outcome : report.outcomes) {
    table.rows.push_back(attack_row(outcome, rates));
  }
  if (report.blind) {
    PageTable::Row row{"(texts alone)", {rounded_cell(report.blind->auc)}};
    row.cells.resize(table.columns.size() - 1, {.text = "–"});
    const bool separates = report.blind->separates();
    row.cells.push_back({.text = separates ? "tells them apart" : "cannot tell them apart",
                         .tone = separates ? PageTone::kBad : PageTone::kGood});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Of those that have one, corrected by Holm's method.
std::vector<std::optional<double>> corrected_p_values(const MiaReport& report) {
  std::vector<double> known;
  for (const AttackOutcome& outcome : report.outcomes) {
    if (outcome.against_baseline && outcome.against_baseline->p_value)
      known.push_back(*outcome.against_baseline->p_value);
  }
  const std::vector<double> corrected = holm(known);
  std::vector<std::optional<double>> result;
  size_t next = 0;
  for (const AttackOutcome& outcome : report.outcomes) {
    const bool has_one = outcome.against_baseline && outcome.against_baseline->p_value;
    result.push_back(has_one ? std::optional(corrected[next++]) : std::nullopt);
  }
  return result;
}

void add_baseline(const MiaReport& report, std::vector<PageTable>& tables) {
  const std::string name = report.baseline_model.empty() ? "" : " (" + report.baseline_model + ")";
  PageTable table{.id = "baseline-table",
                  .title = "Against the baseline model",
                  .caption = fmt::format("The same attacks on a model that never saw the forget "
                                         "set{}. A difference of 0: no more recognised than by "
                                         "it. ✱: significant (DeLong's paired test, corrected for "
                                         "the number of attacks by Holm's method, p < {:g}).",
                                         name, kSignificance),
                  .row_name = "attack",
                  .columns = {{"AUC", "Of the audited model", true},
                              {"baseline's AUC", "", true},
                              {"difference", "", false},
                              {"p", "Corrected", false}}};
  const std::vector<std::optional<double>> p_values = corrected_p_values(report);
  for (size_t i = 0; i < report.outcomes.size(); ++i) {
    const std::optional<DelongTest>& test = report.outcomes[i].against_baseline;
    if (!test) continue;
    PageCell difference = rounded_cell(test->auc_a - test->auc_b, test->difference);
    difference.is_significant = p_values[i] && *p_values[i] < kSignificance;
    table.rows.push_back({report.outcomes[i].attack,
                          {rounded_cell(test->auc_a),
                           rounded_cell(test->auc_b),
                           difference,
                           {.text = p_text(p_values[i]), .value = p_values[i]}}});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

void add_groups(const MiaReport& report, const AttackOutcome& outcome,
                std::vector<PageTable>& tables) {
  if (report.groups.empty()) return;
  PageTable table{.id = "groups-table",
                  .title = "Parts of the sets",
                  .caption = fmt::format("Under {}. Groups with fewer than {} examples of either "
                                         "set get no number.",
                                         outcome.attack, kMinSubgroup),
                  .row_name = "group",
                  .is_detail = true,
                  .columns = {{"forget", "Examples", false},
                              {"holdout", "Examples", false},
                              {"AUC", "", true},
                              {"meaning", "", false}}};
  for (size_t i = 0; i < report.groups.size(); ++i) {
    const Subgroup& group = report.groups[i];
    const SubgroupOutcome& result = outcome.groups[i];
    table.rows.push_back({fmt::format("{}: {}", group.by, group.name),
                          {count_cell(group.forget.size()),
                           count_cell(group.holdout.size()),
                           rounded_cell(result.auc, result.auc_ci_delong),
                           {.text = group.meaning}}});
  }
  tables.push_back(std::move(table));
}

void add_decisions(const MiaReport& report, std::vector<PageTable>& tables) {
  PageTable table{
      .id = "decisions-table",
      .title = "Thresholds for a decision",
      .caption = fmt::format("Chosen on {:g}% of the examples, where they cost least (a false "
                             "positive {:g}, a false negative {:g}), and measured on the rest.",
                             100 * report.validation_split, report.costs.false_positive,
                             report.costs.false_negative),
      .row_name = "attack",
      .is_detail = true,
      .columns = {{"member if score ≤", "", false},
                  {"TPR", "Share of forget examples recognised", false},
                  {"FPR", "Share of holdout examples taken for members", false},
                  {"cost", "Mean of an example", false}}};
  for (const AttackOutcome& outcome : report.outcomes) {
    if (!outcome.decision) continue;
    const Decision& decision = *outcome.decision;
    table.rows.push_back(
        {outcome.attack,
         {wide_cell(decision.score_at_most), rounded_cell(decision.tpr, decision.tpr_interval),
          rounded_cell(decision.fpr, decision.fpr_interval), wide_cell(decision.cost)}});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

}  // namespace

std::vector<PageTable> mia_tables(const MiaReport& report, size_t strongest) {
  PALIMPSEST_CHECK(strongest < report.outcomes.size());
  std::vector<PageTable> tables = {attack_table(report)};
  add_baseline(report, tables);
  add_groups(report, report.outcomes[strongest], tables);
  add_decisions(report, tables);
  return tables;
}

}  // namespace palimpsest
