#include "palimpsest/eval/internal/mia_metric.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "palimpsest/attack/internal/example_scores.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/run/internal/score_run.h"

namespace palimpsest::eval {
namespace {

constexpr const char* kReferenceModel = "reference_model_path";

// A number, or infinity as YAML and Python spell it; nullopt for anything else.
std::optional<double> number_in(const Parameter& value) {
  if (value.is_text() && (value.as_text() == "inf" || value.as_text() == "Infinity")) {
    return std::numeric_limits<double>::infinity();
  }
  if (!value.is_int() && !value.is_real()) return std::nullopt;
  return value.as_real();
}

// The attack with the parameters that the configuration sets.
attack::Attack configured(const attack::Attack& attack, const MetricSetting& setting) {
  attack::Attack result = attack;
  for (const attack::AttackParameter& parameter : attack.parameters) {
    const Parameter& value = setting.parameters.at(parameter.name);
    const std::optional<double> number = number_in(value);
    result.given.emplace_back(parameter.name, number ? *number : value.as_real());
    try {
      attack::require_in_range(parameter, result.given.back().second, attack.name);
    } catch (const Error& error) {
      throw error.located(value.where());
    }
  }
  return result;
}

MetricNeeds needs_of(const attack::Attack& attack, const MetricSetting& setting) {
  MetricNeeds needs{.data = {"forget", "holdout"}, .traces = true};
  for (const std::string& key : attack::gradient_norms_of({configured(attack, setting)})) {
    const std::optional<model::NormOrder> order = run::find_order(key);
    if (!order) {
      throw Error({.what = fmt::format("the attack {} reads a gradient norm '{}', which is not "
                                       "computed",
                                       attack.name, key),
                   .expected = "1, 2 or inf"});
    }
    needs.gradient_norms.push_back(*order);
  }
  if (attack.needs_reference()) {
    needs.reference_model = setting.parameters.at(kReferenceModel).as_text();
  }
  return needs;
}

// Scores of one data set.
attack::SetScores scores_of(const attack::Attack& attack, const MetricInput& input,
                            const std::string& data, WorkerPool& pool) {
  const std::vector<trace::Trace>& traces = *input.traces.at(data);
  attack::ExampleTraces examples{.where = [&](size_t i) {
    return fmt::format("the example '{}' of '{}'", traces[i].index, data);
  }};
  std::vector<std::string> keys;
  for (const trace::Trace& trace : traces) {
    examples.own.push_back(&trace);
    keys.push_back(attack::ExampleId{trace.index, trace.alternative}.key());
  }
  if (attack.needs_reference()) {
    for (const trace::Trace& trace : *input.reference_traces.at(data))
      examples.reference.push_back(&trace);
  }
  attack::ExampleScores found = attack::score_examples(attack, examples, pool);
  if (found.unmet) {
    throw Error(fmt::format("the {}trace of the example '{}' lacks {}, which the attack {} needs",
                            found.unmet->is_in_reference ? "reference model's " : "",
                            traces[found.unmet->example].index, found.unmet->need->name,
                            attack.name));
  }
  return attack::set_scores(std::move(keys), std::move(found.scores));
}

// What the reference model itself makes of the examples: it tells whether that model knows them.
attack::SetScores reference_losses(const std::vector<trace::Trace>& references,
                                   const attack::ExampleKeys& keys) {
  attack::ScoreColumn losses;
  for (const trace::Trace& trace : references) losses.push_back(trace::avg_loss(trace));
  return attack::set_scores(keys, std::move(losses));
}

MetricResult compute_attack(const attack::Attack& attack, const MetricInput& input) {
  const attack::Attack own = configured(attack, input.setting);
  WorkerPool pool(input.threads);
  attack::ScoredAttack scored{.name = own.name,
                              .attack = own.row_name(),
                              .parameters = own.values(),
                              .forget = scores_of(own, input, "forget", pool),
                              .holdout = scores_of(own, input, "holdout", pool)};
  scored.auc = attack::auc_of(scored);
  MetricResult result{.agg_value = scored.auc, .numbers = {{"auc", scored.auc}}};
  for (const auto& [data, set] :
       {std::pair("forget", &scored.forget), std::pair("holdout", &scored.holdout)}) {
    result.examples += set->defined();
    if (set->undefined == 0) continue;
    result.notes.push_back(
        fmt::format("{}: {} of {} examples of '{}' have no score and are left out",
                    input.setting.name, set->undefined, set->scores.size(), data));
  }
  if (own.needs_reference()) {
    const auto& traces = input.reference_traces;
    result.reference = {.name = "loss",
                        .attack = "loss",
                        .parameters = attack::ParameterValues{},
                        .forget = reference_losses(*traces.at("forget"), scored.forget.keys),
                        .holdout = reference_losses(*traces.at("holdout"), scored.holdout.keys)};
  }
  result.scored = std::move(scored);
  return result;
}

std::vector<HandlerKey> keys_of(const attack::Attack& attack) {
  std::vector<HandlerKey> keys;
  for (const attack::AttackParameter& parameter : attack.parameters) {
    keys.push_back({.name = parameter.name,
                    .meaning = parameter.meaning,
                    .default_value = parameter.default_value});
  }
  if (attack.needs_reference()) {
    keys.push_back({.name = kReferenceModel,
                    .meaning = "folder or hub id of a model that never saw the data"});
  }
  return keys;
}

Handler handler_of(const attack::Attack& row) {
  const auto attack = std::make_shared<const attack::Attack>(row);
  return {.name = std::string(attack::kAttackPrefix) + row.name,
          .measures = fmt::format("AUC of the attack '{}': {}", row.name, row.measures),
          .orientation =
              "1: the forget set is plainly recognised; 0.5: indistinguishable, the goal; 0: "
              "over-forgotten",
          .keys = keys_of(row),
          .needs = [attack](const MetricSetting& setting) { return needs_of(*attack, setting); },
          .compute = [attack](const MetricInput& input) { return compute_attack(*attack, input); },
          .attack = row.name};
}

}  // namespace

HandlerTable attack_handlers(const attack::AttackTable& attacks) {
  attack::require_valid(attacks);
  HandlerTable handlers;
  for (const attack::Attack& attack : attacks) handlers.push_back(handler_of(attack));
  return handlers;
}

AttackParameters attack_parameters(const Handler& handler, const MetricSetting& setting) {
  AttackParameters parameters;
  for (const HandlerKey& key : handler.keys) {
    const Parameter* value = setting.parameters.find_set(key.name);
    const std::optional<double> number = value != nullptr ? number_in(*value) : std::nullopt;
    if (number) parameters.emplace_back(key.name, *number);
  }
  return parameters;
}

}  // namespace palimpsest::eval
