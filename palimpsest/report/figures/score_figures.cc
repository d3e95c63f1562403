#include "palimpsest/report/internal/figures/score_figures.h"
#include "palimpsest/report/internal/figures/distribution_figure.h"

#include <algorithm>
#include <list>

namespace palimpsest::report {
namespace {

std::vector<double> defined_values(const attack::SetScores& set) {
  std::vector<double> values;
  for (const std::optional<double>& score : set.scores) {
    if (score) values.push_back(*score);
  }
  return values;
}

}  // namespace

Chart score_roc_figure(std::span<const NamedScores> scores, RocFigureOptions options) {
  const auto shown = scores.first(std::min(scores.size(), kMaxCurves));
  std::vector<stat::LabelledScores> labelled;
  for (const NamedScores& one : shown)
    labelled.push_back(attack::to_labelled(one.scored->columns()));
  std::vector<RocLine> lines;
  for (size_t i = 0; i < shown.size(); ++i) lines.push_back({shown[i].name, &labelled[i]});
  if (lines.size() > 1) options.band.reset();
  return roc_figure(lines, options);
}

Chart score_distribution_figure(std::span<const NamedScores> scores) {
  std::list<std::vector<double>> values;  // the sets refer to them
  std::vector<ScoreSet> sets;
  for (const NamedScores& one : scores.first(std::min(scores.size(), kMaxPanels))) {
    sets.push_back({one.name, "forget", values.emplace_back(defined_values(one.scored->forget))});
    sets.push_back({one.name, "holdout", values.emplace_back(defined_values(one.scored->holdout))});
  }
  return distribution_figure(sets);
}

}  // namespace palimpsest::report
