// Reference (Carlini et al. 2021, "Extracting Training Data from Large Language Models"): the loss
// compared with that of a model that did not see the example. So texts that are easy for any model
// are not mistaken for members.
//
//   score = avg_loss - avg_loss of the reference model on the same tokens
//
// The score is undefined if there is no labelled token. A higher score means less likely a member.
#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {
namespace {

std::optional<double> reference_score(const trace::Trace& trace, const trace::Trace& reference) {
  const std::optional<double> loss = trace::avg_loss(trace);
  const std::optional<double> expected = trace::avg_loss(reference);
  if (!loss || !expected) return std::nullopt;
  return *loss - *expected;
}

}  // namespace

Attack reference_attack() {
  return {.name = "reference",
          .measures = "average loss minus that of a reference model",
          .cost = kTwoModels,
          .use = "audits with a model of the same vocabulary that never saw the examples",
          .avoid = "a reference of another family or size, whose own habits then dominate",
          .paper = "Carlini et al. 2021, arXiv 2012.07805",
          .needs = {needs_loss()},
          .reference_needs = {needs_loss()},
          .compare = [](const trace::Trace& trace, const trace::Trace& reference,
                        const ParameterValues&) { return reference_score(trace, reference); }};
}

}  // namespace palimpsest::attack
