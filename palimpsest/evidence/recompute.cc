#include "palimpsest/evidence/internal/recompute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <system_error>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/audit/audit.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/sha256.h"
#include "palimpsest/base/internal/strings.h"

namespace palimpsest::evidence {
namespace {

namespace fs = std::filesystem;

const Input* input_of(const Provenance& provenance, const std::string& role) {
  const auto found = std::ranges::find(provenance.inputs, role, &Input::role);
  return found == provenance.inputs.end() ? nullptr : &*found;
}

bool has_file(const Provenance& provenance, const std::string& name) {
  return std::ranges::find(provenance.files, name, &HashedFile::name) != provenance.files.end();
}

// A trace file of an audit: in its folder if models were run, otherwise where the user had it.
// Empty if the audit had none. Throws Error with the reason if it is not to be had.
fs::path trace_file(const fs::path& folder, const Provenance& provenance, audit::ModelRole role,
                    const std::string& set) {
  const std::string name = "traces/" + audit::trace_file_name(role, set);
  if (has_file(provenance, name)) return folder / name;
  const Input* input = input_of(provenance, audit::trace_title(role, set));
  if (input == nullptr) return {};
  std::error_code ignored;
  if (!fs::is_regular_file(input->path, ignored)) {
    throw Error({.what = "the traces are not in the pack, and they are not where they were",
                 .where = input->path});
  }
  if (sha256_of_file(input->path) != input->sha256) {
    throw Error({.what = "the traces are not in the pack, and the file of that name is a different "
                         "one",
                 .where = input->path});
  }
  return input->path;
}

audit::AuditTraces find_traces(const fs::path& folder, const Provenance& provenance) {
  using audit::ModelRole;
  const auto both = [&](ModelRole role) {
    return trace::BothSets<trace::TraceInput>{
        .forget = trace_file(folder, provenance, role, "forget"),
        .holdout = trace_file(folder, provenance, role, "holdout")};
  };
  return {.audited = both(ModelRole::kAudited),
          .reference = both(ModelRole::kReference),
          .baseline = both(ModelRole::kBaseline)};
}

// The audit of the traces with the settings that the provenance records. How data were prepared has
// no part in it.
audit::AuditSpec recorded_spec(const Provenance& provenance, audit::AuditTraces traces,
                               const attack::AttackTable& attacks) {
  audit::AuditSpec spec{.source = std::move(traces)};
  for (const attack::CommonParameter& common : attack::common_parameters(attacks))
    spec.parameters.emplace_back(common.parameter.name, common.parameter.default_value);
  const Settings known = settings_of(spec);
  Settings settings = provenance.settings;
  std::erase_if(settings, [&](const Setting& setting) {
    return std::ranges::find(known, setting.option, &Setting::option) == known.end();
  });
  apply_settings(settings, spec);
  return spec;
}

// The rows that the results name, with scores or in a note: "min_k, zlib are left out: …".
std::vector<std::string> named_rows(const attack::MiaReport& stored) {
  std::vector<std::string> rows;
  for (const attack::AttackOutcome& outcome : stored.outcomes) rows.push_back(outcome.attack);
  for (const std::string& note : stored.notes) {
    const size_t end = std::min(note.find(" is left out: "), note.find(" are left out: "));
    if (end == std::string::npos) continue;
    for (std::string_view name : split(std::string_view(note).substr(0, end), ',')) {
      if (name.starts_with(' ')) name.remove_prefix(1);
      if (name.find(' ') == std::string_view::npos) rows.emplace_back(name);
    }
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

// The rows that the results name. An audit of all attacks was one of all that its program had; this
// program may have more.
attack::AttackTable attacks_of(const attack::MiaReport& stored, const attack::AttackTable& table) {
  const std::vector<std::string> rows = named_rows(stored);
  attack::AttackTable attacks;
  std::ranges::copy_if(table, std::back_inserter(attacks), [&](const attack::Attack& one) {
    return std::ranges::binary_search(rows, one.name);
  });
  return attacks;
}

void compare_whole(const audit::AuditSpec& spec, const attack::MiaFile& stored,
                   const std::string& json, const fs::path& folder, const VerifyContext& context,
                   PackCheck& check) {
  audit::Audit again = audit::audit(spec, {.attacks = context.attacks,
                                           .threads = context.threads,
                                           .stop = context.stop,
                                           .display = context.display});
  // Names that the user gave, for readers, and what was warned of before there were traces: nothing
  // is computed from them.
  again.report.title = stored.report.title;
  again.report.model_name = stored.report.model_name;
  again.report.warnings = stored.report.warnings;
  check.recomputed.push_back(
      {"mia.json", attack::mia_to_json(again.report, stored.record) == json});
  const std::string csv = read_file(folder / "scores.csv");
  check.recomputed.push_back({"scores.csv", attack::mia_to_csv(again.report, false) == csv ||
                                                attack::mia_to_csv(again.report, true) == csv});
}

// Without the texts only the scores of most attacks can be computed again.
void compare_scores(const audit::AuditSpec& spec, const attack::MiaReport& stored,
                    const VerifyContext& context, PackCheck& check) {
  std::vector<std::string> names;
  for (const attack::AttackOutcome& outcome : stored.outcomes) names.push_back(outcome.name);
  const attack::AttackTable attacks = attack::select_attacks(
      context.attacks, fmt::format("{}", fmt::join(names, ",")), spec.parameters);
  const auto& traces = std::get<audit::AuditTraces>(spec.source);
  const auto scores = [&](const trace::TraceInput& input, const trace::TraceInput& reference) {
    return attack::score_traces(input, attacks,
                                {.reference = reference,
                                 .threads = context.threads,
                                 .display = context.display,
                                 .stop = context.stop});
  };
  const attack::TraceScores forget = scores(traces.audited.forget, traces.reference.forget);
  const attack::TraceScores holdout = scores(traces.audited.holdout, traces.reference.holdout);
  for (size_t a = 0; a < attacks.size(); ++a) {
    const std::string& lacking = forget.lacking[a].empty() ? holdout.lacking[a] : forget.lacking[a];
    if (!lacking.empty()) {
      check.not_recomputed.push_back(fmt::format(
          "the scores of {}, because texts were left out of the pack: {}", names[a], lacking));
      continue;
    }
    check.recomputed.push_back({fmt::format("mia.json, scores of {}", names[a]),
                                stored.outcomes[a].forget.scores == forget.columns[a] &&
                                    stored.outcomes[a].holdout.scores == holdout.columns[a]});
  }
  check.not_recomputed.push_back(
      "the answer, the intervals and the baseline of the texts alone, because they need the texts, "
      "which were left out of the pack; they were checked by the hash of mia.json only");
}

// The attacks of the audit that are not in the table: whoever embeds the library may add attacks.
std::vector<std::string> unknown_attacks(const attack::MiaReport& stored,
                                         const attack::AttackTable& known) {
  std::vector<std::string> unknown = named_rows(stored);
  std::erase_if(unknown, [&](const std::string& row) {
    return std::ranges::find(known, row, &attack::Attack::name) != known.end();
  });
  return unknown;
}

}  // namespace

void recompute_audit(const fs::path& folder, const Provenance& provenance,
                     const VerifyContext& context, PackCheck& check) {
  audit::AuditTraces traces;
  try {
    traces = find_traces(folder, provenance);
  } catch (const Error& error) {
    check.not_recomputed.push_back(fmt::format(
        "mia.json and scores.csv: {}; they were checked by their hashes only", error.what()));
    return;
  }
  try {
    const fs::path file = folder / "mia.json";
    const std::string json = read_file(file);
    const std::optional<attack::MiaFile> stored = attack::mia_from_json(json, file.string());
    if (!stored) throw Error({.what = "the file has a different version", .where = file.string()});
    if (const auto unknown = unknown_attacks(stored->report, context.attacks); !unknown.empty()) {
      check.not_recomputed.push_back(fmt::format(
          "mia.json and scores.csv: this program does not have the attack {}; they were "
          "checked by their hashes only",
          fmt::join(unknown, ", ")));
      return;
    }
    VerifyContext recorded = context;
    recorded.attacks = attacks_of(stored->report, context.attacks);
    const audit::AuditSpec spec = recorded_spec(provenance, std::move(traces), recorded.attacks);
    const bool has_texts =
        std::ranges::find(provenance.left_out, "texts") == provenance.left_out.end();
    if (has_texts) {
      compare_whole(spec, *stored, json, folder, recorded, check);
    } else {
      compare_scores(spec, stored->report, recorded, check);
    }
  } catch (const Error& error) {
    check.failures.push_back(fmt::format("the audit cannot be computed again: {}", error.what()));
  }
}

}  // namespace palimpsest::evidence
