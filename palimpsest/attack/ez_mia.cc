#include "palimpsest/attack/internal/ez_mia.h"

namespace palimpsest::attack {

std::optional<double> ez_mia_score(const trace::Trace& trace, const trace::Trace& reference) {
  const std::span<const double> ours = trace::token_logprobs(trace);
  const std::span<const double> theirs = trace::token_logprobs(reference);
  if (ours.empty() || ours.size() != theirs.size() || !trace.argmax || !trace.label) {
    return std::nullopt;
  }
  double up = 0;
  double down = 0;
  bool errs = false;
  for (size_t t = 0; t < ours.size(); ++t) {
    if ((*trace.argmax)[t] == (*trace.label)[t]) continue;
    errs = true;
    const double shift = ours[t] - theirs[t];
    (shift > 0 ? up : down) += shift > 0 ? shift : -shift;
  }
  if (!errs) return 0;
  return up + down == 0 ? 0.5 : down / (up + down);
}

Attack ez_mia_attack() {
  return {
      .name = "ez_mia",
      .measures =
          "of the shift of log p against a reference at mispredicted tokens, the downward share",
      .cost = kTwoModels,
      .use = "fine-tuned models against the model they were tuned from",
      .avoid = "texts that the model predicts without an error: all of those score 0",
      .paper = "Ilić et al. 2026, arXiv 2601.12104",
      .needs = {needs_logprob(), needs_argmax()},
      .reference_needs = {needs_logprob()},
      .compare = [](const trace::Trace& trace, const trace::Trace& reference,
                    const ParameterValues&) { return ez_mia_score(trace, reference); }};
}

}  // namespace palimpsest::attack
