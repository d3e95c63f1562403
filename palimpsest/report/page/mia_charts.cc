#include "palimpsest/report/internal/page/mia_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <unordered_set>

#include "palimpsest/attack/internal/mia/leading_attack.h"
#include "palimpsest/base/error.h"
#include "palimpsest/report/internal/chart/palette.h"
#include "palimpsest/report/internal/figures/estimate_figure.h"
#include "palimpsest/report/internal/figures/make_figure.h"
#include "palimpsest/report/internal/figures/score_figures.h"

namespace palimpsest::report {
namespace {

// The scores under each attack, the farthest from guessing first. Of an attack with several
// settings only the farthest: the curves of a sweep hide each other.
std::vector<NamedScores> farthest_of_each(const attack::MiaReport& report) {
  std::vector<std::optional<double>> aucs;
  for (const attack::AttackOutcome& outcome : report.outcomes) aucs.push_back(outcome.auc);
  std::vector<NamedScores> scores;
  std::unordered_set<std::string> seen;
  for (size_t i : attack::farthest_from_guessing(aucs)) {
    const attack::AttackOutcome& outcome = report.outcomes[i];
    if (!seen.insert(outcome.attack).second) continue;
    scores.push_back({outcome.title, &outcome});
  }
  return scores;
}

void add_roc(const attack::MiaReport& report, std::span<const NamedScores> scores,
             std::vector<Figure>& figures) {
  RocFigureOptions options{.band = report.confidence};
  figures.push_back(make_figure(
      {"roc", "ROC curves",
       fmt::format(
           "How many forget examples an attacker recognises (true positives) for how many "
           "holdout examples taken for one (false positives). On the diagonal: "
           "guessing.{}",
           scores.size() > kMaxCurves
               ? fmt::format(" The {} attacks whose AUCs lie farthest from 0.5.", kMaxCurves)
               : "")},
      score_roc_figure(scores, options)));
  options.log_log = true;
  figures.push_back(
      make_figure({"roc-low", "ROC at low false positive rates",
                   "The same on logarithmic axes: what an attacker who must almost never be wrong "
                   "achieves."},
                  score_roc_figure(scores, options)));
}

void add_attacks(const attack::MiaReport& report, std::vector<Figure>& figures) {
  const bool has_baseline = std::ranges::any_of(
      report.outcomes,
      [](const attack::AttackOutcome& o) { return o.against_baseline.has_value(); });
  const std::string audited = has_baseline ? "audited" : "";
  std::vector<EstimatePoint> points;
  for (const attack::AttackOutcome& outcome : report.outcomes) {
    points.push_back({outcome.title, audited, outcome.auc, outcome.auc_ci});
    if (outcome.against_baseline) {
      points.push_back(
          {outcome.title, "baseline", outcome.against_baseline->paired.auc_b, std::nullopt});
    }
  }
  if (report.blind) {
    points.push_back({"(texts alone)", audited, report.blind->auc, std::nullopt});
  }
  figures.push_back(
      make_figure({"attacks", "AUC by attack",
                   "0.5: the forget set cannot be told from unseen text, the goal. Lines: "
                   "confidence intervals."},
                  estimate_figure(points, {.series_title = "model", .reference = auc_goal()})));
}

void add_groups(const attack::MiaReport& report, const attack::AttackOutcome& outcome,
                std::vector<Figure>& figures) {
  std::vector<EstimatePoint> points;
  for (size_t i = 0; i < report.groups.size(); ++i) {
    const attack::SubgroupOutcome& group = outcome.groups[i];
    if (!group.auc) continue;
    points.push_back({fmt::format("{}: {}", report.groups[i].by, report.groups[i].name), "",
                      group.auc, group.auc_ci});
  }
  if (points.empty()) return;
  figures.push_back(
      make_figure({"groups", "AUC by group",
                   fmt::format("Under {}: what one number for all examples hides.", outcome.title)},
                  estimate_figure(points, {.reference = auc_goal()})));
}

// The parameter with which alone the attack was selected, as in a sweep; null if there is none.
const attack::ParameterValues::value_type* swept(const attack::AttackOutcome& outcome) {
  const auto found = std::ranges::find_if(outcome.parameters, [&](const auto& parameter) {
    return outcome.name == attack::with_setting(outcome.attack, parameter.first, parameter.second);
  });
  return found == outcome.parameters.end() ? nullptr : &*found;
}

void add_sweeps(const attack::MiaReport& report, std::vector<Figure>& figures) {
  std::map<std::string, std::vector<SweepPoint>> points;  // by parameter
  for (const attack::AttackOutcome& outcome : report.outcomes) {
    if (const auto* one = swept(outcome)) {
      points[one->first].push_back({one->second, outcome.attack, outcome.auc, outcome.auc_ci});
    }
  }
  for (const auto& [parameter, line] : points) {
    if (line.size() < 2) continue;
    figures.push_back(make_figure(
        {figure_name("by-" + parameter), fmt::format("AUC by {}", parameter),
         "How much the result depends on the parameter that an attacker chooses."},
        sweep_figure(line,
                     {.x_axis = parameter, .series_title = "attack", .reference = auc_goal()})));
  }
}

}  // namespace

std::vector<Figure> mia_charts(const attack::MiaReport& report, size_t shown) {
  PALIMPSEST_CHECK(shown < report.outcomes.size());
  std::vector<Figure> figures;
  const std::vector<NamedScores> scores = farthest_of_each(report);
  add_attacks(report, figures);
  if (!scores.empty()) add_roc(report, scores, figures);
  add_groups(report, report.outcomes[shown], figures);
  add_sweeps(report, figures);
  if (!scores.empty()) {
    figures.push_back(
        make_figure({"scores", "Scores of forget against holdout",
                     "Where the scores of the two sets lie; low means familiar to the model. The "
                     "more they overlap, the less an attacker can tell."},
                    score_distribution_figure(scores)));
  }
  share_styles(figures);
  return figures;
}

}  // namespace palimpsest::report
