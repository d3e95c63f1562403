// Which attack a report names first. There are three different choices:
//
//   highest_auc()             the attack with the largest AUC. It is chosen after the fact, so the
//                             attack's own confidence interval is no longer valid
//   leading_attack()          the attack that the answer (mia/answer.h) names; if it names none,
//                             the attack with the highest AUC
//   farthest_from_guessing()  the attacks whose AUC is farthest from ½ in either direction, so that
//                             over-forgetting shows too. They decide which curves are drawn
//
// Among equal AUCs the first attack is chosen. An attack without an AUC is never chosen; the result
// is nullopt if no attack has one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace palimpsest::attack {

std::optional<size_t> highest_auc(std::span<const std::optional<double>> aucs);

struct NamedAuc {
  std::string name;
  std::optional<double> auc;
};

// `named` is Answer::attack_name.
std::optional<size_t> leading_attack(std::span<const NamedAuc> attacks, const std::string& named);

// The attacks that have an AUC, by its distance from ½, the largest first. Attacks with equal
// distances keep their order.
std::vector<size_t> farthest_from_guessing(std::span<const std::optional<double>> aucs);

}  // namespace palimpsest::attack
