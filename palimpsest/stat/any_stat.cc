#include "palimpsest/stat/any_stat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "palimpsest/stat/binned_roc_stat.h"
#include "palimpsest/stat/histogram_stat.h"
#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/moments_stat.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::stat {
namespace {

template <Statistic S>
StatKind kind(const char* summary) {
  return {.type = std::string(S::kType),
          .summary = summary,
          .load = [](const Fields& fields) -> AnyStat { return S::load(fields); }};
}

}  // namespace

void AnyStat::throw_different_types(std::string_view a, std::string_view b) {
  throw Error(fmt::format("statistics of the types '{}' and '{}' do not merge", a, b));
}

const StatTable& default_stat_table() {
  static const StatTable table = {
      kind<MeanStat>("weighted mean: accum / weight"),
      kind<SumStat>("sum: counts, confusion matrices"),
      kind<MomentsStat>("count, mean and sample variance"),
      kind<HistogramStat>("counts between fixed edges"),
      kind<BinnedRocStat>("ROC curve and AUC in constant memory"),
  };
  return table;
}

AnyStat load_stat(const StatTable& table, std::string_view type, const Fields& fields) {
  std::vector<std::string_view> known;
  for (const StatKind& kind : table) {
    if (kind.type == type) return kind.load(fields);
    known.push_back(kind.type);
  }
  throw Error({.what = fmt::format("unknown type of statistic '{}'", type),
               .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

}  // namespace palimpsest::stat
