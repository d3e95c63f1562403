#include "palimpsest/attack/mia.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/auc_power.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/effective_epsilon.h"

namespace palimpsest {
namespace {

DecisionOptions decision_options(const MiaOptions& options) {
  return {.costs = options.costs,
          .validation_split = options.validation_split,
          .seed = options.bootstrap.seed,
          .confidence = options.bootstrap.confidence};
}

SetScores summarize(const ScoreColumn& scores) {
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

AttackOutcome evaluate(const Attack& attack, const ScoreColumn& forget, const ScoreColumn& holdout,
                       const MiaOptions& options) {
  AttackOutcome outcome{.attack = std::string(attack.name),
                        .forget = summarize(forget),
                        .holdout = summarize(holdout)};
  const LabelledScores scores = to_labelled(outcome.columns());
  const double confidence = options.bootstrap.confidence;
  outcome.auc = auc(scores);
  if (const auto estimate = bootstrap_auc(scores, options.bootstrap))
    outcome.auc_ci = estimate->interval;
  outcome.auc_ci_delong = delong_interval(scores, confidence);
  if (outcome.auc_ci_delong) outcome.verdict = verdict_of(*outcome.auc, *outcome.auc_ci_delong);
  for (double fpr : options.fprs) outcome.tpr_at_fpr.push_back(tpr_at_fpr(scores, fpr, confidence));
  if (const auto best = advantage(scores)) outcome.advantage = best->value;
  if (const auto best = best_accuracy(scores)) outcome.best_accuracy = best->value;
  outcome.effective_epsilon = effective_epsilon(scores);
  outcome.decision = decide(outcome.columns(), decision_options(options));
  outcome.records = test_records(outcome.columns(), options.false_discovery_rate);
  return outcome;
}

// The name that the traces of both sets give to the model; may be empty.
std::string one_model(const TraceScores& forget, const TraceScores& holdout,
                      const std::string& whose) {
  const std::string& a = forget.header.model;
  const std::string& b = holdout.header.model;
  if (a.empty() || b.empty() || a == b) return a.empty() ? b : a;
  throw Error(
      {.what = fmt::format("{} forget and holdout traces come from different models", whose),
       .found = fmt::format("'{}' and '{}'", a, b),
       .hint = "trace both sets with the same model"});
}

int64_t count_shared_texts(const TraceScores& forget, const TraceScores& holdout) {
  std::unordered_set<std::string_view> known;
  for (const ExampleFacts& facts : forget.facts) {
    if (facts.text) known.insert(*facts.text);
  }
  return std::count_if(holdout.facts.begin(), holdout.facts.end(), [&](const ExampleFacts& facts) {
    return facts.text && known.contains(*facts.text);
  });
}

void note_shared_texts(const MiaReport& report, std::vector<std::string>& notes) {
  if (report.shared_texts == 0) return;
  notes.push_back(fmt::format(
      "{} of {} holdout texts stand in the forget set too; no attack can tell those apart",
      report.shared_texts, report.holdout.size()));
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

// Small samples are easily "indistinguishable": say what they would not have seen.
void note_blunt_verdicts(const std::vector<AttackOutcome>& outcomes,
                         std::vector<std::string>& notes) {
  constexpr double kSharp = 0.1;
  std::vector<std::string> blunt;
  double farthest = 0.5;
  for (const AttackOutcome& outcome : outcomes) {
    if (!outcome.verdict || outcome.verdict->level != VerdictLevel::kIndistinguishable) continue;
    const Interval& interval = *outcome.auc_ci_delong;
    const double end = interval.high - 0.5 >= 0.5 - interval.low ? interval.high : interval.low;
    if (std::abs(end - 0.5) <= kSharp) continue;
    blunt.push_back(outcome.attack);
    if (std::abs(end - 0.5) > std::abs(farthest - 0.5)) farthest = end;
  }
  if (blunt.empty()) return;
  notes.push_back(
      fmt::format("{}: indistinguishable, but so few examples do not exclude an AUC of {:.2f}",
                  fmt::join(blunt, ", "), farthest));
}

void note_blind(const MiaReport& report, const MiaOptions& options,
                std::vector<std::string>& notes) {
  if (!options.blind_baseline) return;
  if (!report.blind) {
    notes.push_back(fmt::format(
        "no blind baseline: it needs at least {} different texts of each set in the traces, of {} "
        "clusters",
        kMinBlindTexts, kMinBlindClusters));
    return;
  }
  const BlindBaseline& blind = *report.blind;
  const std::string auc =
      fmt::format("AUC {:.3f}, p = {:.3f}; {:.3f} to {:.3f} if the labels are permuted", blind.auc,
                  blind.p_value, blind.null_range.low, blind.null_range.high);
  if (blind.separates()) {
    // Before all others, since it changes what they all mean.
    notes.insert(notes.begin(),
                 fmt::format("THE TEXTS ALONE TELL THE SETS APART: a classifier that never saw the "
                             "model reaches {}; "
                             "no attack's AUC means anything without this comparison. Take a "
                             "holdout set from the same "
                             "source as the forget set, or judge by a baseline model",
                             auc));
  } else if (blind.auc < blind.null_range.low) {
    notes.push_back(
        fmt::format("the blind baseline is worse than guessing ({}): texts of one set have near "
                    "twins in the other",
                    auc));
  }
}

// Attacks that are left out for one reason are named together, in the order of the table.
class LeftOut {
 public:
  void add(const std::string& attack, const std::string& reason) {
    for (auto& [known, attacks] : reasons_) {
      if (known != reason) continue;
      attacks.push_back(attack);
      return;
    }
    reasons_.push_back({reason, {attack}});
  }
  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    for (const auto& [reason, attacks] : reasons_) {
      notes.push_back(fmt::format("{} {} left out: {}", fmt::join(attacks, ", "),
                                  attacks.size() == 1 ? "is" : "are", reason));
    }
    return notes;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons_;
};

// One outcome an attack that the traces allow; `used` gets the attacks' numbers in the table.
void evaluate_attacks(const MiaInput& input, const MiaOptions& options, MiaReport& report,
                      std::vector<size_t>& used) {
  LeftOut left_out;
  for (size_t a = 0; a < input.attacks.size(); ++a) {
    const std::string& lacking =
        input.forget.lacking[a].empty() ? input.holdout.lacking[a] : input.forget.lacking[a];
    if (!lacking.empty()) {
      if (!input.only_possible) {
        throw Error(fmt::format("{}, which the attack {} needs", lacking, input.attacks[a].name));
      }
      left_out.add(std::string(input.attacks[a].name), lacking);
      continue;
    }
    used.push_back(a);
    report.outcomes.push_back(
        evaluate(input.attacks[a], input.forget.columns[a], input.holdout.columns[a], options));
  }
  report.notes = left_out.notes();
  if (report.outcomes.empty()) {
    throw Error({.what = "the traces allow no attack: " + report.notes.front(),
                 .hint = "a trace needs at least 'logprob' or 'avg_loss'"});
  }
  for (const AttackOutcome& outcome : report.outcomes) note_undefined(outcome, report.notes);
  note_blunt_verdicts(report.outcomes, report.notes);
}

void compare_with_baseline(const MiaInput& input, const std::vector<size_t>& used,
                           MiaReport& report) {
  if (!input.baseline) return;
  const auto& [forget, holdout] = *input.baseline;
  report.baseline_model = one_model(forget, holdout, "the baseline's");
  if (!report.model.empty() && report.model == report.baseline_model) {
    report.notes.push_back(fmt::format(
        "the baseline's traces come from the audited model itself, '{}'", report.model));
  }
  const auto forget_places = match_examples(input.forget, forget, "the baseline's forget traces");
  const auto holdout_places =
      match_examples(input.holdout, holdout, "the baseline's holdout traces");
  auto picked = [](const ScoreColumn& scores, const std::vector<size_t>& places) {
    ScoreColumn column;
    for (size_t place : places) column.push_back(scores[place]);
    return column;
  };
  for (size_t i = 0; i < used.size(); ++i) {
    const size_t a = used[i];
    const std::string& lacking = forget.lacking[a].empty() ? holdout.lacking[a] : forget.lacking[a];
    if (!lacking.empty()) {
      report.notes.push_back(fmt::format("{} is not compared with the baseline: {}",
                                         report.outcomes[i].attack, lacking));
      continue;
    }
    const ScoreColumn of_forget = picked(forget.columns[a], forget_places);
    const ScoreColumn of_holdout = picked(holdout.columns[a], holdout_places);
    report.outcomes[i].against_baseline =
        compare(report.outcomes[i].columns(), {of_forget, of_holdout}, report.confidence);
  }
}

void compare_among_attacks(MiaReport& report) {
  std::vector<ScoreColumns> columns;
  for (size_t i = 0; i < report.outcomes.size(); ++i) {
    const AttackOutcome& outcome = report.outcomes[i];
    columns.push_back(outcome.columns());
    auto& highest = report.highest_auc;
    if (outcome.auc && (!highest || *outcome.auc > *report.outcomes[*highest].auc)) highest = i;
    auto& best = report.best_decision;
    if (outcome.decision && (!best || outcome.decision->validation_auc >
                                          report.outcomes[*best].decision->validation_auc))
      best = i;
  }
  report.comparisons = compare_attacks(columns, report.confidence);
}

void split_into_groups(const MiaInput& input, const MiaOptions& options, MiaReport& report) {
  Subgroups found = find_subgroups(input.forget.facts, input.holdout.facts, options.group_keys);
  report.groups = std::move(found.groups);
  report.notes.insert(report.notes.end(), found.notes.begin(), found.notes.end());
  for (AttackOutcome& outcome : report.outcomes) {
    for (const Subgroup& group : report.groups) {
      outcome.groups.push_back(evaluate(group, outcome.columns(), report.confidence));
    }
  }
}

}  // namespace

void require_valid(const MiaOptions& options) {
  require_confidence(options.bootstrap.confidence);
  require_discovery_rate(options.false_discovery_rate);
  require_valid(decision_options(options));
}

MiaPower mia_power(int64_t forget, int64_t holdout, double confidence) {
  MiaPower result;
  result.level = 1 - confidence;
  const PowerOptions options{.power = result.power, .level = result.level};
  result.smallest_auc = smallest_detectable_auc(forget, holdout, options);
  result.examples_for_example_auc = examples_needed(result.example_auc, options);
  return result;
}

MiaReport mia(const MiaInput& input, const MiaOptions& options) {
  require_valid(options);
  for (const TraceScores* set : {&input.forget, &input.holdout}) {
    PALIMPSEST_CHECK(set->facts.size() == set->examples.size());
  }
  const double confidence = options.bootstrap.confidence;
  MiaReport report{
      .model = one_model(input.forget, input.holdout, "the"),
      .confidence = confidence,
      .fprs = options.fprs,
      .costs = options.costs,
      .validation_split = options.validation_split,
      .false_discovery_rate = options.false_discovery_rate,
      .forget = input.forget.examples,
      .holdout = input.holdout.examples,
      .power = mia_power(static_cast<int64_t>(input.forget.examples.size()),
                         static_cast<int64_t>(input.holdout.examples.size()), confidence),
      .shared_texts = count_shared_texts(input.forget, input.holdout)};
  std::vector<size_t> used;
  evaluate_attacks(input, options, report, used);
  compare_with_baseline(input, used, report);
  compare_among_attacks(report);
  split_into_groups(input, options, report);
  if (options.blind_baseline) {
    ExampleClusters clusters;
    clusters.forget.resize(input.forget.examples.size());
    clusters.holdout.resize(input.holdout.examples.size());
    std::iota(clusters.forget.begin(), clusters.forget.end(), int64_t{0});
    std::iota(clusters.holdout.begin(), clusters.holdout.end(),
              static_cast<int64_t>(clusters.forget.size()));
    report.blind =
        blind_baseline(input.forget, input.holdout, clusters,
                       {.seed = options.bootstrap.seed, .threads = options.bootstrap.threads});
  }
  for (const TraceScores* set : {&input.forget, &input.holdout}) {
    report.notes.insert(report.notes.end(), set->notes.begin(), set->notes.end());
  }
  note_blind(report, options, report.notes);
  note_unresolved(report, report.notes);
  note_shared_texts(report, report.notes);
  return report;
}

}  // namespace palimpsest
