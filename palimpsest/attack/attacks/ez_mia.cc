// The error-zone attack EZ-MIA (Ilić et al. 2026, "Powerful Training-Free Membership Inference
// Against Fine-Tuned Autoregressive Language Models", arXiv 2601.12104). It looks at positions
// where the model's most likely token is wrong. Training on the text shows there too: probability
// moved towards the true token.
//
//   E = {t: argmax_t ≠ x_t},  d_t = log p(x_t) - log p_reference(x_t)
//   up = Σ_E max(d_t, 0),  down = Σ_E max(-d_t, 0)
//   score = down / (up + down)
//
// The published score is up/down, and a higher value means a member. It is unbounded. This score
// ranks examples in the same way on a bounded scale: it is 1/(1 + up/down), in [0, 1], and a higher
// value means less likely a member. If the probability only moved up, the score is 0, which is the
// most member-like. The same holds for an example without errors, as in the paper. (The paper's
// public code gives the former the least member-like score, which is a bug.) If E has tokens but
// none of them moved, there is no evidence, and the score is ½.
//
// The tokens are all labelled tokens except the last, which predicts the end. If there are none,
// the score is undefined.
#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {
namespace {

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

}  // namespace

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
