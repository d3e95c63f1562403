#include "palimpsest/attack/mia/leading_attack.h"

#include "palimpsest/base/error.h"

namespace palimpsest {

std::optional<size_t> highest_auc(std::span<const std::optional<double>> aucs) {
  std::optional<size_t> highest;
  for (size_t i = 0; i < aucs.size(); ++i) {
    if (aucs[i] && (!highest || *aucs[i] > *aucs[*highest])) highest = i;
  }
  return highest;
}

std::optional<size_t> leading_attack(std::span<const std::optional<double>> aucs,
                                     const std::vector<bool>& named) {
  PALIMPSEST_CHECK(named.size() == aucs.size());
  for (size_t i = 0; i < aucs.size(); ++i) {
    if (named[i] && aucs[i]) return i;
  }
  return highest_auc(aucs);
}

}  // namespace palimpsest
