#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "palimpsest/attack/internal/mia/leading_attack.h"
#include "palimpsest/report/internal/figures/distribution_figure.h"
#include "palimpsest/report/internal/figures/estimate_figure.h"
#include "palimpsest/report/internal/figures/make_figure.h"
#include "palimpsest/report/internal/figures/roc_figure.h"
#include "palimpsest/report/internal/figures/score_figures.h"
#include "palimpsest/report/internal/figures/trade_off_figure.h"
#include "palimpsest/report/internal/report_figures.h"

namespace palimpsest::report {
namespace {

std::optional<Figure> auc_by_model(const RunTable& table) {
  std::vector<EstimatePoint> points;
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    if (!table.is_attack[m]) continue;
    for (size_t r = 0; r < table.runs.size(); ++r) {
      const RunCell& cell = table.cells[r][m];
      points.push_back({table.metrics[m], table.runs[r], cell.value, cell.interval});
    }
  }
  if (points.empty()) return std::nullopt;
  return make_figure({.name = "auc_by_model",
                      .title = "AUC by attack and model",
                      .caption = "The goal: forget and holdout indistinguishable."},
                     estimate_figure(points, {.series_title = "model", .reference = auc_goal()}));
}

std::optional<size_t> first_of(const RunTable& table,
                               std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) {
    const auto found = std::ranges::find(table.metrics, name);
    if (found != table.metrics.end()) return static_cast<size_t>(found - table.metrics.begin());
  }
  return std::nullopt;
}

// The attack whose AUC is highest in any run.
std::optional<size_t> highest_attack(const RunTable& table) {
  std::vector<std::optional<double>> highest(table.metrics.size());
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    if (!table.is_attack[m]) continue;
    for (const auto& row : table.cells) highest[m] = std::max(highest[m], row[m].value);
  }
  return attack::highest_auc(highest);
}

// As a page's headline does: of the first run, which is the one in question, else of the next.
const RunMetric* headline_attack(std::span<const RunResults> runs) {
  for (const RunResults& run : runs) {
    if (const RunMetric* attack = leading_attack(run)) return attack;
  }
  return nullptr;
}

// The column of the attack that the other figures show, else the attack whose AUC is highest.
std::optional<size_t> shown_attack(std::span<const RunResults> runs, const RunTable& table) {
  const RunMetric* attack = headline_attack(runs);
  if (attack != nullptr) {
    const auto found = std::ranges::find(table.metrics, column_label(table, *attack));
    const auto m = static_cast<size_t>(found - table.metrics.begin());
    if (found != table.metrics.end() && table.is_attack[m]) return m;
  }
  return highest_attack(table);
}

std::optional<Figure> utility_against_forgetting(std::span<const RunResults> runs,
                                                 const RunTable& table) {
  const auto utility = first_of(table, {"model_utility", "retain_Q_A_ROUGE"});
  auto forgetting = shown_attack(runs, table);
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
  const std::string& measure = table.metrics[*forgetting];
  TradeOffFigureOptions options{.x_axis = is_auc ? fmt::format("AUC of {}", measure) : measure,
                                .y_axis = table.metrics[*utility]};
  if (is_auc) options.x_goal = auc_goal();
  return make_figure(
      {.name = "utility_against_forgetting",
       .title = "Utility against forgetting",
       .caption = is_auc ? "An AUC of 0.5 (dashed) is the goal; higher up is better." : ""},
      trade_off_figure(points, options));
}

std::vector<NamedScores> by_model(std::span<const RunResults> runs, const RunMetric& attack) {
  std::vector<NamedScores> scores;
  for (const RunResults& run : runs) {
    const RunMetric* metric = find_same(run, attack);
    if (metric != nullptr && metric->is_auc()) scores.push_back({run.name, &*metric->scored});
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
    scores.push_back({label_of(run.metrics[i]), &*run.metrics[i].scored});
  return scores;
}

// What the curves and panels are: "model" under one attack, or "attack".
struct Subject {
  std::string kind = "attack";
  std::string words = "attack";  // in a title
};

void add_roc(std::span<const NamedScores> scores, const Subject& of, std::vector<Figure>& figures) {
  for (const bool is_log : {false, true}) {
    figures.push_back(make_figure(
        {.name = is_log ? "models_roc_log" : "models_roc",
         .title = fmt::format("ROC curves by {}{}", of.words, is_log ? ", low rates" : ""),
         .caption = fmt::format(
             "{}{}",
             is_log ? "The same on logarithmic axes: what an attacker who must almost never be "
                      "wrong achieves."
                    : "How many forget examples an attacker recognises for how many holdout "
                      "examples wrongly taken for one; the diagonal is guessing.",
             scores.size() > kMaxCurves ? fmt::format(" The first {}.", kMaxCurves) : "")},
        score_roc_figure(scores, {.series_title = of.kind, .log_log = is_log})));
  }
}

void add_scores(std::span<const NamedScores> scores, const Subject& of,
                std::vector<Figure>& figures) {
  figures.push_back(make_figure(
      {.name = "models_scores",
       .title = fmt::format("Scores of forget against holdout by {}", of.words),
       .caption = fmt::format(
           "Low means familiar to the model. The more the two overlap, the less "
           "an attacker can tell.{}",
           scores.size() > kMaxPanels ? fmt::format(" The first {}.", kMaxPanels) : "")},
      score_distribution_figure(scores)));
}

void add_single_scores(std::span<const RunResults> runs, std::vector<Figure>& figures) {
  std::vector<NamedScores> scores;
  Subject of;
  if (runs.size() > 1) {
    const RunMetric* attack = headline_attack(runs);
    if (attack == nullptr) return;
    scores = by_model(runs, *attack);
    of = {"model", fmt::format("model ({})", label_of(*attack))};
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
  if (auto figure = utility_against_forgetting(runs, table)) figures.push_back(std::move(*figure));
  add_single_scores(runs, figures);
  return figures;
}

}  // namespace palimpsest::report
