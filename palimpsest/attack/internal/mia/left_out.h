// What an audit leaves out, and the notes about it: attacks that the traces do not allow, and false
// positive rates that the holdout set is too small for.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia.h"

namespace palimpsest::attack {

// Collects attacks. Those with the same reason are named together, in the order of the table.
class SkippedAttacks {
 public:
  void add(const std::string& attack, const std::string& reason);
  // One note per reason: "min_k, zlib are left out: …".
  std::vector<std::string> notes() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons_;
};

struct UnresolvedRate {
  double fpr = 0;
  int64_t needed = 0;  // the number of holdout examples that it needs
  std::string note;    // the report's note about it
};

// Of the rates that were asked for.
std::vector<UnresolvedRate> unresolved_rates(const MiaReport& report);

}  // namespace palimpsest::attack
