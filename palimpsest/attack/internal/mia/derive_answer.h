// Derives the answer (mia/answer.h) from the inference on the family of attacks. The rules are in
// mia/answer.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "palimpsest/attack/internal/mia/family.h"
#include "palimpsest/attack/mia/answer.h"

namespace palimpsest::attack {

struct AnswerInput {
  const FamilyInference& family;
  int64_t forget_examples = 0;
  int64_t holdout_examples = 0;
  // The reasons that make the audit void, if there are any.
  std::vector<AnswerReason> void_reasons = {};
  // Set if examples seem to belong together, and the user said neither which do nor that none do.
  std::optional<AnswerReason> suspected_dependence = {};
};

Answer answer_of(const AnswerInput& input);

}  // namespace palimpsest::attack
