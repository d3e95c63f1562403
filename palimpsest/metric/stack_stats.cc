#include "palimpsest/metric/internal/stack_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/moments_stat.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::metric {
namespace {

void require_stackable(std::string_view type) {
  constexpr std::string_view kStackable[] = {stat::MeanStat::kType, stat::SumStat::kType,
                                             stat::MomentsStat::kType};
  if (std::find(std::begin(kStackable), std::end(kStackable), type) != std::end(kStackable)) return;
  throw Error({.what = fmt::format("statistics of the type '{}' do not stack", type),
               .expected = "mean, sum or moments"});
}

const Shape& shape_of(const stat::Fields& fields) {
  return fields[0].second.shape();
}

// The fields of a stack of identities, each of the shape [extent] + shape.
stat::Fields zeros_like(const stat::Fields& fields, int64_t extent, Shape shape) {
  shape.insert(shape.begin(), extent);
  if (element_count(shape) > kMaxStackedNumbers) {
    throw Error({.what = fmt::format("a statistic of the shape {} is too large", to_string(shape)),
                 .expected = fmt::format("at most {} numbers", kMaxStackedNumbers)});
  }
  stat::Fields zeros;
  for (const auto& [name, array] : fields) zeros.emplace_back(name, Array::zeros(shape));
  return zeros;
}

}  // namespace

stat::AnyStat stack_stats(int64_t extent, const stat::AnyStat& zero,
                          const std::map<int64_t, stat::AnyStat>& elements) {
  require_stackable(zero.type());
  const stat::Fields like = (elements.empty() ? zero : elements.begin()->second).save();
  stat::Fields stacked = zeros_like(like, extent, shape_of(like));
  for (const auto& [index, stat] : elements) {
    PALIMPSEST_CHECK(index >= 0 && index < extent);
    const stat::Fields fields = stat.save();
    if (stat.type() != zero.type() || shape_of(fields) != shape_of(like)) {
      throw Error(fmt::format(
          "statistics of the types {} and {} and the shapes {} and {} do not stack", zero.type(),
          stat.type(), to_string(shape_of(like)), to_string(shape_of(fields))));
    }
    for (size_t f = 0; f < fields.size(); ++f) {
      const auto values = fields[f].second.values();
      std::copy(values.begin(), values.end(),
                stacked[f].second.values().begin() + index * std::ssize(values));
    }
  }
  return stat::load_stat(stat::default_stat_table(), zero.type(), stacked);
}

}  // namespace palimpsest::metric
