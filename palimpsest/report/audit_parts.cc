#include "palimpsest/report/internal/audit_parts.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/eval/internal/read_results.h"
#include "palimpsest/report/internal/cluster_lookup.h"
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

ClusterLookup clusters_of(const attack::MiaReport& audit) {
  const attack::ExampleClusters& clusters = audit.clusters;
  if (!clusters.is_given()) return {};
  return {clusters.name, cluster_names(clusters, audit.forget, clusters.forget),
          cluster_names(clusters, audit.holdout, clusters.holdout)};
}

std::optional<attack::Answer> with_metric_name(std::optional<attack::Answer> answer) {
  if (answer && !answer->attack_name.empty()) answer->attack_name.insert(0, kAttackPrefix);
  return answer;
}

// One set of an audit, whose traces are looked for.
struct TraceSearch {
  const std::filesystem::path& folder;
  const WrittenResults& written;
  std::span<const RunMetric> metrics;
  std::string title;  // "forget traces"
  attack::SetScores attack::ScoredAttack::*set;

  void find(const std::filesystem::path& file, trace::TraceInput& found,
            std::vector<UnfitTraces>& unfit) const {
    std::vector<UnfitTraces> others;
    // Beside the audit first: a folder that was moved or copied brings its own traces.
    for (const std::filesystem::path& path :
         {folder / file, folder / "traces" / file.filename(), file}) {
      std::error_code ignored;
      if (file.empty() || !std::filesystem::is_regular_file(path, ignored)) continue;
      std::string why = why_unfit(path);
      if (why.empty()) {
        found = path;
        return;
      }
      others.push_back({path, std::move(why)});
    }
    unfit.insert(unfit.end(), others.begin(), others.end());
  }

 private:
  // Empty if the audit read or wrote the file. A file in the folder is not trusted either: the
  // traces of an earlier audit may still be there.
  std::string why_unfit(const std::filesystem::path& file) const {
    const std::string name = name_in_folder(file);
    try {
      if (written.has_hash(name)) {
        written.require(name);
        return "";
      }
      if (written.is_input(title, file)) return "";
      // All results are listed: traces of the same scores may still have other texts.
      const bool is_inside = !name.empty() && !name.starts_with("../");
      if (is_inside && written.lists_results())
        return "provenance.json does not list this file, and the audit read another one";
      if (give_scores(first_traces(file), metrics, set)) return "";
    } catch (const Error& error) {
      // WrittenResults names the file by the folder, the other readers as it was looked for.
      return without_folder(without_folder(error.what(), folder / name), file);
    }
    return fmt::format(
        "nothing shows that the audit read this file, because it does not give the audit's scores, "
        "and {}",
        written.has_input(title) ? "its SHA-256 is not the one in provenance.json"
                                 : "no SHA-256 of it is recorded");
  }

  // As provenance.json names the files of the results.
  std::string name_in_folder(const std::filesystem::path& file) const {
    const auto whole = [](const std::filesystem::path& path) {
      return std::filesystem::absolute(path).lexically_normal();
    };
    return whole(file).lexically_relative(whole(folder)).generic_string();
  }

  // Pages name files, but not where they are.
  static std::string without_folder(std::string message, const std::filesystem::path& file) {
    const std::string path = file.string();
    if (const size_t found = message.find(path); found != std::string::npos)
      message.replace(found, path.size(), file.filename().string());
    return message;
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

RunRecordFile audit_record(const Json& audit, const std::string& where) {
  RunRecordFile record;
  record.run.answer = with_metric_name(member_answer(audit, where));
  record.run.flags = member_flags(audit, where);
  if (const Json* clusters = find_member(audit, "clusters"))
    record.clusters = ClusterLookup(*clusters, where);
  return record;
}

RunRecordFile audit_record(const attack::MiaReport& audit) {
  RunRecordFile record;
  record.run.answer = with_metric_name(audit.answer);
  record.run.flags = audit.flags;
  record.clusters = clusters_of(audit);
  return record;
}

eval::MetricResult audit_result(const Json& entry, const std::string& name,
                                const std::string& where) {
  eval::MetricResult result = eval::result_from_json(entry, fmt::format("{}: {}", where, name));
  if (result.scored) {
    result.scored->name = name;
    result.scored->attack = attack::row_named_in(name);
    result.scored->auc_ci = member_interval(entry, "auc_ci");
    result.scored->auc_ci_simultaneous = member_interval(entry, "auc_ci_simultaneous");
  }
  return result;
}

RecordedTraces recorded_traces(const attack::MiaRecord& record, const std::filesystem::path& folder,
                               const WrittenResults& written, std::span<const RunMetric> metrics) {
  RecordedTraces recorded;
  if (attack::texts_are_left_out(record) || written.texts_are_left_out()) return recorded;
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
