#include "palimpsest/report/page/mia_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <unordered_set>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

std::vector<double> defined(const ScoreColumn& column) {
  std::vector<double> scores;
  for (const std::optional<double>& score : column) {
    if (score) scores.push_back(*score);
  }
  return scores;
}

// The attacks by their distance from guessing, the strongest first.
std::vector<size_t> by_strength(const MiaReport& report) {
  std::vector<size_t> attacks;
  for (size_t i = 0; i < report.outcomes.size(); ++i) {
    if (report.outcomes[i].auc) attacks.push_back(i);
  }
  auto distance = [&](size_t i) { return std::abs(*report.outcomes[i].auc - 0.5); };
  std::stable_sort(attacks.begin(), attacks.end(),
                   [&](size_t a, size_t b) { return distance(a) > distance(b); });
  return attacks;
}

// "min_k" of "min_k:k=0.3".
std::string base_name(const std::string& attack) {
  return attack.substr(0, attack.find(':'));
}

// The same with only the strongest setting of each attack: the curves of a sweep hide each other.
std::vector<size_t> strongest_of_each(const MiaReport& report) {
  std::vector<size_t> attacks;
  std::unordered_set<std::string> seen;
  for (size_t i : by_strength(report)) {
    if (seen.insert(base_name(report.outcomes[i].attack)).second) attacks.push_back(i);
  }
  return attacks;
}

void add_roc(const MiaReport& report, std::vector<Figure>& figures) {
  std::vector<size_t> attacks = strongest_of_each(report);
  if (attacks.empty()) return;
  const bool some_left_out = attacks.size() > kMostCurves;
  attacks.resize(std::min(attacks.size(), kMostCurves));
  std::vector<LabelledScores> scores;
  for (size_t i : attacks) scores.push_back(to_labelled(report.outcomes[i].columns()));
  std::vector<RocLine> lines;
  for (size_t n = 0; n < attacks.size(); ++n) {
    lines.push_back({report.outcomes[attacks[n]].attack, &scores[n]});
  }
  RocFigureOptions options;
  // One band can be read, several hide each other.
  options.band = lines.size() == 1 ? std::optional(report.confidence) : std::nullopt;
  figures.push_back(
      {"roc", "ROC curves",
       fmt::format("How many forget examples an attacker recognises (true positives) for how many "
                   "holdout examples taken for one (false positives). On the diagonal: "
                   "guessing.{}",
                   some_left_out ? fmt::format(" The {} strongest attacks.", kMostCurves) : ""),
       roc_figure(lines, options)});
  options.log_log = true;
  figures.push_back({"roc-low", "ROC at low false positive rates",
                     "The same on logarithmic axes: what an attacker reaches who must hardly ever "
                     "be wrong.",
                     roc_figure(lines, options)});
}

void add_distributions(const MiaReport& report, std::vector<Figure>& figures) {
  std::vector<size_t> attacks = strongest_of_each(report);
  attacks.resize(std::min(attacks.size(), kMostPanels));
  std::vector<std::vector<double>> scores;  // two an attack
  for (size_t i : attacks) {
    scores.push_back(defined(report.outcomes[i].forget.scores));
    scores.push_back(defined(report.outcomes[i].holdout.scores));
  }
  std::vector<ScoreSet> sets;
  for (size_t n = 0; n < scores.size(); ++n) {
    sets.push_back(
        {report.outcomes[attacks[n / 2]].attack, n % 2 == 0 ? "forget" : "holdout", scores[n]});
  }
  if (sets.empty()) return;
  figures.push_back({"scores", "Scores of forget against holdout",
                     "Where the scores of the two sets lie; low means familiar to the model. The "
                     "more they overlap, the less an attacker can tell.",
                     distribution_figure(sets, {.axis = "score"})});
}

void add_attacks(const MiaReport& report, std::vector<Figure>& figures) {
  const bool has_baseline =
      std::any_of(report.outcomes.begin(), report.outcomes.end(),
                  [](const AttackOutcome& o) { return o.against_baseline.has_value(); });
  const std::string audited = has_baseline ? "audited" : "";
  std::vector<EstimatePoint> points;
  for (const AttackOutcome& outcome : report.outcomes) {
    points.push_back({outcome.attack, audited, outcome.auc, outcome.auc_ci_delong});
    if (outcome.against_baseline) {
      points.push_back({outcome.attack, "baseline", outcome.against_baseline->auc_b, std::nullopt});
    }
  }
  if (report.blind) {
    points.push_back({"(texts alone)", audited, report.blind->auc, std::nullopt});
  }
  figures.push_back({"attacks", "AUC by attack",
                     "0.5: the forget set cannot be told from unseen text, the goal. Lines: "
                     "confidence intervals.",
                     estimate_figure(points, {.series_title = has_baseline ? "model" : ""})});
}

void add_groups(const MiaReport& report, const AttackOutcome& outcome,
                std::vector<Figure>& figures) {
  std::vector<EstimatePoint> points;
  for (size_t i = 0; i < report.groups.size(); ++i) {
    const SubgroupOutcome& group = outcome.groups[i];
    if (!group.auc) continue;
    points.push_back({fmt::format("{}: {}", report.groups[i].by, report.groups[i].name), "",
                      group.auc, group.auc_ci_delong});
  }
  if (points.empty()) return;
  figures.push_back(
      {"groups", "AUC by group",
       fmt::format("Under {}: what one number for all examples hides.", outcome.attack),
       estimate_figure(points, {})});
}

struct SweptAttack {
  std::string attack;     // "min_k"
  std::string parameter;  // "k"
  double value = 0;
};

// "min_k:k=0.3" with one parameter that is a number; nullopt for other names.
std::optional<SweptAttack> swept(const std::string& name) {
  const size_t colon = name.find(':');
  const size_t equals = name.find('=');
  if (colon == std::string::npos || equals == std::string::npos || equals < colon)
    return std::nullopt;
  SweptAttack result{base_name(name), name.substr(colon + 1, equals - colon - 1)};
  const char* end = name.data() + name.size();
  const auto [stopped, failure] = std::from_chars(name.data() + equals + 1, end, result.value);
  if (failure != std::errc() || stopped != end) return std::nullopt;
  return result;
}

void add_sweeps(const MiaReport& report, std::vector<Figure>& figures) {
  std::map<std::string, std::vector<SweepPoint>> points;  // by parameter
  for (const AttackOutcome& outcome : report.outcomes) {
    if (const auto one = swept(outcome.attack)) {
      points[one->parameter].push_back(
          {one->value, one->attack, outcome.auc, outcome.auc_ci_delong});
    }
  }
  for (const auto& [parameter, line] : points) {
    if (line.size() < 2) continue;
    figures.push_back({figure_name("by-" + parameter), fmt::format("AUC by {}", parameter),
                       "How much the result depends on the parameter that an attacker chooses.",
                       sweep_figure(line, {.x_axis = parameter, .series_title = "attack"})});
  }
}

}  // namespace

std::vector<Figure> mia_charts(const MiaReport& report, size_t strongest) {
  PALIMPSEST_CHECK(strongest < report.outcomes.size());
  std::vector<Figure> figures;
  add_attacks(report, figures);
  add_roc(report, figures);
  add_groups(report, report.outcomes[strongest], figures);
  add_sweeps(report, figures);
  add_distributions(report, figures);
  return figures;
}

}  // namespace palimpsest
