#include "palimpsest/report/internal/audit_parts.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <vector>

#include "palimpsest/report/internal/json_members.h"

namespace palimpsest::report {
namespace {

// {"feature": "was born", "side": "forget"}, or the words alone.
std::string informative_words(const Json& entry) {
  if (entry.is_string()) return fmt::format("'{}'", entry.get<std::string>());
  const std::string side = member_text(entry, "side");
  return fmt::format("'{}'{}", member_text(entry, "feature"),
                     side.empty() ? "" : fmt::format(" ({})", side));
}

ClusterByExample cluster_names(const attack::ExampleClusters& clusters,
                               const attack::ExampleKeys& keys,
                               const std::vector<int64_t>& numbers) {
  ClusterByExample names;
  for (size_t i = 0; i < keys.size(); ++i)
    names[keys[i]] = clusters.names[static_cast<size_t>(numbers[i])];
  return names;
}

std::filesystem::path found_traces(const std::filesystem::path& file,
                                   const std::filesystem::path& folder) {
  // Beside the audit first: a folder that was moved or copied brings its own traces.
  for (const std::filesystem::path& path :
       {folder / file, folder / "traces" / file.filename(), file}) {
    std::error_code ignored;
    if (!file.empty() && std::filesystem::is_regular_file(path, ignored)) return path;
  }
  return {};
}

}  // namespace

// What mia.json says of the texts. Older files had an interval in place of a p-value.
std::optional<SeparatingTexts> separating_texts(const Json& audit) {
  const Json* blind = find_member(audit, "blind_baseline");
  if (blind == nullptr) return std::nullopt;
  const Json* separates = find_member(*blind, "separates");
  const std::optional<double> auc = member_number(*blind, "auc");
  if (separates == nullptr || *separates != true || !auc) return std::nullopt;
  SeparatingTexts texts{.auc = *auc,
                        .p_value = member_number(*blind, "p_value"),
                        .null_range = member_interval(*blind, "null_range")};
  const Json* telling = find_member(*blind, "telling");
  if (telling != nullptr && telling->is_array()) {
    for (const Json& word : *telling) texts.informative.push_back(informative_words(word));
  }
  return texts;
}

ClusterLookup clusters_of(const attack::MiaReport& audit) {
  const attack::ExampleClusters& clusters = audit.clusters;
  if (!clusters.is_given()) return {};
  return {clusters.name, cluster_names(clusters, audit.forget, clusters.forget),
          cluster_names(clusters, audit.holdout, clusters.holdout)};
}

trace::BothSets<trace::TraceInput> recorded_traces(const attack::MiaRecord& record,
                                                   const std::filesystem::path& folder) {
  trace::BothSets<trace::TraceInput> traces;
  if (attack::texts_are_left_out(record)) return traces;
  for (const auto& [title, text] : record) {
    if (title == "forget traces") traces.forget = found_traces(text, folder);
    if (title == "holdout traces") traces.holdout = found_traces(text, folder);
  }
  return traces;
}

}  // namespace palimpsest::report
