#include "palimpsest/report/overview_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace palimpsest {
namespace {

// More panels than this are not read.
constexpr size_t kMaxPanels = 12;

std::optional<size_t> place_of_auc(const SummaryTable& table) {
  for (size_t i = 0; i < table.metrics.size(); ++i) {
    if (summary_metrics()[table.metrics[i]].name == "auc") return i;
  }
  return std::nullopt;
}

// The values of a summary's columns but "attack", where they tell summaries apart.
std::string setting_of(const SummaryTable& table, const AttackSummary& summary) {
  std::string setting;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c] == "attack") continue;
    const bool differs =
        std::any_of(table.summaries.begin(), table.summaries.end(),
                    [&](const AttackSummary& s) { return s.values[c] != summary.values[c]; });
    if (!differs || summary.values[c].empty()) continue;
    setting += (setting.empty() ? "" : ", ") + summary.values[c];
  }
  return setting;
}

std::string attack_of(const SummaryTable& table, const AttackSummary& summary) {
  const std::string attack = table.value(summary, "attack");
  return attack.empty() ? "scores" : attack;
}

Figure auc_by_attack(const SummaryTable& table, size_t auc) {
  std::vector<EstimatePoint> points;
  for (const AttackSummary& summary : table.summaries) {
    points.push_back({.label = attack_of(table, summary),
                      .series = setting_of(table, summary),
                      .value = summary.metrics[auc].value,
                      .interval = summary.metrics[auc].interval});
  }
  const std::string title = "AUC by attack";
  return {.name = "auc_by_attack",
          .title = title,
          .caption = "The dashed line is guessing.",
          .spec = estimate_figure(points, {.title = title})};
}

Figure score_distributions(const SummaryTable& table) {
  std::vector<ScoreSet> sets;
  for (const AttackSummary& summary :
       table.summaries.first(std::min(kMaxPanels, table.summaries.size()))) {
    const std::string setting = setting_of(table, summary);
    const std::string panel =
        attack_of(table, summary) + (setting.empty() ? "" : fmt::format(" ({})", setting));
    sets.push_back({panel, "label 1", summary.scores.positives});
    sets.push_back({panel, "label 0", summary.scores.negatives});
  }
  const std::string title = "Scores of members (label 1) and others (label 0)";
  return {.name = "score_distributions",
          .title = title,
          .caption = table.summaries.size() > kMaxPanels
                         ? fmt::format("The first {} of {}.", kMaxPanels, table.summaries.size())
                         : "",
          .spec = distribution_figure(sets, {.title = title})};
}

bool is_attack(const std::string& metric) {
  return metric.starts_with("mia_");
}

std::optional<Figure> auc_by_model(const RunTable& table) {
  std::vector<EstimatePoint> points;
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    if (!is_attack(table.metrics[m])) continue;
    for (size_t r = 0; r < table.runs.size(); ++r) {
      const RunCell& cell = table.cells[r][m];
      points.push_back({table.metrics[m], table.runs[r], cell.value, cell.interval});
    }
  }
  if (points.empty()) return std::nullopt;
  const std::string title = "AUC by attack and model";
  return Figure{.name = "auc_by_model",
                .title = title,
                .caption = "The dashed line is the goal: forget and holdout indistinguishable.",
                .spec = estimate_figure(points, {.title = title, .series_title = "model"})};
}

std::optional<size_t> first_of(const RunTable& table,
                               std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) {
    const auto found = std::find(table.metrics.begin(), table.metrics.end(), name);
    if (found != table.metrics.end()) return static_cast<size_t>(found - table.metrics.begin());
  }
  return std::nullopt;
}

// The attack whose AUC is highest in any run: the one to fear.
std::optional<size_t> strongest_attack(const RunTable& table) {
  std::optional<size_t> strongest;
  double highest = -1;
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    if (!is_attack(table.metrics[m])) continue;
    for (const auto& row : table.cells) {
      if (row[m].value && *row[m].value > highest) {
        highest = *row[m].value;
        strongest = m;
      }
    }
  }
  return strongest;
}

std::optional<Figure> utility_against_forgetting(const RunTable& table) {
  const auto utility = first_of(table, {"model_utility", "retain_Q_A_ROUGE"});
  auto forgetting = strongest_attack(table);
  const bool is_auc = forgetting.has_value();
  if (!is_auc) forgetting = first_of(table, {"forget_quality", "privleak", "forget_Q_A_ROUGE"});
  if (!utility || !forgetting || table.runs.size() < 2) return std::nullopt;
  std::vector<TradeOffPoint> points;
  for (size_t r = 0; r < table.runs.size(); ++r) {
    const RunCell& x = table.cells[r][*forgetting];
    const RunCell& y = table.cells[r][*utility];
    if (!x.value || !y.value) continue;
    points.push_back({table.runs[r], *x.value, *y.value, x.interval, y.interval});
  }
  if (points.size() < 2) return std::nullopt;
  const std::string title = "Utility against forgetting";
  TradeOffFigureOptions options{
      .title = title, .x_axis = table.metrics[*forgetting], .y_axis = table.metrics[*utility]};
  if (is_auc) options.x_goal = 0.5;
  return Figure{.name = "utility_against_forgetting",
                .title = title,
                .caption = is_auc ? "An AUC of 0.5 (dashed) is the goal; higher up is better." : "",
                .spec = trade_off_figure(points, options)};
}

}  // namespace

std::vector<Figure> overview_figures(const SummaryTable& table) {
  std::vector<Figure> figures;
  if (const auto auc = place_of_auc(table)) figures.push_back(auc_by_attack(table, *auc));
  figures.push_back(score_distributions(table));
  return figures;
}

std::vector<Figure> run_figures(const RunTable& table) {
  std::vector<Figure> figures;
  if (auto figure = auc_by_model(table)) figures.push_back(std::move(*figure));
  if (auto figure = utility_against_forgetting(table)) figures.push_back(std::move(*figure));
  return figures;
}

}  // namespace palimpsest
