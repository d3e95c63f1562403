#include "palimpsest/attack/mia.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/effective_epsilon.h"

namespace palimpsest {
namespace {

SetScores summarize(const std::vector<std::optional<double>>& scores) {
  SetScores set{.scores = scores};
  double sum = 0;
  for (const std::optional<double>& score : scores) {
    if (!score) ++set.undefined;
    sum += score.value_or(0);
  }
  const auto defined = static_cast<int64_t>(scores.size()) - set.undefined;
  if (defined > 0) set.mean = sum / static_cast<double>(defined);
  return set;
}

std::vector<double> negated(const SetScores& set) {
  std::vector<double> values;
  for (const std::optional<double>& score : set.scores) {
    if (score) values.push_back(-*score);
  }
  return values;
}

AttackOutcome evaluate(const Attack& attack, const std::vector<std::optional<double>>& forget,
                       const std::vector<std::optional<double>>& holdout,
                       const MiaOptions& options) {
  AttackOutcome outcome{.attack = std::string(attack.name),
                        .forget = summarize(forget),
                        .holdout = summarize(holdout)};
  // The statistics count a high score as positive; for an attacker a member is the positive, so the
  // scores are turned around here, once. The AUC is the same either way.
  const LabelledScores scores{.positives = negated(outcome.forget),
                              .negatives = negated(outcome.holdout)};
  const double confidence = options.bootstrap.confidence;
  outcome.auc = auc(scores);
  if (const auto estimate = bootstrap_auc(scores, options.bootstrap))
    outcome.auc_ci = estimate->interval;
  outcome.auc_ci_delong = delong_interval(scores, confidence);
  for (double fpr : options.fprs) outcome.tpr_at_fpr.push_back(tpr_at_fpr(scores, fpr, confidence));
  if (const auto best = advantage(scores)) outcome.advantage = best->value;
  if (const auto best = best_accuracy(scores)) outcome.best_accuracy = best->value;
  outcome.effective_epsilon = effective_epsilon(scores);
  return outcome;
}

void require_one_model(const TraceScores& forget, const TraceScores& holdout) {
  const std::string& a = forget.header.model;
  const std::string& b = holdout.header.model;
  if (a.empty() || b.empty() || a == b) return;
  throw Error({.what = "the forget and the holdout traces come from different models",
               .found = fmt::format("'{}' and '{}'", a, b),
               .hint = "trace both sets with the same model"});
}

void note_shared_texts(const TraceScores& forget, const TraceScores& holdout,
                       std::vector<std::string>& notes) {
  const std::unordered_set<size_t> known(forget.text_hashes.begin(), forget.text_hashes.end());
  int64_t shared = 0;
  for (size_t hash : holdout.text_hashes) shared += known.contains(hash) ? 1 : 0;
  if (shared == 0) return;
  notes.push_back(fmt::format(
      "{} of {} holdout texts stand in the forget set too; no attack can tell those apart", shared,
      holdout.examples.size()));
}

void note_undefined(const AttackOutcome& outcome, std::vector<std::string>& notes) {
  const int64_t undefined = outcome.forget.undefined + outcome.holdout.undefined;
  if (undefined == 0) return;
  notes.push_back(
      fmt::format("{}: {} forget and {} holdout examples have no labelled token and are left out",
                  outcome.attack, outcome.forget.undefined, outcome.holdout.undefined));
}

void note_unresolved(const MiaReport& report, std::vector<std::string>& notes) {
  for (double fpr : report.fprs) {
    if (fpr * static_cast<double>(report.holdout.size()) >= 1 - 1e-9) continue;
    notes.push_back(fmt::format(
        "TPR at {:g}% FPR is n/a: it needs at least {:.0f} holdout examples, there are {}",
        100 * fpr, std::ceil(1 / fpr), report.holdout.size()));
  }
}

}  // namespace

MiaReport mia(const MiaInput& input, const MiaOptions& options) {
  require_one_model(input.forget, input.holdout);
  MiaReport report{.model = input.forget.header.model.empty() ? input.holdout.header.model
                                                              : input.forget.header.model,
                   .confidence = options.bootstrap.confidence,
                   .fprs = options.fprs,
                   .forget = input.forget.examples,
                   .holdout = input.holdout.examples};
  for (size_t a = 0; a < input.attacks.size(); ++a) {
    const std::string& lacking =
        input.forget.lacking[a].empty() ? input.holdout.lacking[a] : input.forget.lacking[a];
    if (!lacking.empty()) {
      if (!input.only_possible) {
        throw Error(fmt::format("{}, which the attack {} needs", lacking, input.attacks[a].name));
      }
      report.notes.push_back(fmt::format("{} is left out: {}", input.attacks[a].name, lacking));
      continue;
    }
    report.outcomes.push_back(
        evaluate(input.attacks[a], input.forget.columns[a], input.holdout.columns[a], options));
    note_undefined(report.outcomes.back(), report.notes);
  }
  if (report.outcomes.empty()) {
    throw Error({.what = "the traces allow no attack: " + report.notes.front(),
                 .hint = "a trace needs at least 'logprob' or 'avg_loss'"});
  }
  for (const TraceScores* set : {&input.forget, &input.holdout}) {
    report.notes.insert(report.notes.end(), set->notes.begin(), set->notes.end());
  }
  note_unresolved(report, report.notes);
  note_shared_texts(input.forget, input.holdout, report.notes);
  return report;
}

}  // namespace palimpsest
