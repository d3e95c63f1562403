// Checks whether the attacks of an evaluator can be believed (attack/internal/mia/soundness.h): the
// texts alone may distinguish the sets, the sets may overlap, or the model may no longer answer
// anything. If the configuration does not say how examples are clustered, it also checks whether
// they seem to belong together (attack/internal/mia/dependence.h). The checks use the traces of
// this run or the files of an earlier run, so a second run that computes nothing finds the same.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/red_flags.h"
#include "palimpsest/eval/internal/attack_family.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::eval {

struct AttackSoundness {
  std::vector<attack::AnswerReason> void_reasons;
  std::optional<attack::SeparatingTexts> separating_texts;
  std::optional<attack::AnswerReason> suspected_dependence;
  std::vector<std::string> notes;
};

struct SoundnessInput {
  const AttackFamily& family;
  trace::BothSets<trace::TraceInput> traces = {};
  double margin = 0.05;
  uint64_t seed = 0;
  int threads = 0;
  std::stop_token stop = {};  // once it requests a stop, the checks throw Stopped
};

// If there are no traces, or if they are of other examples, nothing is checked and a note says so.
// Sets that cannot be audited, because one contains the other, make the answer void.
AttackSoundness check_attacks(const SoundnessInput& input);

}  // namespace palimpsest::eval
