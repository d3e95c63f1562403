#include "palimpsest/attack/internal/mia/left_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "palimpsest/stat/tpr_interval.h"

namespace palimpsest::attack {

void SkippedAttacks::add(const std::string& attack, const std::string& reason) {
  for (auto& [known, attacks] : reasons_) {
    if (known != reason) continue;
    attacks.push_back(attack);
    return;
  }
  reasons_.push_back({reason, {attack}});
}

std::vector<std::string> SkippedAttacks::notes() const {
  std::vector<std::string> notes;
  for (const auto& [reason, attacks] : reasons_) {
    notes.push_back(fmt::format("{} {} left out: {}", fmt::join(attacks, ", "),
                                attacks.size() == 1 ? "is" : "are", reason));
  }
  return notes;
}

std::vector<UnresolvedRate> unresolved_rates(const MiaReport& report) {
  std::vector<UnresolvedRate> rates;
  for (double fpr : report.fprs) {
    const int64_t needed = stat::negatives_for_fpr(fpr);
    if (static_cast<int64_t>(report.holdout.size()) >= needed) continue;
    rates.push_back(
        {fpr, needed,
         fmt::format("TPR at {:g}% FPR is n/a: it needs at least {} holdout examples, and there "
                     "are {}",
                     100 * fpr, needed, report.holdout.size())});
  }
  return rates;
}

}  // namespace palimpsest::attack
