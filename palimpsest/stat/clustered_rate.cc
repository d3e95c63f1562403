#include "palimpsest/stat/internal/clustered_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/internal/student_t.h"

namespace palimpsest::stat {
namespace {

struct FlagCount {
  double items = 0;
  double set = 0;  // whose flag is set

  void add(bool flag) {
    items += 1;
    set += flag ? 1 : 0;
  }
};

struct CountedFlags {
  FlagCount all;
  std::vector<FlagCount> clusters;  // those that have items
};

CountedFlags count_flags(const ClusteredFlags& items) {
  if (items.flags.empty() || items.flags.size() != items.clusters.size()) {
    throw Error({.what = "a rate needs items, and one cluster number per item",
                 .found = fmt::format("{} items and {} numbers", items.flags.size(),
                                      items.clusters.size())});
  }
  std::vector<FlagCount> counted(
      static_cast<size_t>(*std::ranges::max_element(items.clusters) + 1));
  CountedFlags counts;
  for (size_t i = 0; i < items.flags.size(); ++i) {
    counted[static_cast<size_t>(items.clusters[i])].add(items.flags[i]);
    counts.all.add(items.flags[i]);
  }
  std::ranges::copy_if(counted, std::back_inserter(counts.clusters),
                       [](const FlagCount& cluster) { return cluster.items > 0; });
  return counts;
}

std::optional<double> design_effect_of(const CountedFlags& counts) {
  const FlagCount& all = counts.all;
  if (all.set == 0 || all.set == all.items) return std::nullopt;
  const auto groups = static_cast<double>(counts.clusters.size());
  // One cluster holds everything: it is worth one item.
  if (groups == 1) return all.items;
  const double share = all.set / all.items;
  double squares = 0;
  for (const FlagCount& cluster : counts.clusters) {
    // The share without the cluster, less the share.
    const double change = (share * cluster.items - cluster.set) / (all.items - cluster.items);
    squares += change * change;
  }
  const double variance = (groups - 1) / groups * squares;
  return std::max(1.0, variance / (share * (1 - share) / (all.items - 1)));
}

}  // namespace

std::optional<double> share_design_effect(const ClusteredFlags& items) {
  return design_effect_of(count_flags(items));
}

Interval clustered_rate_interval(const ClusteredFlags& items, double confidence,
                                 std::optional<double> elsewhere) {
  const CountedFlags counts = count_flags(items);
  const double count = counts.all.items;
  const auto groups = static_cast<double>(counts.clusters.size());
  // Whatever rounding would make of a ratio of 1.
  if (groups == count) {
    return clopper_pearson(static_cast<int64_t>(counts.all.set), static_cast<int64_t>(count),
                           confidence);
  }
  const double largest = count / groups;
  const double effect =
      design_effect_of(counts).value_or(std::max(1.0, elsewhere.value_or(largest)));
  double effective = 1;
  if (groups > 1) {
    const double price = two_sided_t(confidence, count - 1) / two_sided_t(confidence, groups - 1);
    effective = std::max(1.0, count / effect * price * price);
  }
  return clopper_pearson_scaled(counts.all.set / count * effective, effective, confidence);
}

}  // namespace palimpsest::stat
