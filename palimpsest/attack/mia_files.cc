#include "palimpsest/attack/mia_files.h"

#include <fmt/format.h>

#include <iterator>

#include "palimpsest/base/csv.h"
#include "palimpsest/base/json.h"

namespace palimpsest {
namespace {

Json optional_number(const std::optional<double>& value) {
  return value ? number_to_json(*value) : Json(nullptr);
}

Json interval_to_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {number_to_json(interval->low), number_to_json(interval->high)};
}

Json set_to_json(const SetScores& set, const std::vector<ExampleId>& examples) {
  Json by_index = Json::object();
  for (size_t i = 0; i < examples.size(); ++i) {
    by_index[examples[i].key()]["score"] = optional_number(set.scores[i]);
  }
  return {{"agg_value", optional_number(set.mean)}, {"value_by_index", std::move(by_index)}};
}

// The threshold is turned back: an example is recognised where its score is at most this.
Json tpr_to_json(double fpr, const std::optional<TprAtFpr>& point) {
  if (!point) return {{"fpr", fpr}, {"tpr", nullptr}};
  return {{"fpr", fpr},
          {"tpr", point->tpr},
          {"tpr_ci", interval_to_json(point->tpr_interval)},
          {"realized_fpr", point->realized_fpr},
          {"score_at_most", number_to_json(-point->threshold)},
          {"true_positives", point->true_positives},
          {"positives", point->positives},
          {"false_positives", point->false_positives},
          {"negatives", point->negatives}};
}

Json outcome_to_json(const AttackOutcome& outcome, const MiaReport& report) {
  Json rates = Json::array();
  for (size_t i = 0; i < report.fprs.size(); ++i) {
    rates.push_back(tpr_to_json(report.fprs[i], outcome.tpr_at_fpr[i]));
  }
  return {{"auc", optional_number(outcome.auc)},
          {"agg_value", optional_number(outcome.auc)},
          {"confidence", report.confidence},
          {"auc_ci", interval_to_json(outcome.auc_ci)},
          {"auc_ci_delong", interval_to_json(outcome.auc_ci_delong)},
          {"tpr_at_fpr", std::move(rates)},
          {"advantage", optional_number(outcome.advantage)},
          {"best_accuracy", optional_number(outcome.best_accuracy)},
          {"effective_epsilon", optional_number(outcome.effective_epsilon)},
          {"forget", set_to_json(outcome.forget, report.forget)},
          {"holdout", set_to_json(outcome.holdout, report.holdout)}};
}

}  // namespace

std::string mia_to_json(const MiaReport& report) {
  Json file = Json::object();
  for (const AttackOutcome& outcome : report.outcomes) {
    file[outcome.attack] = outcome_to_json(outcome, report);
  }
  return to_text(file);
}

std::string mia_to_csv(const MiaReport& report) {
  const std::string model = report.model.empty() ? "" : csv_cell(report.model) + ",";
  std::string text =
      report.model.empty() ? "label,score,attack,index\n" : "label,score,generator,attack,index\n";
  auto add = [&](int label, const AttackOutcome& outcome, const SetScores& set,
                 const std::vector<ExampleId>& examples) {
    for (size_t i = 0; i < examples.size(); ++i) {
      if (!set.scores[i]) continue;
      // 0 - x rather than -x: a score of 0 stays 0, not -0.
      fmt::format_to(std::back_inserter(text), "{},{},{}{},{}\n", label, 0 - *set.scores[i], model,
                     outcome.attack, csv_cell(examples[i].key()));
    }
  };
  for (const AttackOutcome& outcome : report.outcomes) {
    add(1, outcome, outcome.forget, report.forget);
    add(0, outcome, outcome.holdout, report.holdout);
  }
  return text;
}

}  // namespace palimpsest
