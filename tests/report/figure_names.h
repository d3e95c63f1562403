// The names of figures in their order, for the tests of this folder.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/report/figures/figure.h"

namespace palimpsest::report {

inline std::vector<std::string> names_of(const std::vector<Figure>& figures) {
  std::vector<std::string> names;
  for (const Figure& figure : figures) names.push_back(figure.name);
  return names;
}

}  // namespace palimpsest::report
