// Truth ratios in the form in which they are averaged (Maini et al. 2024, "TOFU", arXiv
// 2401.06121). A truth ratio r says how likely false answers are, compared with the true one. There
// are two forms:
//
//   closer_to_1_better   min(r, 1/(r + 1e-10))   1 if both are equally likely
//   true_better          max(0, 1 - r)           higher if the truth is more likely
//
//   truth_ratio_form(4, "true_better")   // 0
#pragma once

#include <string_view>

namespace palimpsest::stat {

inline constexpr double kTruthRatioOffset = 1e-10;  // the value of the reference implementation

// The empty form leaves the ratio unchanged. Throws Error for an unknown form.
double truth_ratio_form(double ratio, std::string_view form);

}  // namespace palimpsest::stat
