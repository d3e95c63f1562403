#include "palimpsest/attack/mia.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "palimpsest/attack/internal/mia/baseline_columns.h"
#include "palimpsest/attack/internal/mia/cluster_ranking.h"
#include "palimpsest/attack/internal/mia/comparison.h"
#include "palimpsest/attack/internal/mia/decision.h"
#include "palimpsest/attack/internal/mia/dependence.h"
#include "palimpsest/attack/internal/mia/derive_answer.h"
#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/attack/internal/mia/leading_attack.h"
#include "palimpsest/attack/internal/mia/left_out.h"
#include "palimpsest/attack/internal/mia/record_tests.h"
#include "palimpsest/attack/internal/mia/soundness.h"
#include "palimpsest/attack/internal/mia/subgroups.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/short_name.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/internal/cluster_bootstrap.h"

namespace palimpsest::attack {
namespace {

DecisionOptions decision_options(const MiaOptions& options) {
  return {.costs = options.costs,
          .validation_split = options.validation_split,
          .seed = options.bootstrap.seed,
          .confidence = options.bootstrap.confidence};
}

ExampleKeys keys_of_set(const std::vector<ExampleId>& examples) {
  std::vector<std::string> keys;
  keys.reserve(examples.size());
  for (const ExampleId& example : examples) keys.push_back(example.key());
  return keys;
}

AttackRates rates_of(const ScoreColumns& columns, const ExampleClusters& clusters,
                     const MiaOptions& options) {
  const stat::ClusteredScores scored = to_clustered(columns, clusters);
  AttackRates rates;
  for (double fpr : options.fprs) {
    rates.tpr_at_fpr.push_back(
        stat::tpr_at_fpr(scored.scores, scored.clusters, fpr, options.bootstrap.confidence));
  }
  if (const auto best = stat::advantage(scored.scores)) rates.advantage = best->value;
  if (const auto best = stat::best_accuracy(scored.scores)) rates.best_accuracy = best->value;
  rates.records = test_records(columns, options.false_discovery_rate);
  return rates;
}

// Everything about one attack that needs no other one.
void evaluate_alone(AttackOutcome& outcome, const MiaReport& report, const MiaOptions& options) {
  outcome.rates = rates_of(outcome.columns(), report.clusters, options);
  if (outcome.auc && *outcome.auc < 0.5) {
    const ScoreColumn forget = flipped(outcome.forget.scores);
    const ScoreColumn holdout = flipped(outcome.holdout.scores);
    outcome.reversed = rates_of({forget, holdout}, report.clusters, options);
  }
  outcome.decision = decide(outcome.columns(), report.clusters, decision_options(options));
  outcome.clusters = rank_clusters(outcome.columns(), report.clusters);
  const stat::ClusteredScores scored = to_clustered(outcome.columns(), report.clusters);
  if (!report.clusters.is_given())
    outcome.auc_ci_delong = stat::delong_interval(scored.scores, report.confidence);
  const stat::ClusterCounts counts = stat::count_clusters(scored.clusters);
  if (options.bootstrap.resamples > 0 &&
      std::min(counts.positives, counts.negatives) >= kFewestBootstrapClusters) {
    if (const auto estimate =
            stat::bootstrap_clustered_auc(scored.scores, scored.clusters, options.bootstrap))
      outcome.auc_ci_bootstrap = estimate->interval;
  }
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

void note_undefined(const AttackOutcome& outcome, std::vector<std::string>& notes) {
  const int64_t undefined = outcome.forget.undefined + outcome.holdout.undefined;
  if (undefined == 0) return;
  notes.push_back(
      fmt::format("{}: {} forget and {} holdout examples have no labelled token and are left out",
                  outcome.name, outcome.forget.undefined, outcome.holdout.undefined));
}

void note_unresolved(const MiaReport& report, std::vector<std::string>& notes) {
  for (const UnresolvedRate& rate : unresolved_rates(report)) notes.push_back(rate.note);
}

void note_bootstrap(const MiaReport& report, const MiaOptions& options,
                    std::vector<std::string>& notes) {
  if (options.bootstrap.resamples == 0) return;
  if (std::ranges::any_of(report.outcomes,
                          [](const AttackOutcome& o) { return o.auc_ci_bootstrap.has_value(); }))
    return;
  notes.push_back(
      fmt::format("no bootstrap intervals: with fewer than {} clusters in a set they are too "
                  "narrow",
                  kFewestBootstrapClusters));
}

// The parameters that an attack was run with, and its name with those that are not the default.
void name_parameters(const Attack& attack, AttackOutcome& outcome) {
  outcome.parameters = attack.values();
  ParameterValues unusual;
  for (size_t i = 0; i < attack.parameters.size(); ++i) {
    const auto& value = outcome.parameters[i];
    if (value.second != attack.parameters[i].default_value) unusual.push_back(value);
  }
  // An attack that was selected with parameters bears them in its name.
  outcome.title =
      outcome.name_has_parameters() ? outcome.name : with_parameters(outcome.name, unusual);
}

void add_method(const Attack& attack, std::vector<AttackMethod>& methods) {
  const std::string& name = attack.row_name();
  if (std::ranges::find(methods, name, &AttackMethod::attack) == methods.end())
    methods.push_back({.attack = name, .measures = attack.measures, .paper = attack.paper});
}

// One outcome per attack that the traces allow, with its scores; `used` gets the attacks' numbers
// in the table.
void gather_scores(const MiaInput& input, MiaReport& report, std::vector<size_t>& used) {
  SkippedAttacks skipped;
  for (size_t a = 0; a < input.attacks.size(); ++a) {
    const std::string& lacking =
        input.forget.lacking[a].empty() ? input.holdout.lacking[a] : input.forget.lacking[a];
    if (!lacking.empty()) {
      if (!input.only_possible) {
        throw Error(fmt::format("{}, which the attack {} needs", lacking, input.attacks[a].name));
      }
      skipped.add(input.attacks[a].name, lacking);
      continue;
    }
    used.push_back(a);
    AttackOutcome outcome{{.name = input.attacks[a].name,
                           .attack = input.attacks[a].row_name(),
                           .forget = set_scores(report.forget, input.forget.columns[a]),
                           .holdout = set_scores(report.holdout, input.holdout.columns[a])}};
    name_parameters(input.attacks[a], outcome);
    add_method(input.attacks[a], report.methods);
    report.outcomes.push_back(std::move(outcome));
  }
  report.notes = skipped.notes();
  if (report.outcomes.empty()) {
    throw Error({.what = "the traces allow no attack: " + report.notes.front(),
                 .hint = "a trace needs at least 'logprob' or 'avg_loss'"});
  }
  for (const AttackOutcome& outcome : report.outcomes) note_undefined(outcome, report.notes);
}

// Which attacks take part in the answer: the primary one, or all; never one whose reference model
// recognises the forget set itself.
void choose_family(const MiaInput& input, const std::vector<size_t>& used,
                   const MiaOptions& options, MiaReport& report) {
  const auto recognising =
      recognising_reference(input.forget, input.holdout, report.clusters, options.margin);
  std::vector<std::string> without_verdict;
  bool found = options.primary.empty();
  for (size_t i = 0; i < used.size(); ++i) {
    AttackOutcome& outcome = report.outcomes[i];
    const bool is_primary = outcome.name == options.primary;
    found = found || is_primary;
    outcome.in_family = options.primary.empty() || is_primary;
    if (!recognising || !input.attacks[used[i]].needs_reference()) continue;
    outcome.in_family = false;
    without_verdict.push_back(outcome.name);
  }
  if (!found) {
    throw Error({.what = fmt::format("the primary attack '{}' is not among those that were run",
                                     options.primary),
                 .hint = "name one of --attacks"});
  }
  if (without_verdict.empty()) return;
  report.notes.push_back(fmt::format("{} {} no part in the answer: {}",
                                     fmt::join(without_verdict, ", "),
                                     without_verdict.size() == 1 ? "takes" : "take", *recognising));
}

// The baseline's columns, one per outcome, with what is to be said about them; empty without one.
std::vector<BaselineColumn> take_baseline(const MiaInput& input, const std::vector<size_t>& used,
                                          MiaReport& report) {
  if (!input.baseline) return {};
  const auto& [forget, holdout] = *input.baseline;
  report.baseline_model = one_model(forget, holdout, "the baseline's");
  if (!report.model.empty() && report.model == report.baseline_model) {
    report.notes.push_back(fmt::format(
        "the baseline's traces come from the audited model itself, '{}'", report.model));
  }
  std::vector<BaselineColumn> columns = baseline_columns(input, used, report);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].lacking.empty()) continue;
    report.outcomes[i].in_family = false;
    report.notes.push_back(
        fmt::format("{} is not compared with the baseline and takes no part in the answer: {}",
                    report.outcomes[i].name, columns[i].lacking));
  }
  return columns;
}

FamilyInference infer(const std::vector<BaselineColumn>& baseline, const MiaOptions& options,
                      MiaReport& report) {
  std::vector<FamilyMember> members;
  for (size_t i = 0; i < report.outcomes.size(); ++i) {
    const AttackOutcome& outcome = report.outcomes[i];
    members.push_back({.attack = outcome.title,
                       .name = outcome.name,
                       .scores = outcome.columns(),
                       .in_family = outcome.in_family});
    if (!baseline.empty() && baseline[i].lacking.empty())
      members.back().baseline = baseline[i].scored.columns();
  }
  FamilyInference family = infer_family(members, report.clusters,
                                        {.confidence = options.bootstrap.confidence,
                                         .margin = options.margin,
                                         .seed = options.bootstrap.seed,
                                         .threads = options.bootstrap.threads,
                                         .stop = options.bootstrap.stop,
                                         .validation_split = options.validation_split});
  for (size_t i = 0; i < family.members.size(); ++i) {
    const MemberInference& member = family.members[i];
    AttackOutcome& outcome = report.outcomes[i];
    outcome.auc = member.auc;
    outcome.auc_ci = member.interval;
    outcome.auc_ci_simultaneous = member.simultaneous;
    outcome.auc_ci_equivalence = member.equivalence;
    if (!member.difference) continue;
    outcome.against_baseline =
        BaselineDifference{.paired = {.auc_a = member.difference->auc_a,
                                      .auc_b = member.difference->auc_b,
                                      .difference = *member.difference_interval,
                                      .p_value = stat::difference_p_value(*member.difference)},
                           .simultaneous = member.difference_simultaneous};
  }
  return family;
}

void compare_among_attacks(const FamilyInference& family, MiaReport& report) {
  std::vector<EstimatedColumns> columns;
  std::vector<std::optional<double>> aucs;
  std::vector<std::optional<double>> validation_aucs;
  for (size_t i = 0; i < report.outcomes.size(); ++i) {
    const AttackOutcome& outcome = report.outcomes[i];
    const auto& estimate = family.members[i].estimate;
    columns.push_back({.scores = outcome.columns(), .estimate = estimate ? &*estimate : nullptr});
    aucs.push_back(outcome.auc);
    validation_aucs.push_back(outcome.decision ? std::optional(outcome.decision->validation_auc)
                                               : std::nullopt);
  }
  report.highest_auc = highest_auc(aucs);
  report.best_decision = highest_auc(validation_aucs);
  report.comparisons = compare_attacks(columns, report.clusters, report.confidence);
}

void split_into_groups(const MiaInput& input, const MiaOptions& options, MiaReport& report) {
  DroppedTotals dropped = input.forget.dropped;
  dropped.merge(input.holdout.dropped);
  Subgroups found =
      find_subgroups(input.forget.facts, input.holdout.facts, options.group_keys, dropped);
  report.groups = std::move(found.groups);
  report.notes.insert(report.notes.end(), found.notes.begin(), found.notes.end());
  for (AttackOutcome& outcome : report.outcomes) {
    for (const Subgroup& group : report.groups) {
      outcome.groups.push_back(
          evaluate(group, outcome.columns(), report.clusters, report.confidence));
    }
  }
}

// Nobody said which examples belong together, and they look as if some did.
std::optional<AnswerReason> suspected_dependence(const MiaInput& input, const MiaOptions& options,
                                                 const MiaReport& report) {
  if (options.clusters.is_given() || options.clusters.independent) return std::nullopt;
  std::vector<FamilyMember> members;
  for (const AttackOutcome& outcome : report.outcomes) {
    if (outcome.in_family)
      members.push_back({.attack = outcome.title, .scores = outcome.columns()});
  }
  const Dependence found = detect_dependence(input.forget, input.holdout, members,
                                             {.seed = options.bootstrap.seed,
                                              .threads = options.bootstrap.threads,
                                              .stop = options.bootstrap.stop,
                                              .quotes_words = options.quotes_words});
  if (!found.suspected) return std::nullopt;
  return AnswerReason{"dependence_suspected",
                      fmt::format("{} Say which examples belong together ({}), or give "
                                  "--independent if none do.",
                                  found.evidence, found.option)};
}

}  // namespace

std::optional<size_t> MiaReport::leading_attack() const {
  std::vector<NamedAuc> aucs;
  for (const AttackOutcome& outcome : outcomes) aucs.push_back({outcome.name, outcome.auc});
  return palimpsest::attack::leading_attack(aucs, answer.attack_name);
}

std::string MiaReport::shown_model() const {
  return model_name.empty() ? short_name(model) : model_name;
}

void require_valid(const MiaOptions& options) {
  stat::require_resamples(options.bootstrap.resamples, 0);
  stat::require_confidence(options.bootstrap.confidence);
  for (const double fpr : options.fprs) {
    if (fpr >= kLeastFpr && fpr <= 1) continue;
    throw Error({.what = fmt::format("the false positive rate {} is out of range", fpr),
                 .expected = fmt::format("a number from {} to 1", kLeastFpr)});
  }
  require_discovery_rate(options.false_discovery_rate);
  require_valid(decision_options(options));
  require_valid(options.clusters);
  require_valid(
      FamilyOptions{.confidence = options.bootstrap.confidence, .margin = options.margin});
}

MiaReport mia(const MiaInput& input, const MiaOptions& options) {
  require_valid(options);
  require_valid(input.attacks);
  for (const TraceScores* set : {&input.forget, &input.holdout}) {
    PALIMPSEST_CHECK(set->facts.size() == set->examples.size());
  }
  MiaReport report{.model = one_model(input.forget, input.holdout, "the"),
                   .reference_model = input.forget.reference_model,
                   .confidence = options.bootstrap.confidence,
                   .fprs = options.fprs,
                   .costs = options.costs,
                   .validation_split = options.validation_split,
                   .false_discovery_rate = options.false_discovery_rate,
                   .seed = options.bootstrap.seed,
                   .primary = options.primary,
                   .forget = keys_of_set(input.forget.examples),
                   .holdout = keys_of_set(input.holdout.examples),
                   .clusters = clusters_of(options.clusters, input.forget, input.holdout)};
  std::vector<size_t> used;
  gather_scores(input, report, used);
  Soundness soundness = check_soundness(input.forget, input.holdout, report.clusters,
                                        {.margin = options.margin,
                                         .blind_baseline = options.blind_baseline,
                                         .allow_overlap = options.allow_overlap,
                                         .quotes_words = options.quotes_words,
                                         .seed = options.bootstrap.seed,
                                         .threads = options.bootstrap.threads,
                                         .stop = options.bootstrap.stop});
  report.blind = std::move(soundness.blind);
  report.overlap = soundness.overlap;
  choose_family(input, used, options, report);
  const std::vector<BaselineColumn> baseline = take_baseline(input, used, report);
  const FamilyInference family = infer(baseline, options, report);
  for (AttackOutcome& outcome : report.outcomes) {
    if (options.bootstrap.stop.stop_requested()) throw Stopped();
    evaluate_alone(outcome, report, options);
  }
  compare_among_attacks(family, report);
  split_into_groups(input, options, report);
  report.answer = answer_of({.family = family,
                             .forget_examples = static_cast<int64_t>(report.forget.size()),
                             .holdout_examples = static_cast<int64_t>(report.holdout.size()),
                             .void_reasons = std::move(soundness.void_reasons),
                             .suspected_dependence = suspected_dependence(input, options, report)});
  for (const TraceScores* set : {&input.forget, &input.holdout}) {
    report.notes.insert(report.notes.end(), set->notes.begin(), set->notes.end());
  }
  report.notes.insert(report.notes.end(), soundness.notes.begin(), soundness.notes.end());
  note_unresolved(report, report.notes);
  note_bootstrap(report, options, report.notes);
  report.flags = red_flags(flag_facts(report));
  return report;
}

}  // namespace palimpsest::attack
