// Truth ratios as their mean takes them (Maini et al. 2024, "TOFU", arXiv 2401.06121). A truth ratio r
// says how likely false answers are against the true one; two aggregators look at a form of it:
//
//   closer_to_1_better   min(r, 1/(r + 1e-10))   1 where both are equally likely
//   true_better          max(0, 1 - r)           higher where the truth is preferred
//
//   truth_ratio_form(4, "true_better")   // 0
#pragma once

#include <string_view>

namespace palimpsest::stat {

inline constexpr double kTruthRatioOffset = 1e-10;  // as published

// Throws Error for a form that is none of the two; "" leaves the ratio as it is.
double truth_ratio_form(double ratio, std::string_view form);

}  // namespace palimpsest::stat
