#include "palimpsest/eval/internal/conclusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/attack/internal/mia/derive_answer.h"
#include "palimpsest/attack/internal/mia/leading_attack.h"
#include "palimpsest/eval/internal/attack_soundness.h"
#include "palimpsest/eval/internal/data_clusters.h"
#include "palimpsest/eval/internal/forget_quality.h"
#include "palimpsest/eval/internal/metric_intervals.h"
#include "palimpsest/eval/internal/reference_value.h"
#include "palimpsest/eval/internal/retrained_models.h"
#include "palimpsest/stat/kolmogorov_smirnov.h"

namespace palimpsest::eval {
namespace {

void add_intervals(const AttackFamilyInput& input, Conclusions& conclusions) {
  const MetricGraph& graph = input.plan.graph;
  const DataClusters clusters(graph, input.data);
  MetricIntervals intervals(graph, clusters, input.log);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string& name = graph.nodes[i].setting.name;
    if (!input.log.contains(name)) continue;
    if (const auto interval = intervals.interval(i)) conclusions.intervals[name] = *interval;
    if (const auto spread = intervals.spread(i)) conclusions.spreads[name] = *spread;
    if (!graph.nodes[i].handler->tests_distribution) continue;
    if (const auto quality = forget_quality(graph, i, input.log, intervals)) {
      conclusions.quality[name] = *quality;
    }
  }
  conclusions.notes = intervals.notes();
}

// The metric that this one compares, of every model: the evaluated one first, then the retrained
// ones. Empty unless all logs have it.
std::vector<const MetricResult*> of_all_models(const AttackFamilyInput& input,
                                               const MetricNode& node) {
  const auto name = retained_name(node);
  if (!name) return {};
  const MetricNode& compared = input.plan.graph.nodes[node.pre_compute.front().second];
  std::vector<const MetricResult*> all = {&input.log.at(compared.setting.name)};
  for (const RetainLog& log : input.plan.retain_logs) {
    const auto found = log.metrics.find(*name);
    if (found == log.metrics.end()) return {};
    all.push_back(&found->second);
  }
  return all;
}

void compare_aucs(const AttackFamilyInput& input, const FamilyAttack& attack,
                  RetrainedModels& retrained, std::vector<std::string>& notes) {
  std::vector<double> aucs = {input.log.at(attack.identity.metric).agg_value.value_or(NAN)};
  for (const RetainLog& log : input.plan.retain_logs) {
    std::string ignored;
    const MetricResult* found = find_attack(log, attack.identity, ignored);
    aucs.push_back(found != nullptr ? found->agg_value.value_or(NAN) : NAN);
  }
  for (const double auc : aucs) {
    if (std::isfinite(auc)) continue;
    return notes.push_back(
        fmt::format("not every retain log has {} with the same parameters: it "
                    "is not compared with the retrained models",
                    attack.identity.metric));
  }
  retrained.comparisons.push_back(
      compare_with_retrained(attack.identity.metric, aucs.size() - 1,
                             [&](size_t x, size_t y) { return std::abs(aucs[x] - aucs[y]); }));
}

// privleak and rel_diff of each model against each other one.
void compare_relative(const AttackFamilyInput& input, const MetricNode& node,
                      RetrainedModels& retrained) {
  std::vector<double> values;
  for (const MetricResult* result : of_all_models(input, node)) {
    if (!result->agg_value) return;
    values.push_back(*result->agg_value);
  }
  if (values.empty()) return;
  // Either way round, the smaller: against a model whose AUC is near 1 everybody's privleak is
  // huge, which would hide that it is this one that differs.
  const auto distance = [&](size_t x, size_t y) {
    return std::min(std::abs(node.handler->combine({&values[x], 1}, values[y])),
                    std::abs(node.handler->combine({&values[y], 1}, values[x])));
  };
  retrained.comparisons.push_back(
      compare_with_retrained(node.setting.name, values.size() - 1, distance));
}

void compare_distributions(const AttackFamilyInput& input, const MetricNode& node,
                           RetrainedModels& retrained) {
  std::vector<std::vector<double>> scores;
  for (const MetricResult* result : of_all_models(input, node)) {
    scores.push_back(scores_of(*result, node.setting.name));
    if (scores.back().empty()) return;
  }
  if (scores.empty()) return;
  const auto distance = [&](size_t x, size_t y) {
    return stat::ks_two_sample(scores[x], scores[y])->statistic;
  };
  retrained.comparisons.push_back(
      compare_with_retrained(node.setting.name, scores.size() - 1, distance));
}

void compare_all(const AttackFamilyInput& input, const AttackFamily* family,
                 Conclusions& conclusions) {
  const size_t logs = input.plan.retain_logs.size();
  if (logs < 2) return;
  RetrainedModels retrained{.logs = static_cast<int64_t>(logs), .comparisons = {}};
  for (const MetricNode& node : input.plan.graph.nodes) {
    if (!node.requested || !input.log.contains(node.setting.name)) continue;
    if (node.handler->tests_distribution) compare_distributions(input, node, retrained);
    if (node.handler->compares) compare_relative(input, node, retrained);
  }
  if (family != nullptr) {
    for (const FamilyAttack& attack : family->attacks) {
      compare_aucs(input, attack, retrained, conclusions.notes);
    }
  }
  if (!retrained.comparisons.empty()) conclusions.retrained = std::move(retrained);
}

// `facts` gets what the texts alone tell.
void add_answer(const AttackFamilyInput& input, const AttackFamily& family,
                Conclusions& conclusions, attack::RedFlagFacts& facts) {
  conclusions.notes.insert(conclusions.notes.end(), family.notes.begin(), family.notes.end());
  conclusions.clusters = clusters_to_record(family);
  const std::vector<attack::FamilyMember> members = family.members();
  if (std::ranges::none_of(members, &attack::FamilyMember::in_family)) {
    conclusions.notes.push_back("no attack is left that could answer");
    return;
  }
  const attack::FamilyInference inferred =
      attack::infer_family(members, family.clusters,
                           {.margin = input.plan.inference.margin,
                            .seed = input.seed,
                            .threads = input.threads,
                            .stop = input.stop});
  for (const attack::MemberInference& member : inferred.members) {
    if (member.simultaneous) conclusions.simultaneous[member.name] = *member.simultaneous;
  }
  const MetricNode& first = *family.attacks.front().node;
  const auto traces = [&](const DatasetPlan& spec) {
    return input.traces ? input.traces(first, spec) : trace::TraceInput();
  };
  AttackSoundness soundness = check_attacks(
      {.family = family,
       .traces = {.forget = traces(*family.forget_spec), .holdout = traces(*family.holdout_spec)},
       .margin = input.plan.inference.margin,
       .seed = input.seed,
       .threads = input.threads,
       .stop = input.stop});
  facts.separating_texts = std::move(soundness.separating_texts);
  for (std::string& note : soundness.notes) conclusions.notes.push_back(std::move(note));
  conclusions.answer =
      attack::answer_of({.family = inferred,
                         .forget_examples = static_cast<int64_t>(family.forget->examples.size()),
                         .holdout_examples = static_cast<int64_t>(family.holdout->examples.size()),
                         .void_reasons = std::move(soundness.void_reasons),
                         .suspected_dependence = std::move(soundness.suspected_dependence)});
}

void raise_flags(const AttackFamilyInput& input, const AttackFamily* family,
                 attack::RedFlagFacts facts, Conclusions& conclusions) {
  attack::set_accuracies(
      [&](const std::string& metric) {
        const auto found = input.log.find(metric);
        return found == input.log.end() ? nullptr : &found->second.agg_value;
      },
      facts);
  if (conclusions.answer) facts.verdict = conclusions.answer->verdict;
  if (family != nullptr) {
    std::vector<attack::NamedAuc> aucs;
    for (const FamilyAttack& attack : family->attacks)
      aucs.push_back({attack.identity.metric, input.log.at(attack.identity.metric).agg_value});
    const std::string named = conclusions.answer ? conclusions.answer->attack_name : "";
    if (const auto leading = attack::leading_attack(aucs, named)) facts.auc = aucs[*leading].auc;
  }
  conclusions.flags = attack::red_flags(facts);
}

}  // namespace

Conclusions draw_conclusions(const AttackFamilyInput& input) {
  Conclusions conclusions;
  add_intervals(input, conclusions);
  const std::optional<AttackFamily> family = gather_attacks(input);
  attack::RedFlagFacts facts;
  if (family) add_answer(input, *family, conclusions, facts);
  raise_flags(input, family ? &*family : nullptr, std::move(facts), conclusions);
  compare_all(input, family ? &*family : nullptr, conclusions);
  return conclusions;
}

void store_conclusions(Conclusions conclusions, const MetricGraph& graph, EvalLog& log,
                       RunRecord& record) {
  const auto find = [](const auto& by_metric, const std::string& metric) {
    const auto found = by_metric.find(metric);
    return found != by_metric.end() ? std::optional(found->second) : std::nullopt;
  };
  for (const MetricNode& node : graph.nodes) {
    const std::string& name = node.setting.name;
    const auto result = log.find(name);
    if (result == log.end()) continue;
    MetricRecord& metric = record.metrics.at(name);
    metric.interval = find(conclusions.intervals, name);
    metric.auc_ci_simultaneous = find(conclusions.simultaneous, name);
    metric.spread = find(conclusions.spreads, name);
    metric.quality = find(conclusions.quality, name);
    if (std::optional<attack::ScoredAttack>& scored = result->second.scored) {
      if (scored->name.empty()) {  // an earlier run computed it, and its record did not say
        scored->name = scored->attack = metric.source.attack;
        scored->parameters = metric.parameters.value_or(AttackParameters{});
      }
      scored->auc_ci = metric.interval;
      scored->auc_ci_simultaneous = metric.auc_ci_simultaneous;
    }
  }
  record.answer = std::move(conclusions.answer);
  record.flags = std::move(conclusions.flags);
  record.clusters = std::move(conclusions.clusters);
  record.retrained = std::move(conclusions.retrained);
  record.notes = std::move(conclusions.notes);
}

}  // namespace palimpsest::eval
