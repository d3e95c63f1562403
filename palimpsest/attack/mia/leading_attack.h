// Which attack a report speaks of first. There are three meanings, and no two are the same:
//
//   highest_auc()      the largest AUC, picked after the fact: it says which attack did best, and no
//                      interval of it alone holds
//   leading_attack()   the attack that the answer (mia/answer.h) speaks of; where it speaks of none, the
//                      one with the highest AUC
//   farthest_from_guessing()  what tells most, also of what was forgotten too hard: which curves are
//                      drawn
//
// Of equal AUCs the first counts. An attack without an AUC is never the one; nullopt if none has one.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace palimpsest {

std::optional<size_t> highest_auc(std::span<const std::optional<double>> aucs);

// `named`: which of the attacks the answer names, in the same order.
std::optional<size_t> leading_attack(std::span<const std::optional<double>> aucs,
                                     const std::vector<bool>& named);

// The attacks that have an AUC, by its distance from ½, the largest first; equals in their order.
std::vector<size_t> farthest_from_guessing(std::span<const std::optional<double>> aucs);

}  // namespace palimpsest
