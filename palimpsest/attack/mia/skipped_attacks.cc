#include "palimpsest/attack/internal/mia/skipped_attacks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

}  // namespace palimpsest::attack
