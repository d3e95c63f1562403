// Which attacks an audit leaves out, and why: those with one reason are named together, in the order of
// the table.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace palimpsest::attack {

class LeftOut {
 public:
  void add(const std::string& attack, const std::string& reason);
  // "min_k, zlib are left out: …", one per reason.
  std::vector<std::string> notes() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons_;
};

}  // namespace palimpsest::attack
