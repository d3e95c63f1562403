// Whether the attacks of an evaluator can be believed at all (attack/mia/soundness.h): texts that tell
// the sets apart by themselves, sets that overlap, a model that answers nothing any more; and, where
// the configuration says nothing about it, examples that seem to belong together
// (attack/mia/dependence.h). Read off the traces that this run made or an earlier one left in its files, so
// that a rerun that computes nothing finds the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/eval/internal/attack_family.h"

namespace palimpsest::eval {

struct AttackSoundness {
  std::vector<attack::AnswerReason> voids;
  std::optional<attack::AnswerReason> suspected_dependence;
  std::vector<std::string> notes;
};

struct SoundnessInput {
  const AttackFamily& family;
  DataTraces forget_traces = {};
  DataTraces holdout_traces = {};
  double margin = 0.05;
  uint64_t seed = 0;
  int threads = 0;
};

// Without traces, or where they are of other examples, nothing is checked and a note says so. Sets
// that cannot be audited at all, because one stands in the other, make the answer void.
AttackSoundness check_attacks(const SoundnessInput& input);

}  // namespace palimpsest::eval
