#include "palimpsest/audit/audit.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "palimpsest/audit/internal/audit_log.h"
#include "palimpsest/audit/internal/audit_record.h"
#include "palimpsest/audit/internal/hide_texts.h"
#include "palimpsest/audit/internal/model_traces.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/short_name.h"

namespace palimpsest::audit {
namespace {

using ScoredSets = BothSets<std::shared_ptr<const attack::TraceScores>>;

// What the second half of an audit works from.
struct ScoredAudit {
  ScoredSets audited;
  ScoredSets baseline;
  AuditTraces traces;
  std::vector<std::pair<std::string, std::string>> fingerprints;
};

// Both sets or, where there may be none, neither.
template <class T, class IsGiven>
void require_both(const BothSets<T>& sets, const char* whose, bool may_be_none,
                  const IsGiven& is_given_set) {
  const bool forget = is_given_set(sets.forget);
  if (forget == is_given_set(sets.holdout) && (forget || may_be_none)) return;
  throw Error({.what = fmt::format("{} needs both the forget and the holdout set", whose),
               .found = forget ? "the forget set alone" : "no forget set"});
}

void require_traces(const AuditTraces& traces) {
  const auto given = [](const trace::TraceInput& input) { return trace::is_given(input); };
  require_both(traces.audited, "the audited model", false, given);
  require_both(traces.reference, "the reference model", true, given);
  require_both(traces.baseline, "the baseline model", true, given);
}

void require_scores(const AuditScores& scores, const attack::AttackTable& attacks) {
  const auto given = [](const auto& set) { return set != nullptr; };
  require_both(scores.audited, "the audited model", false, given);
  require_both(scores.baseline, "the baseline model", true, given);
  for (const auto& set : {scores.audited.forget, scores.audited.holdout, scores.baseline.forget,
                          scores.baseline.holdout}) {
    if (set == nullptr) continue;
    if (set->columns.size() != attacks.size() || set->lacking.size() != attacks.size()) {
      throw Error({.what = "the scores are not those of the selected attacks",
                   .expected = fmt::format("{} columns", attacks.size()),
                   .found = fmt::format("{}", set->columns.size())});
    }
    const size_t examples = set->examples.size();
    bool fits = set->facts.size() == examples &&
                (set->reference_loss.empty() || set->reference_loss.size() == examples);
    for (size_t a = 0; a < attacks.size(); ++a)
      fits = fits && (!set->lacking[a].empty() || set->columns[a].size() == examples);
    if (!fits) {
      throw Error({.what = "there is not one score per example",
                   .expected = fmt::format("{} of each attack", examples)});
    }
  }
}

ScoredAudit score(AuditTraces traces, const attack::AttackTable& attacks,
                  const std::optional<std::string>& salt, const AuditContext& context) {
  require_traces(traces);
  auto scored = [&](const trace::TraceInput& input, const trace::TraceInput& reference) {
    attack::TraceScores scores = attack::score_traces(input, attacks,
                                                      {.reference = reference,
                                                       .threads = context.threads,
                                                       .display = context.display,
                                                       .stop = context.stop});
    if (salt) disguise_groups(*salt, scores);
    return std::make_shared<const attack::TraceScores>(std::move(scores));
  };
  // A baseline model is compared with the same reference model.
  auto both_scored = [&](const BothSets<trace::TraceInput>& sets) {
    ScoredSets result;
    result.forget = scored(sets.forget, traces.reference.forget);
    result.holdout = scored(sets.holdout, traces.reference.holdout);
    return result;
  };
  ScoredAudit audit;
  audit.audited = both_scored(traces.audited);
  if (trace::is_given(traces.baseline.forget)) audit.baseline = both_scored(traces.baseline);
  audit.traces = std::move(traces);
  return audit;
}

// Copies: the scores are the caller's.
ScoredSets disguised(const std::string& salt, const ScoredSets& sets) {
  const auto copy_of = [&](const std::shared_ptr<const attack::TraceScores>& set) {
    if (set == nullptr) return set;
    attack::TraceScores scores = *set;
    disguise_groups(salt, scores);
    return std::make_shared<const attack::TraceScores>(std::move(scores));
  };
  return {.forget = copy_of(sets.forget), .holdout = copy_of(sets.holdout)};
}

// Without names, all attacks that the input allows.
bool only_possible(const AuditSpec& spec) {
  return spec.attacks == "all";
}

ModelTraces trace(const AuditSpec& spec, const attack::AttackTable& attacks,
                  const AuditContext& context, AuditLog& log) {
  // What tokenizers, loaders and models warn of concerns the result, too.
  const WarningCapture capture;
  ModelTraces traced = trace_models(
      std::get<AuditModels>(spec.source),
      {.attacks = attacks, .only_possible = only_possible(spec), .options = spec.options}, context,
      log);
  log.keep(capture.warnings());
  return traced;
}

ScoredAudit score(const AuditSpec& spec, const attack::AttackTable& attacks,
                  const AuditContext& context, AuditLog& log) {
  if (const auto* scores = std::get_if<AuditScores>(&spec.source)) {
    require_scores(*scores, attacks);
    if (!spec.hide_texts_with) return {.audited = scores->audited, .baseline = scores->baseline};
    return {.audited = disguised(*spec.hide_texts_with, scores->audited),
            .baseline = disguised(*spec.hide_texts_with, scores->baseline)};
  }
  if (const auto* traces = std::get_if<AuditTraces>(&spec.source))
    return score(*traces, attacks, spec.hide_texts_with, context);
  ModelTraces traced = trace(spec, attacks, context, log);
  ScoredAudit audit = score(std::move(traced.traces), attacks, spec.hide_texts_with, context);
  audit.fingerprints = std::move(traced.fingerprints);
  return audit;
}

}  // namespace

std::string role_name(ModelRole role) {
  switch (role) {
    case ModelRole::kReference:
      return "reference";
    case ModelRole::kBaseline:
      return "baseline";
    case ModelRole::kAudited:
      break;
  }
  return "";
}

std::string trace_file_name(ModelRole role, const std::string& set) {
  const std::string name = role_name(role);
  return name + (name.empty() ? "" : "-") + set + ".jsonl";
}

std::string trace_title(ModelRole role, const std::string& set) {
  const std::string name = role_name(role);
  return name + (name.empty() ? "" : " ") + set + " traces";
}

BothSets<trace::TraceInput>& AuditTraces::of(ModelRole role) {
  switch (role) {
    case ModelRole::kReference:
      return reference;
    case ModelRole::kBaseline:
      return baseline;
    case ModelRole::kAudited:
      break;
  }
  return audited;
}

AuditShard audit_shard(const AuditSpec& spec, const AuditContext& context) {
  attack::require_valid(spec.options);
  if (!std::holds_alternative<AuditModels>(spec.source))
    throw Error("only an audit of models can be divided into shards");
  PALIMPSEST_CHECK(!context.work.has_results());
  const attack::AttackTable attacks =
      attack::select_attacks(context.attacks, spec.attacks, spec.parameters);
  AuditLog log(context);
  AuditShard done = trace(spec, attacks, context, log).counts;
  done.notes = log.take();
  return done;
}

Audit audit(const AuditSpec& spec, const AuditContext& context) {
  PALIMPSEST_CHECK(context.work.has_results());
  attack::require_valid(spec.options);
  const attack::AttackTable attacks =
      attack::select_attacks(context.attacks, spec.attacks, spec.parameters);
  AuditLog log(context);
  ScoredAudit scored = score(spec, attacks, context, log);
  attack::MiaInput input{.attacks = attacks,
                         .forget = *scored.audited.forget,
                         .holdout = *scored.audited.holdout,
                         .only_possible = only_possible(spec)};
  if (scored.baseline.forget != nullptr)
    input.baseline.emplace(attack::MiaBaseline{*scored.baseline.forget, *scored.baseline.holdout});
  attack::MiaOptions options = spec.options;
  options.bootstrap.threads = context.threads;
  options.bootstrap.stop = context.stop;
  options.quotes_words = !spec.hide_texts_with;
  Audit result{.report = attack::mia(input, options)};
  for (std::string* name :
       {&result.report.model, &result.report.baseline_model, &result.report.reference_model}) {
    *name = shown_name(*name);
  }
  result.record = record_of({.spec = spec,
                             .traces = scored.traces,
                             .forget = input.forget,
                             .holdout = input.holdout,
                             .fingerprints = scored.fingerprints});
  result.traces = std::move(scored.traces);
  if (spec.hide_texts_with && std::holds_alternative<AuditModels>(spec.source))
    hide_texts(*spec.hide_texts_with, result.traces);
  result.report.warnings = log.without_folders();
  log.keep(result.report.notes);
  result.notes = log.take();
  return result;
}

}  // namespace palimpsest::audit
