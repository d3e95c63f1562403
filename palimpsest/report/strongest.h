// Which of several attacks is the strongest, by their AUCs. There are two meanings, and no third:
//
//   the highest            recognises most: what a headline shows where no answer names an attack
//   farthest from guessing tells most, also of what was forgotten too hard: which curves are drawn
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace palimpsest {

// The number of the highest AUC, of equals the first; nullopt where none is defined.
std::optional<size_t> highest_auc(std::span<const std::optional<double>> aucs);

// The numbers of the AUCs that are defined, by their distance from ½, the largest first; equals in their
// order.
std::vector<size_t> farthest_from_guessing(std::span<const std::optional<double>> aucs);

}  // namespace palimpsest
