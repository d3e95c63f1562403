#include "palimpsest/attack/internal/mia/subgroups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/base/error.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/clustered_auc.h"

namespace palimpsest::attack {
namespace {

using Facts = std::span<const ExampleFacts>;

// Which group an example of one set belongs to; nullopt: none.
using GroupOf = std::function<std::optional<size_t>(bool is_forget, size_t example)>;

void assign(std::vector<Subgroup>& groups, size_t forget, size_t holdout, const GroupOf& group_of) {
  for (size_t i = 0; i < forget; ++i) {
    if (const auto group = group_of(true, i)) groups[*group].forget.push_back(i);
  }
  for (size_t i = 0; i < holdout; ++i) {
    if (const auto group = group_of(false, i)) groups[*group].holdout.push_back(i);
  }
}

std::vector<Subgroup> by_length(Facts forget, Facts holdout) {
  std::vector<int64_t> lengths;
  for (Facts set : {forget, holdout}) {
    for (const ExampleFacts& facts : set) {
      if (facts.num_labels > 0) lengths.push_back(facts.num_labels);
    }
  }
  std::sort(lengths.begin(), lengths.end());
  if (lengths.empty() || lengths.front() == lengths.back()) return {};
  const int64_t first = lengths[(lengths.size() + 2) / 3 - 1];
  const int64_t second = lengths[(2 * lengths.size() + 2) / 3 - 1];
  std::vector<Subgroup> groups = {
      {"length", "short", fmt::format("at most {} labelled tokens", first), {}, {}},
      {"length", "medium", fmt::format("{} to {} labelled tokens", first + 1, second), {}, {}},
      {"length", "long", fmt::format("more than {} labelled tokens", second), {}, {}}};
  assign(groups, forget.size(), holdout.size(), [&](bool is_forget, size_t i) {
    const int64_t length = (is_forget ? forget : holdout)[i].num_labels;
    return length <= 0 ? std::nullopt
                       : std::optional<size_t>(length <= first    ? 0
                                               : length <= second ? 1
                                                                  : 2);
  });
  std::erase_if(groups, [](const Subgroup& g) { return g.forget.empty() && g.holdout.empty(); });
  return groups;
}

// An example's unigrams as numbers: its token ids, or hashes of its words.
using Unigrams = std::vector<uint64_t>;

// Unigrams that every example with a labelled token has.
enum class UnigramKind { kIds, kWords, kNone };

UnigramKind common_kind(Facts forget, Facts holdout) {
  bool ids = true;
  bool texts = true;
  for (Facts set : {forget, holdout}) {
    for (const ExampleFacts& facts : set) {
      if (facts.num_labels <= 0) continue;
      const auto& dropped = facts.dropped;
      ids = ids && (dropped ? dropped->had_label : facts.label.has_value());
      texts =
          texts && (dropped ? dropped->had_text && !dropped->had_label : facts.text.has_value());
    }
  }
  return ids ? UnigramKind::kIds : texts ? UnigramKind::kWords : UnigramKind::kNone;
}

Unigrams unigrams_of(const ExampleFacts& facts, UnigramKind kind) {
  if (facts.num_labels <= 0) return {};
  if (facts.dropped) return facts.dropped->unigrams;
  if (kind == UnigramKind::kIds) return {facts.label->begin(), facts.label->end()};
  Unigrams unigrams;
  for (const std::string& word : words_of(*facts.text)) unigrams.push_back(word_hash(word));
  return unigrams;
}

// How often each unigram stands in both sets.
struct UnigramTotals {
  std::unordered_map<uint64_t, int64_t> counts;
  int64_t total = 0;

  void add(uint64_t unigram, int64_t times) {
    counts[unigram] += times;
    total += times;
  }
};

std::vector<Subgroup> by_tokens(Facts forget, Facts holdout, const DroppedTotals& dropped,
                                std::vector<std::string>& notes) {
  const UnigramKind kind = common_kind(forget, holdout);
  if (kind == UnigramKind::kNone) {
    const bool all_kept = dropped.labels.empty() && dropped.words.empty();
    notes.push_back(fmt::format(
        "no split into common and rare tokens: {}",
        all_kept
            ? "some traces have neither 'label' nor 'text'"
            : "in sets of this size, all traces need 'label', or all 'text' and none 'label'"));
    return {};
  }
  UnigramTotals totals;
  for (Facts set : {forget, holdout}) {
    for (const ExampleFacts& facts : set) {
      if (facts.dropped) continue;
      for (const uint64_t unigram : unigrams_of(facts, kind)) totals.add(unigram, 1);
    }
  }
  if (kind == UnigramKind::kIds) {
    for (const auto& [id, times] : dropped.labels) totals.add(static_cast<uint64_t>(id), times);
  } else {
    for (const auto& [word, times] : dropped.words) totals.add(word, times);
  }
  std::vector<std::optional<double>> means;
  std::vector<double> sorted;
  for (Facts set : {forget, holdout}) {
    for (const ExampleFacts& facts : set) {
      means.emplace_back();
      const Unigrams example = unigrams_of(facts, kind);
      if (example.empty()) continue;
      double sum = 0;
      for (const uint64_t unigram : example) sum += static_cast<double>(totals.counts[unigram]);
      means.back() = sum / static_cast<double>(totals.total) / static_cast<double>(example.size());
      sorted.push_back(*means.back());
    }
  }
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty() || sorted.front() == sorted.back()) return {};
  const double median = sorted[sorted.size() / 2];
  std::vector<Subgroup> groups = {
      {"tokens", "rare", fmt::format("mean unigram frequency below {:.4g}", median), {}, {}},
      {"tokens", "common", fmt::format("mean unigram frequency {:.4g} or more", median), {}, {}}};
  assign(groups, forget.size(), holdout.size(), [&](bool is_forget, size_t i) {
    const auto& mean = means[is_forget ? i : forget.size() + i];
    return mean ? std::optional<size_t>(*mean < median ? 0 : 1) : std::nullopt;
  });
  return groups;
}

[[noreturn]] void no_such_column(Facts forget, Facts holdout, const std::string& key) {
  std::set<std::string> known;
  for (Facts set : {forget, holdout}) {
    for (const ExampleFacts& facts : set) {
      for (const auto& [name, value] : facts.groups) {
        if (known.size() < 20) known.insert(name);
      }
    }
  }
  throw Error({.what = fmt::format("no trace has the group column '{}'", key),
               .expected = known.empty() ? "a key of 'groups' in the traces"
                                         : fmt::format("one of {}", fmt::join(known, ", ")),
               .found = known.empty() ? "no trace has 'groups'" : ""});
}

std::vector<Subgroup> by_column(Facts forget, Facts holdout, const std::string& key,
                                std::vector<std::string>& notes) {
  std::map<std::string, size_t> values;  // in order of their names
  int64_t lacking = 0;
  for (Facts set : {forget, holdout}) {
    for (const ExampleFacts& facts : set) {
      const auto found = facts.groups.find(key);
      if (found == facts.groups.end()) {
        ++lacking;
      } else {
        values.emplace(found->second, 0);
      }
      if (values.size() > kMaxSubgroups) {
        throw Error({.what = fmt::format("the group column '{}' has more than {} different values",
                                         key, kMaxSubgroups),
                     .hint = "choose a column with few values"});
      }
    }
  }
  if (values.empty()) no_such_column(forget, holdout, key);
  if (lacking > 0) {
    notes.push_back(
        fmt::format("{} examples have no '{}' and belong to none of its groups", lacking, key));
  }
  std::vector<Subgroup> groups;
  for (auto& [value, number] : values) {
    number = groups.size();
    groups.push_back({key, value, "", {}, {}});
  }
  assign(groups, forget.size(), holdout.size(), [&](bool is_forget, size_t i) {
    const auto& columns = (is_forget ? forget : holdout)[i].groups;
    const auto found = columns.find(key);
    return found == columns.end() ? std::nullopt
                                  : std::optional<size_t>(values.find(found->second)->second);
  });
  return groups;
}

void note_small_groups(Subgroups& result) {
  std::vector<std::string> small;
  for (const Subgroup& group : result.groups) {
    const auto size = static_cast<int64_t>(std::min(group.forget.size(), group.holdout.size()));
    if (size < kMinSubgroup) small.push_back(fmt::format("{} {}", group.by, group.name));
  }
  if (small.empty()) return;
  constexpr size_t kShown = 5;
  const size_t more = small.size() - std::min(small.size(), kShown);
  small.resize(small.size() - more);
  result.notes.push_back(
      fmt::format("no AUC for groups with fewer than {} examples of either set: {}{}", kMinSubgroup,
                  fmt::join(small, ", "), more == 0 ? "" : fmt::format(" and {} more", more)));
}

}  // namespace

Subgroups find_subgroups(Facts forget, Facts holdout, std::span<const std::string> keys,
                         const DroppedTotals& dropped) {
  Subgroups result;
  auto append = [&](std::vector<Subgroup> groups) {
    std::move(groups.begin(), groups.end(), std::back_inserter(result.groups));
  };
  append(by_length(forget, holdout));
  append(by_tokens(forget, holdout, dropped, result.notes));
  for (size_t k = 0; k < keys.size(); ++k) {
    if (std::find(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(k), keys[k]) !=
        keys.begin() + static_cast<std::ptrdiff_t>(k))
      continue;
    append(by_column(forget, holdout, keys[k], result.notes));
  }
  note_small_groups(result);
  return result;
}

SubgroupOutcome evaluate(const Subgroup& group, const ScoreColumns& scores,
                         const ExampleClusters& clusters, double confidence) {
  ScoreColumn forget;
  ScoreColumn holdout;
  ExampleClusters numbers;
  for (size_t i : group.forget) {
    forget.push_back(scores.forget[i]);
    numbers.forget.push_back(clusters.forget[i]);
  }
  for (size_t i : group.holdout) {
    holdout.push_back(scores.holdout[i]);
    numbers.holdout.push_back(clusters.holdout[i]);
  }
  const stat::ClusteredScores scored = to_clustered({forget, holdout}, numbers);
  if (std::min(scored.scores.positive_count(), scored.scores.negative_count()) < kMinSubgroup)
    return {};
  SubgroupOutcome outcome{.auc = stat::auc(scored.scores), .auc_ci = {}};
  if (const auto estimate = stat::clustered_auc(scored.scores, scored.clusters))
    outcome.auc_ci = stat::auc_interval(*estimate, confidence);
  return outcome;
}

}  // namespace palimpsest::attack
