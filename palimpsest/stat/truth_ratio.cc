#include "palimpsest/stat/internal/truth_ratio.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {

double truth_ratio_form(double ratio, std::string_view form) {
  if (form.empty()) return ratio;
  if (form == "closer_to_1_better") return std::min(ratio, 1 / (ratio + kTruthRatioOffset));
  if (form == "true_better") return std::max(0.0, 1 - ratio);
  throw Error({.what = fmt::format("there is no form '{}' of a truth ratio", form),
               .expected = "closer_to_1_better or true_better"});
}

}  // namespace palimpsest::stat
