#include "palimpsest/attack/internal/mia/leading_attack.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace palimpsest::attack {

std::optional<size_t> highest_auc(std::span<const std::optional<double>> aucs) {
  std::optional<size_t> highest;
  for (size_t i = 0; i < aucs.size(); ++i) {
    if (aucs[i] && (!highest || *aucs[i] > *aucs[*highest])) highest = i;
  }
  return highest;
}

std::optional<size_t> leading_attack(std::span<const NamedAuc> attacks, const std::string& named) {
  std::vector<std::optional<double>> aucs;
  for (size_t i = 0; i < attacks.size(); ++i) {
    if (!named.empty() && attacks[i].name == named && attacks[i].auc) return i;
    aucs.push_back(attacks[i].auc);
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
