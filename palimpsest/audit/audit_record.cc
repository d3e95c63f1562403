#include "palimpsest/audit/internal/audit_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "palimpsest/base/internal/short_name.h"

namespace palimpsest::audit {
namespace {

// Rows of names and texts; a text that is empty makes none.
class RecordRows {
 public:
  void add(std::string title, std::string_view text) {
    if (!text.empty()) rows_.emplace_back(std::move(title), text);
  }
  // Traces that the audit wrote itself are named as they lie in its folder, wherever that is.
  void add_file(std::string title, const trace::TraceInput& traces, bool own) {
    const std::filesystem::path file = trace::file_of(traces);
    add(std::move(title), own && file.has_parent_path()
                              ? (file.parent_path().filename() / file.filename()).string()
                              : file.string());
  }
  void add_files(ModelRole role, const BothSets<trace::TraceInput>& sets, bool own) {
    add_file(trace_title(role, "forget"), sets.forget, own);
    add_file(trace_title(role, "holdout"), sets.holdout, own);
  }
  attack::MiaRecord take() { return std::move(rows_); }

 private:
  attack::MiaRecord rows_;
};

void add_parameters(const attack::ParameterValues& parameters, RecordRows& rows) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : parameters) {
    names.push_back(name);
    values.push_back(fmt::format("{:g}", value));
  }
  rows.add(fmt::format("{}", fmt::join(names, ", ")), fmt::format("{}", fmt::join(values, ", ")));
}

void add_preparation(const data::PreparationOptions& preparation, RecordRows& rows) {
  rows.add("kind of data", data::name_of(preparation.kind));
  rows.add("template", data::name_of(preparation.prompt_template));
  rows.add("system prompt", preparation.system_prompt.value_or(""));
  rows.add("attention mask", data::name_of(preparation.attention_mask));
  if (preparation.labels != data::LabelStart::kPublished)
    rows.add("labels", data::name_of(preparation.labels));
  if (preparation.max_length)
    rows.add("longest example", fmt::format("{} tokens", *preparation.max_length));
}

void add_statistics(const attack::MiaOptions& options, RecordRows& rows) {
  const attack::ClusterChoice& clusters = options.clusters;
  rows.add("clusters",
           clusters.size > 0 ? fmt::format("blocks of {}", clusters.size) : clusters.key);
  if (clusters.independent) rows.add("clusters", "none: stated to be independent");
  rows.add("primary attack", options.primary);
  rows.add("margin", fmt::format("{:g}", options.margin));
  rows.add("seed", std::to_string(options.bootstrap.seed));
  if (options.bootstrap.resamples > 0)
    rows.add("bootstrap resamples", std::to_string(options.bootstrap.resamples));
  rows.add("confidence", fmt::format("{:g}", options.bootstrap.confidence));
}

}  // namespace

attack::MiaRecord record_of(const RecordInput& input) {
  RecordRows rows;
  const bool own = std::holds_alternative<AuditModels>(input.spec.source);
  rows.add("palimpsest", std::string_view(PALIMPSEST_VERSION));
  rows.add_files(ModelRole::kAudited, input.traces.audited, own);
  rows.add("model", shown_name(input.forget.header.model));
  rows.add("forget data", shown_name(input.forget.header.dataset));
  rows.add("holdout data", shown_name(input.holdout.header.dataset));
  rows.add("reference model", shown_name(input.forget.reference_model));
  rows.add_files(ModelRole::kBaseline, input.traces.baseline, own);
  rows.add("attacks", input.spec.attacks);
  add_parameters(input.spec.parameters, rows);
  if (const auto* models = std::get_if<AuditModels>(&input.spec.source)) {
    add_preparation(models->preparation, rows);
    for (const auto& [name, fingerprint] : input.fingerprints) rows.add(name, fingerprint);
  }
  add_statistics(input.spec.options, rows);
  if (input.spec.hide_texts_with)
    rows.add(std::string(attack::kTextsLeftOut.first), attack::kTextsLeftOut.second);
  return rows.take();
}

}  // namespace palimpsest::audit
