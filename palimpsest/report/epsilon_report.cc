#include "palimpsest/report/epsilon_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/stat/audit_epsilon.h"
#include "palimpsest/stat/one_run_audit.h"

namespace palimpsest::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What an audit of one threat model works on: the rest of the data, which had no say in the choice.
struct AuditData {
  stat::Confusion counts;          // at the chosen threshold
  stat::LabelledScores rest;       // of the chosen attack
  std::vector<double> thresholds;  // a grid from the validation part
};

using Bounds = std::optional<stat::Interval>;

Bounds lower_bound(const std::optional<double>& low) {
  return low ? Bounds({*low, kInfinity}) : std::nullopt;
}

stat::OneRunCounts one_run_counts(const stat::Confusion& counts) {
  const int64_t all = counts.positives() + counts.negatives();
  return {.canaries = all, .guesses = all, .right = counts.true_positives + counts.true_negatives};
}

// The Gaussian one-run audit takes time in proportion to the examples, dozens of times over.
constexpr int64_t kMaxCanaries = 100'000;

struct Method {
  std::string_view name;
  bool needs_delta;
  Bounds (*estimate)(const AuditData&, const stat::AuditOptions&);
  std::string_view assumption;
};

constexpr Method kEpsilonMethods[] = {
    {"clopper_pearson", false,
     [](const AuditData& data, const stat::AuditOptions& options) {
       return lower_bound(stat::clopper_pearson_epsilon(data.counts, options));
     },
     "every score comes from a run of its own, the target in or out by chance"},
    {"bonferroni", false,
     [](const AuditData& data, const stat::AuditOptions& options) {
       return lower_bound(stat::bonferroni_epsilon(data.rest, data.thresholds, options));
     },
     "as clopper_pearson; the best of several thresholds from the validation part"},
    {"bayesian", false,
     [](const AuditData& data, const stat::AuditOptions& options) {
       return stat::bayesian_epsilon(data.counts, options);
     },
     "as clopper_pearson; a credible interval under Jeffreys' prior: belief, no guarantee"},
    {"gaussian", true,
     [](const AuditData& data, const stat::AuditOptions& options) {
       const auto audit = stat::gaussian_audit(data.rest, data.thresholds, options);
       return lower_bound(audit ? std::optional(audit->epsilon) : std::nullopt);
     },
     "as bonferroni, and the mechanism's trade-off curve is Gaussian"},
    {"one_run", false,
     [](const AuditData& data, const stat::AuditOptions& options) {
       return lower_bound(stat::one_run_epsilon(one_run_counts(data.counts), options));
     },
     "one run in which each example was a member by its own fair coin flip; not valid for sets "
     "that somebody chose"},
    {"one_run_abstaining", false,
     [](const AuditData& data, const stat::AuditOptions& options) {
       return lower_bound(stat::one_run_epsilon_abstaining(data.rest, {.audit = options}).epsilon);
     },
     "as one_run; guesses only the surest, the best of five shares that were fixed beforehand"},
    {"one_run_gaussian", true,
     [](const AuditData& data, const stat::AuditOptions& options) -> Bounds {
       if (one_run_counts(data.counts).canaries > kMaxCanaries) return {};
       return lower_bound(
           stat::one_run_gaussian_audit(one_run_counts(data.counts), options).epsilon);
     },
     "as one_run, and the mechanism's trade-off curve is Gaussian; up to 100,000 examples"},
};

constexpr std::string_view kTwoStepAssumption =
    "every score comes from a run of its own; attack and threshold were chosen on the validation "
    "part; epsilon_high is of this attack and threshold, not of the mechanism";

// Nine of the validation part's scores, evenly spread over their order.
std::vector<double> threshold_grid(const stat::LabelledScores& validation) {
  constexpr size_t kThresholds = 9;
  std::vector<double> sorted = validation.positives;
  sorted.insert(sorted.end(), validation.negatives.begin(), validation.negatives.end());
  stat::sort_ascending(sorted);
  std::vector<double> grid;
  for (size_t i = 1; i <= kThresholds; ++i)
    grid.push_back(sorted[i * (sorted.size() - 1) / (kThresholds + 1)]);
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

std::string with_delta(std::string_view assumption, double delta) {
  return fmt::format("{} (δ = {:g})", assumption, delta);
}

std::vector<EpsilonEstimate> estimates_of(const stat::TwoStepEpsilon& chosen,
                                          const stat::AttackScores& attack,
                                          const EpsilonReportOptions& options) {
  std::vector<EpsilonEstimate> estimates;
  for (const stat::EpsilonAtConfidence& bounds : chosen.bounds) {
    estimates.push_back({.method = "two_step",
                         .confidence = bounds.confidence,
                         .low = bounds.at_delta.low,
                         .high = bounds.at_delta.high,
                         .low_raw = bounds.epsilon.low,
                         .assumption = with_delta(kTwoStepAssumption, options.delta)});
  }
  const stat::ValidationParts parts = stat::split_for_validation(attack, options.two_step);
  const AuditData data{chosen.counts, parts.rest, threshold_grid(parts.validation)};
  for (const Method& method : kEpsilonMethods) {
    if (method.needs_delta && options.delta <= 0) continue;
    for (double confidence : options.two_step.confidence_levels) {
      const stat::AuditOptions audit{.alpha = 1 - confidence, .delta = options.delta};
      const Bounds bounds = method.estimate(data, audit);
      EpsilonEstimate& estimate = estimates.emplace_back(
          EpsilonEstimate{.method = std::string(method.name),
                          .confidence = confidence,
                          .assumption = with_delta(method.assumption, options.delta)});
      if (!bounds) continue;
      estimate.low = std::max(0.0, bounds->low);
      estimate.high = std::max(0.0, bounds->high);
      estimate.low_raw = bounds->low;
    }
  }
  return estimates;
}

// The attacks of one threat model.
struct ThreatModel {
  std::vector<std::string> values = {};
  std::vector<std::string> attacks = {};
  std::vector<stat::AttackScores> scores = {};
};

// nullopt where no attack has both classes in both parts.
std::optional<ThreatModelEpsilon> estimate_model(const ThreatModel& model,
                                                 const EpsilonReportOptions& options) {
  stat::TwoStepOptions two_step = options.two_step;
  two_step.delta = options.delta;
  const std::optional<stat::TwoStepEpsilon> chosen = stat::two_step_epsilon(model.scores, two_step);
  if (!chosen) return std::nullopt;
  const auto attack = static_cast<size_t>(chosen->attack);
  return ThreatModelEpsilon{.values = model.values,
                            .attack = model.attacks[attack],
                            .threshold = chosen->threshold,
                            .side = chosen->side,
                            .estimates = estimates_of(*chosen, model.scores[attack], options)};
}

std::string scores_with(const std::vector<std::string>& columns,
                        const std::vector<std::string>& values) {
  std::vector<std::string> parts;
  for (size_t c = 0; c < columns.size(); ++c)
    parts.push_back(fmt::format("{} {}", columns[c], values[c]));
  return parts.empty() ? "the scores" : fmt::format("{}", fmt::join(parts, ", "));
}

// The threat models of the summaries that have scores; notes say how many have none.
std::vector<ThreatModel> threat_models(std::span<const AttackSummary> summaries,
                                       const std::optional<size_t>& attack_column,
                                       EpsilonReport& report) {
  std::vector<ThreatModel> models;
  std::map<std::vector<std::string>, size_t> index_of;
  int64_t without_scores = 0;
  for (const AttackSummary& summary : summaries) {
    if (summary.scores_in_order.empty()) {
      if (!summary.labels.empty()) ++without_scores;
      continue;
    }
    std::vector<std::string> values = summary.values;
    std::string attack;
    if (attack_column) {
      attack = values[*attack_column];
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(*attack_column));
    }
    const auto [found, is_new] = index_of.try_emplace(values, models.size());
    if (is_new) models.push_back({.values = values});
    models[found->second].attacks.push_back(attack);
    models[found->second].scores.push_back({summary.labels, summary.scores_in_order});
  }
  if (without_scores > 0) {
    report.notes.push_back(
        fmt::format("no epsilon for {} of {} summaries: they have predictions and no scores",
                    without_scores, summaries.size()));
  }
  return models;
}

void leave_out_single_models(std::vector<ThreatModel>& models, EpsilonReport& report) {
  const size_t all = models.size();
  std::erase_if(
      models, [&](const ThreatModel& model) { return !has_target(report.columns, model.values); });
  if (models.size() == all) return;
  report.notes.push_back(fmt::format(
      "no epsilon for {} of {} threat models: no column target_id says that their scores are of "
      "one target, each from a separate run, as the estimates assume; for the scores of one "
      "audited model that is false. --epsilon computes it anyway",
      all - models.size(), all));
}

}  // namespace

bool has_target(const std::vector<std::string>& columns, const std::vector<std::string>& values) {
  const auto found = std::ranges::find(columns, "target_id");
  return found != columns.end() && !values[static_cast<size_t>(found - columns.begin())].empty();
}

EpsilonReport epsilon_report(std::span<const AttackSummary> summaries,
                             const std::vector<std::string>& columns,
                             const EpsilonReportOptions& options) {
  stat::require_valid(stat::AuditOptions{.delta = options.delta});
  stat::two_step_epsilon(
      {}, options.two_step);  // throws on bad options, also where nothing is estimated
  EpsilonReport report{.delta = options.delta};
  std::optional<size_t> attack_column;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c] == "attack") {
      attack_column = c;
    } else {
      report.columns.push_back(columns[c]);
    }
  }
  std::vector<ThreatModel> models = threat_models(summaries, attack_column, report);
  if (!options.single_models) leave_out_single_models(models, report);
  if (models.empty() && !options.asked_for && !options.single_models) report.notes.clear();
  std::vector<std::optional<ThreatModelEpsilon>> results(models.size());
  const auto count = static_cast<int64_t>(models.size());
  parallel_for(count, options.threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto number = static_cast<size_t>(i);
      results[number] = estimate_model(models[number], options);
    }
  });
  for (size_t i = 0; i < models.size(); ++i) {
    if (results[i]) {
      report.threat_models.push_back(std::move(*results[i]));
    } else {
      report.notes.push_back(fmt::format(
          "no epsilon for {}: no attack has both classes in the validation part and in the rest",
          scores_with(report.columns, models[i].values)));
    }
  }
  return report;
}

ResultTable epsilon_table(const EpsilonReport& report) {
  ResultTable table{.columns = {{"confidence"},
                                {"epsilon_low"},
                                {"epsilon_high"},
                                {"epsilon_low_raw"},
                                {"delta"},
                                {"method"}}};
  for (const std::string& column : report.columns) table.columns.push_back({column});
  for (const char* name : {"attack", "threshold", "side", "assumption"})
    table.columns.push_back({name});
  for (const ThreatModelEpsilon& model : report.threat_models) {
    for (const EpsilonEstimate& estimate : model.estimates) {
      std::vector<ResultCell> row = {
          number_cell(estimate.confidence), number_cell(estimate.low), number_cell(estimate.high),
          number_cell(estimate.low_raw),    number_cell(report.delta), name_cell(estimate.method)};
      for (const std::string& value : model.values) row.push_back(name_cell(value));
      row.push_back(name_cell(model.attack));
      row.push_back(number_cell(model.threshold));
      row.push_back(name_cell(model.side == stat::EpsilonSide::kPositives ? "TP/FP" : "TN/FN"));
      row.push_back(name_cell(estimate.assumption));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

ResultTable short_epsilon_table(const EpsilonReport& report) {
  EpsilonReport two_step = report;
  for (ThreatModelEpsilon& model : two_step.threat_models) {
    std::erase_if(model.estimates,
                  [](const EpsilonEstimate& estimate) { return estimate.method != "two_step"; });
  }
  ResultTable table = epsilon_table(two_step);
  for (const char* name : {"epsilon_low_raw", "delta", "assumption"}) {
    const auto position = static_cast<std::ptrdiff_t>(*table.column(name));
    table.columns.erase(table.columns.begin() + position);
    for (auto& row : table.rows) row.erase(row.begin() + position);
  }
  return table;
}

}  // namespace palimpsest::report
