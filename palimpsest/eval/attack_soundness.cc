#include "palimpsest/eval/internal/attack_soundness.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "palimpsest/attack/internal/example_scores.h"
#include "palimpsest/attack/internal/mia/dependence.h"
#include "palimpsest/attack/internal/mia/family.h"
#include "palimpsest/attack/internal/mia/soundness.h"
#include "palimpsest/base/error.h"

namespace palimpsest::eval {
namespace {

std::optional<attack::TraceScores> traces_of(const trace::TraceInput& traces,
                                             const PreparedData& data, int threads) {
  std::error_code ignored;
  const std::filesystem::path file = trace::file_of(traces);
  if (!trace::is_given(traces) || (!file.empty() && !std::filesystem::exists(file, ignored)))
    return std::nullopt;
  const attack::TraceScores scores = attack::score_traces(traces, {}, {.threads = threads});
  if (scores.examples.size() != data.examples.size()) return std::nullopt;
  for (size_t i = 0; i < data.examples.size(); ++i) {
    if (scores.examples[i].index != data.examples[i].index) return std::nullopt;
  }
  return scores;
}

// In the words of the configuration: what to set.
std::string setting_for(const attack::Dependence& found) {
  constexpr std::string_view kKeyOption = "--cluster-key ";
  if (found.option.starts_with(kKeyOption)) {
    return "cluster_key: " + found.option.substr(kKeyOption.size());
  }
  if (found.cluster_size > 0) return fmt::format("cluster_size: {}", found.cluster_size);
  return "cluster_size or cluster_key";
}

}  // namespace

AttackSoundness check_attacks(const SoundnessInput& input) {
  const std::optional<attack::TraceScores> forget =
      traces_of(input.traces.forget, *input.family.forget, input.threads);
  const std::optional<attack::TraceScores> holdout =
      traces_of(input.traces.holdout, *input.family.holdout, input.threads);
  AttackSoundness result;
  if (!forget || !holdout) {
    result.notes.push_back(
        "the traces of the forget and the holdout set no longer exist: whether the sets or the "
        "model make the answer void was not checked (overwrite: true computes them again)");
    return result;
  }
  try {
    attack::Soundness found = attack::check_soundness(
        *forget, *holdout, input.family.clusters,
        {.margin = input.margin, .seed = input.seed, .threads = input.threads, .stop = input.stop});
    result.void_reasons = std::move(found.void_reasons);
    result.separating_texts = attack::separating_texts(found.blind, input.margin);
    result.notes = std::move(found.notes);
  } catch (const Error& error) {
    // Sets that are the same: an evaluation has other numbers to give, so it goes on.
    result.void_reasons.push_back({"overlap", fmt::format("{}.", error.what())});
    return result;
  }
  if (input.family.choice.is_given() || input.family.choice.independent) return result;
  const std::vector<attack::FamilyMember> members = input.family.members();
  const attack::Dependence dependence =
      attack::detect_dependence(*forget, *holdout, members,
                                {.seed = input.seed, .threads = input.threads, .stop = input.stop});
  if (!dependence.suspected) return result;
  result.suspected_dependence = attack::AnswerReason{
      "dependence_suspected",
      fmt::format("Examples seem to belong together: {} Set {} of the evaluator, or independent: "
                  "true if they do not.",
                  dependence.evidence, setting_for(dependence))};
  return result;
}

}  // namespace palimpsest::eval
