// Ratio (Carlini et al. 2021, "Extracting Training Data from Large Language Models"). It works like
// Reference, but compares losses by their ratio: halving a loss of 4 counts as much as halving a
// loss of 1.
//
//   score = avg_loss / avg_loss of the reference model on the same tokens
//
// The score is undefined if there is no labelled token, or if the reference model's loss is not
// positive. A higher score means less likely a member.
#include "palimpsest/attack/attack.h"

#include <cmath>

namespace palimpsest::attack {
namespace {

std::optional<double> ratio_score(const trace::Trace& trace, const trace::Trace& reference) {
  const std::optional<double> loss = trace::avg_loss(trace);
  const std::optional<double> expected = trace::avg_loss(reference);
  if (!loss || !expected || *expected <= 0) return std::nullopt;
  const double ratio = *loss / *expected;
  // A loss of 1e-320 is positive, too, but nothing to divide by.
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

}  // namespace

Attack ratio_attack() {
  return {.name = "ratio",
          .measures = "average loss divided by that of a reference model",
          .cost = kTwoModels,
          .use = "like the attack reference, if the texts differ greatly in difficulty",
          .avoid = "texts that the reference knows by heart: it divides by almost nothing",
          .paper = "Carlini et al. 2021, arXiv 2012.07805",
          .needs = {needs_loss()},
          .reference_needs = {needs_loss()},
          .compare = [](const trace::Trace& trace, const trace::Trace& reference,
                        const ParameterValues&) { return ratio_score(trace, reference); }};
}

}  // namespace palimpsest::attack
