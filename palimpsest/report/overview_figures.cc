#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/report/internal/figures/distribution_figure.h"
#include "palimpsest/report/internal/figures/estimate_figure.h"
#include "palimpsest/report/internal/figures/make_figure.h"
#include "palimpsest/report/internal/report_figures.h"

namespace palimpsest::report {
namespace {

std::optional<size_t> column_of_auc(const SummaryTable& table) {
  for (size_t i = 0; i < table.metrics.size(); ++i) {
    if (summary_metrics()[table.metrics[i]].name == "auc") return i;
  }
  return std::nullopt;
}

std::string attack_of(const SummaryTable& table, const AttackSummary& summary) {
  const std::string attack = table.value(summary, "attack");
  return attack.empty() ? "scores" : attack;
}

Figure auc_by_attack(const SummaryTable& table, size_t auc) {
  std::vector<EstimatePoint> points;
  for (const AttackSummary& summary : table.summaries) {
    points.push_back({.label = attack_of(table, summary),
                      .series = table.setting(summary, {"attack"}),
                      .value = summary.metrics[auc].value,
                      .interval = summary.metrics[auc].interval});
  }
  return make_figure({.name = "auc_by_attack",
                      .title = "AUC by attack",
                      .caption = "Lines: intervals, where they were asked for."},
                     estimate_figure(points));
}

Figure score_distributions(const SummaryTable& table) {
  std::vector<ScoreSet> sets;
  for (const AttackSummary& summary :
       table.summaries.first(std::min(kMaxPanels, table.summaries.size()))) {
    const std::string setting = table.setting(summary, {"attack"});
    const std::string panel =
        attack_of(table, summary) + (setting.empty() ? "" : fmt::format(" ({})", setting));
    sets.push_back({panel, "label 1", summary.scores.positives});
    sets.push_back({panel, "label 0", summary.scores.negatives});
  }
  return make_figure(
      {.name = "score_distributions",
       .title = "Scores of members (label 1) and others (label 0)",
       .caption = table.summaries.size() > kMaxPanels
                      ? fmt::format("The first {} of {}.", kMaxPanels, table.summaries.size())
                      : ""},
      distribution_figure(sets));
}

}  // namespace

std::vector<Figure> overview_figures(const SummaryTable& table) {
  std::vector<Figure> figures;
  if (const auto auc = column_of_auc(table)) figures.push_back(auc_by_attack(table, *auc));
  figures.push_back(score_distributions(table));
  return figures;
}

}  // namespace palimpsest::report
