#include "palimpsest/report/internal/overview_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/report/internal/figures/estimate_figure.h"

namespace palimpsest::report {
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

}  // namespace

std::vector<Figure> overview_figures(const SummaryTable& table) {
  std::vector<Figure> figures;
  if (const auto auc = place_of_auc(table)) figures.push_back(auc_by_attack(table, *auc));
  figures.push_back(score_distributions(table));
  return figures;
}

}  // namespace palimpsest::report
