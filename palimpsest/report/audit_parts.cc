#include "palimpsest/report/internal/audit_parts.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/report/internal/json_members.h"
#include "palimpsest/report/internal/trace_match.h"

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

bool is_inside(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const auto whole = [](const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  const std::filesystem::path relative = whole(file).lexically_relative(whole(folder));
  return !relative.empty() && *relative.begin() != "..";
}

// One set of an audit, whose traces are looked for.
struct TraceSearch {
  const std::filesystem::path& folder;
  const WrittenResults& written;
  std::span<const RunMetric> metrics;
  std::string title;  // "forget traces"
  attack::SetScores attack::ScoredAttack::*set;

  bool was_read(const std::filesystem::path& file) const {
    try {
      if (give_scores(first_traces(file), metrics, set)) return true;
    } catch (const Error&) {
      return false;  // it holds no traces at all
    }
    return written.is_input(title, file);
  }

  void find(const std::filesystem::path& file, trace::TraceInput& found,
            std::vector<std::filesystem::path>& unfit) const {
    std::vector<std::filesystem::path> others;
    // Beside the audit first: a folder that was moved or copied brings its own traces.
    for (const std::filesystem::path& path :
         {folder / file, folder / "traces" / file.filename(), file}) {
      std::error_code ignored;
      if (file.empty() || !std::filesystem::is_regular_file(path, ignored)) continue;
      if (is_inside(path, folder) || was_read(path)) {
        found = path;
        return;
      }
      if (others.empty() || others.back() != path) others.push_back(path);
    }
    unfit.insert(unfit.end(), others.begin(), others.end());
  }
};

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

std::optional<attack::Answer> with_metric_name(std::optional<attack::Answer> answer) {
  if (answer && !answer->attack_name.empty()) answer->attack_name.insert(0, kAttackPrefix);
  return answer;
}

ClusterLookup clusters_of(const attack::MiaReport& audit) {
  const attack::ExampleClusters& clusters = audit.clusters;
  if (!clusters.is_given()) return {};
  return {clusters.name, cluster_names(clusters, audit.forget, clusters.forget),
          cluster_names(clusters, audit.holdout, clusters.holdout)};
}

RecordedTraces recorded_traces(const attack::MiaRecord& record, const std::filesystem::path& folder,
                               const WrittenResults& written, std::span<const RunMetric> metrics) {
  RecordedTraces recorded;
  if (attack::texts_are_left_out(record)) return recorded;
  const TraceSearch forget{folder, written, metrics, "forget traces",
                           &attack::ScoredAttack::forget};
  const TraceSearch holdout{folder, written, metrics, "holdout traces",
                            &attack::ScoredAttack::holdout};
  for (const auto& [title, text] : record) {
    if (title == forget.title) forget.find(text, recorded.traces.forget, recorded.unfit);
    if (title == holdout.title) holdout.find(text, recorded.traces.holdout, recorded.unfit);
  }
  return recorded;
}

}  // namespace palimpsest::report
