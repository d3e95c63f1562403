#include "palimpsest/attack/internal/mia/leading_attack.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "palimpsest/base/error.h"

namespace palimpsest::attack {

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

std::vector<size_t> farthest_from_guessing(std::span<const std::optional<double>> aucs) {
  std::vector<size_t> order;
  for (size_t i = 0; i < aucs.size(); ++i) {
    if (aucs[i]) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(),
                           [&](size_t i) { return std::abs(*aucs[i] - 0.5); });
  return order;
}

}  // namespace palimpsest::attack
