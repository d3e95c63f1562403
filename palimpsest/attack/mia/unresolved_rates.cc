#include "palimpsest/attack/internal/mia/unresolved_rates.h"

#include <fmt/format.h>

#include "palimpsest/stat/tpr_interval.h"

namespace palimpsest::attack {

std::vector<UnresolvedRate> unresolved_rates(const MiaReport& report) {
  std::vector<UnresolvedRate> rates;
  for (double fpr : report.fprs) {
    const int64_t needed = stat::negatives_for_fpr(fpr);
    if (static_cast<int64_t>(report.holdout.size()) >= needed) continue;
    rates.push_back(
        {fpr, needed,
         fmt::format("TPR at {:g}% FPR is n/a: it needs at least {} holdout examples, there are {}",
                     100 * fpr, needed, report.holdout.size())});
  }
  return rates;
}

}  // namespace palimpsest::attack
