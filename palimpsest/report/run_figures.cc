#include "palimpsest/report/internal/run_figures.h"
#include "palimpsest/attack/mia/leading_attack.h"
#include "palimpsest/report/internal/figures/estimate_figure.h"
#include "palimpsest/report/internal/figures/trade_off_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace palimpsest::report {
namespace {

bool is_attack(const std::string& metric) {
  return metric.starts_with(kAttackPrefix);
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

// The attack whose AUC is highest in any run.
std::optional<size_t> highest_attack(const RunTable& table) {
  std::vector<std::optional<double>> highest(table.metrics.size());
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    if (!is_attack(table.metrics[m])) continue;
    for (const auto& row : table.cells) highest[m] = std::max(highest[m], row[m].value);
  }
  return attack::highest_auc(highest);
}

std::optional<Figure> utility_against_forgetting(const RunTable& table) {
  const auto utility = first_of(table, {"model_utility", "retain_Q_A_ROUGE"});
  auto forgetting = highest_attack(table);
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

NamedScores named_scores(std::string name, const RunMetric& attack) {
  return {std::move(name), values_of(attack.forget), values_of(attack.holdout)};
}

const RunMetric* attack_of(const RunResults& run, const RunMetric& attack) {
  const auto found = std::ranges::find_if(
      run.metrics, [&](const RunMetric& metric) { return is_same_metric(metric, attack); });
  return found != run.metrics.end() && found->is_auc() ? &*found : nullptr;
}

std::vector<NamedScores> by_model(std::span<const RunResults> runs, const RunMetric& attack) {
  std::vector<NamedScores> scores;
  for (const RunResults& run : runs) {
    if (const RunMetric* metric = attack_of(run, attack))
      scores.push_back(named_scores(run.name, *metric));
  }
  return scores;
}

// The farthest from guessing first.
std::vector<NamedScores> by_attack(const RunResults& run) {
  std::vector<std::optional<double>> aucs;
  for (const RunMetric& metric : run.metrics)
    aucs.push_back(metric.is_auc() ? metric.value : std::nullopt);
  std::vector<NamedScores> scores;
  for (size_t i : attack::farthest_from_guessing(aucs))
    scores.push_back(named_scores(label_of(run.metrics[i]), run.metrics[i]));
  return scores;
}

void add_roc(std::span<const NamedScores> scores, const std::string& of,
             std::vector<Figure>& figures) {
  for (const bool is_log : {false, true}) {
    const std::string title = fmt::format("ROC curves by {}{}", of, is_log ? ", low rates" : "");
    figures.push_back(
        {.name = is_log ? "models_roc_log" : "models_roc",
         .title = title,
         .caption = fmt::format(
             "{}{}",
             is_log ? "The same on logarithmic axes: what an attacker reaches who must hardly ever "
                      "be wrong."
                    : "How many forget examples an attacker recognises for how many holdout "
                      "examples wrongly taken for one; the diagonal is guessing.",
             scores.size() > kMostCurves ? fmt::format(" The first {}.", kMostCurves) : ""),
         .spec = score_roc_figure(scores, {.title = title, .log_log = is_log})});
  }
}

void add_scores(std::span<const NamedScores> scores, const std::string& of,
                std::vector<Figure>& figures) {
  const std::string title = fmt::format("Scores of forget against holdout by {}", of);
  figures.push_back(
      {.name = "models_scores",
       .title = title,
       .caption = fmt::format(
           "Low means familiar to the model. The more the two overlap, the less "
           "an attacker can tell.{}",
           scores.size() > kMostPanels ? fmt::format(" The first {}.", kMostPanels) : ""),
       .spec = score_distribution_figure(scores, {.title = title})});
}

void add_single_scores(std::span<const RunResults> runs, std::vector<Figure>& figures) {
  std::vector<NamedScores> scores;
  std::string of = "attack";
  if (runs.size() > 1) {
    // As a page's headline does: the first run is the one in question.
    const RunMetric* attack = leading_attack(runs[0]);
    for (size_t i = 1; i < runs.size() && attack == nullptr; ++i) attack = leading_attack(runs[i]);
    if (attack == nullptr) return;
    scores = by_model(runs, *attack);
    of = fmt::format("model ({})", label_of(*attack));
  } else if (runs.size() == 1 && !runs[0].scores) {
    scores = by_attack(runs[0]);
  }
  if (scores.empty()) return;
  add_roc(scores, of, figures);
  add_scores(scores, of, figures);
}

}  // namespace

std::vector<Figure> run_figures(std::span<const RunResults> runs, const RunTable& table) {
  std::vector<Figure> figures;
  if (auto figure = auc_by_model(table)) figures.push_back(std::move(*figure));
  if (auto figure = utility_against_forgetting(table)) figures.push_back(std::move(*figure));
  add_single_scores(runs, figures);
  return figures;
}

}  // namespace palimpsest::report
