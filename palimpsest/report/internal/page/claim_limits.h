// The limits of an audit's claim in words: what the answer is about, and what it does not say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"

namespace palimpsest::report {

struct ClaimFacts {
  std::optional<attack::Answer> answer = {};  // nullopt: no answer was drawn
  int64_t forget = 0;                         // number of records; 0: not known
  int64_t holdout = 0;
  std::vector<std::string> attacks = {};  // their titles
  // The p-value of the classifier that saw only the texts; nullopt if it is not known.
  std::optional<double> texts_p_value = {};
};

// One or two sentences each, the most important first. Empty if nothing was claimed.
std::vector<std::string> claim_limits(const ClaimFacts& facts);

}  // namespace palimpsest::report
