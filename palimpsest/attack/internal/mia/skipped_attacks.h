// Collects the attacks that an audit leaves out. Attacks with the same reason are named together,
// in the order of the table.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace palimpsest::attack {

class SkippedAttacks {
 public:
  void add(const std::string& attack, const std::string& reason);
  // One note per reason: "min_k, zlib are left out: …".
  std::vector<std::string> notes() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons_;
};

}  // namespace palimpsest::attack
