#include "palimpsest/attack/mia/example_clusters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/cluster_plan.h"

namespace palimpsest::attack {
namespace {

// Numbers keys in the order in which they are first seen, each with a name for people.
class ClusterNumbers {
 public:
  int64_t of(const std::string& key, const std::string& name) {
    const auto [found, is_new] = numbers_.emplace(key, static_cast<int64_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return found->second;
  }
  std::vector<std::string> take_names() { return std::move(names_); }

 private:
  std::unordered_map<std::string, int64_t> numbers_;
  std::vector<std::string> names_;
};

// Blocks of consecutive examples of one set; the alternatives of one example count as one.
std::vector<int64_t> blocks_of(const ClusterSource& set, int64_t size, const std::string& which,
                               ClusterNumbers& numbers) {
  std::vector<int64_t> clusters;
  std::unordered_map<std::string, int64_t> numbers_of_examples;
  for (const std::string& index : set.index) {
    const int64_t number =
        numbers_of_examples.emplace(index, static_cast<int64_t>(numbers_of_examples.size()))
            .first->second;
    const int64_t first = number / size * size + 1;
    const std::string name = fmt::format("{} {} to {}", which, first, first + size - 1);
    clusters.push_back(numbers.of(name, name));
  }
  return clusters;
}

std::vector<int64_t> single_examples(const ClusterSource& set, const std::string& which,
                                     ClusterNumbers& numbers) {
  std::vector<int64_t> clusters;
  for (const std::string& index : set.index) {
    clusters.push_back(numbers.of(fmt::format("{}/{}", which, index), index));
  }
  return clusters;
}

std::vector<int64_t> by_value(const ClusterSource& set, ClusterNumbers& numbers) {
  PALIMPSEST_CHECK(set.value.size() == set.index.size());
  std::vector<int64_t> clusters;
  for (const std::string& value : set.value) clusters.push_back(numbers.of(value, value));
  return clusters;
}

[[noreturn]] void lacks_key(const TraceScores& set, size_t example, const std::string& key,
                            const std::string& which) {
  std::set<std::string> known;
  for (const auto& [name, value] : set.facts[example].groups) known.insert(name);
  throw Error(
      {.what = fmt::format("the {} example '{}' has no '{}', which --cluster-key names", which,
                           set.examples[example].key(), key),
       .expected = known.empty() ? "a key of 'groups' in every trace"
                                 : fmt::format("one of {}", fmt::join(known, ", ")),
       .hint = "give every record the key, or use --cluster-size N for blocks in file order"});
}

ClusterSource source_of(const TraceScores& set, const std::string& key, const std::string& which) {
  ClusterSource source;
  for (size_t i = 0; i < set.examples.size(); ++i) {
    source.index.push_back(set.examples[i].index);
    if (key.empty()) continue;
    const auto found = set.facts[i].groups.find(key);
    if (found == set.facts[i].groups.end()) lacks_key(set, i, key, which);
    source.value.push_back(found->second);
  }
  return source;
}

}  // namespace

void require_valid(const ClusterChoice& choice) {
  if (choice.size < 0) {
    throw Error(
        {.what = "the size of a cluster must be at least 1", .found = std::to_string(choice.size)});
  }
  const int given = (choice.key.empty() ? 0 : 1) + (choice.size > 0 ? 1 : 0) + choice.independent;
  if (given > 1) {
    throw Error({.what = "examples can be grouped in one way only",
                 .hint = "give a cluster key, a cluster size or 'independent', not several"});
  }
}

int64_t ExampleClusters::count() const {
  int64_t count = 0;
  for (const auto* set : {&forget, &holdout}) {
    for (const int64_t cluster : *set) count = std::max(count, cluster + 1);
  }
  return count;
}

ExampleClusters clusters_of(const ClusterChoice& choice, const ClusterSource& forget,
                            const ClusterSource& holdout) {
  require_valid(choice);
  ClusterNumbers numbers;
  ExampleClusters clusters;
  auto number = [&](const ClusterSource& set, const std::string& which) {
    if (!choice.key.empty()) return by_value(set, numbers);
    return choice.size > 0 ? blocks_of(set, choice.size, which, numbers)
                           : single_examples(set, which, numbers);
  };
  if (choice.size > 0) clusters.name = fmt::format("blocks of {}", choice.size);
  if (!choice.key.empty()) clusters.name = choice.key;
  clusters.forget = number(forget, "forget");
  clusters.holdout = number(holdout, "holdout");
  clusters.names = numbers.take_names();
  return clusters;
}

ExampleClusters clusters_of(const ClusterChoice& choice, const TraceScores& forget,
                            const TraceScores& holdout) {
  const ClusterSource forget_source = source_of(forget, choice.key, "forget");
  return clusters_of(choice, forget_source, source_of(holdout, choice.key, "holdout"));
}

stat::ClusteredScores to_clustered(const ScoreColumns& columns, const ExampleClusters& clusters,
                                   const ScoreColumns* also) {
  stat::ClusteredScores result;
  using ScoreSpan = std::span<const std::optional<double>>;
  auto take = [](ScoreSpan scores, const ScoreSpan* others, const std::vector<int64_t>& numbers,
                 std::vector<double>& values, std::vector<int64_t>& kept) {
    PALIMPSEST_CHECK(scores.size() == numbers.size());
    for (size_t i = 0; i < scores.size(); ++i) {
      if (!scores[i] || (others != nullptr && !(*others)[i])) continue;
      values.push_back(flip_orientation(*scores[i]));
      kept.push_back(numbers[i]);
    }
  };
  take(columns.forget, also ? &also->forget : nullptr, clusters.forget, result.scores.positives,
       result.clusters.positives);
  take(columns.holdout, also ? &also->holdout : nullptr, clusters.holdout, result.scores.negatives,
       result.clusters.negatives);
  return result;
}

bool detects_any_auc(const std::optional<double>& would_detect) {
  return would_detect && *would_detect < 1;
}

std::string detectable_auc_sentence(const std::string& sizes,
                                    const std::optional<double>& would_detect) {
  if (!detects_any_auc(would_detect))
    return fmt::format("{} cannot tell any AUC from 0.5: more are needed", sizes);
  return fmt::format(
      "With {}, an audit detects an AUC of about {:.2f} or more with a probability of 80%", sizes,
      *would_detect);
}

std::optional<double> planned_detection(const ExampleClusters& clusters) {
  constexpr double kUsualCorrelation = 0.1;
  auto planned = [&](const std::vector<int64_t>& set) {
    std::vector<double> sizes(static_cast<size_t>(clusters.count()));
    for (const int64_t cluster : set) sizes[static_cast<size_t>(cluster)] += 1;
    std::erase(sizes, 0.0);
    stat::PlannedSet result{.clusters = static_cast<int64_t>(sizes.size())};
    if (sizes.empty()) return result;
    double squares = 0;
    for (const double size : sizes) squares += size * size;
    const auto items = static_cast<double>(set.size());
    result.mean_size = items / static_cast<double>(sizes.size());
    result.size_ratio = squares / items / result.mean_size;
    return result;
  };
  return stat::would_detect_planned(planned(clusters.forget), planned(clusters.holdout),
                                    clusters.is_given() ? kUsualCorrelation : 0);
}

}  // namespace palimpsest::attack
