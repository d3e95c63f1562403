#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/stat/cluster_plan.h"

namespace palimpsest::attack {

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
