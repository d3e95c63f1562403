#include "palimpsest/attack/reference.h"

namespace palimpsest {

std::optional<double> reference_score(const Trace& trace, const Trace& reference) {
  const std::optional<double> loss = avg_loss(trace);
  const std::optional<double> expected = avg_loss(reference);
  if (!loss || !expected) return std::nullopt;
  return *loss - *expected;
}

Attack reference_attack() {
  return {.name = "reference",
          .measures = "average loss minus that of a reference model",
          .cost = kTwoModels,
          .use = "a model of the same vocabulary that never saw the examples is at hand",
          .avoid = "a reference of another family or size, whose own habits then dominate",
          .paper = "Carlini et al. 2021, arXiv 2012.07805",
          .needs = {needs_loss()},
          .reference_needs = {needs_loss()},
          .compare = [](const Trace& trace, const Trace& reference, const ParameterValues&) {
            return reference_score(trace, reference);
          }};
}

}  // namespace palimpsest
