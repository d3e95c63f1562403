// privleak (Shi et al. 2024, "MUSE", arXiv 2407.06460): how far an attack's AUC is from that on a
// model which never saw the forget set, in per cent.
//
//   ((1 - auc) - (1 - ref)) / ((1 - ref) + 1e-10) · 100
//
// 0: no leak. Negative: the forget set is still recognised (under-unlearned). Positive: it looks
// less familiar than unseen text (over-unlearned).

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/internal/reference_value.h"

namespace palimpsest::eval {
namespace {

double privleak_of(std::span<const double> aucs, double reference) {
  const double ours = 1 - aucs.front();
  const double theirs = 1 - reference;
  return (ours - theirs) / (theirs + 1e-10) * 100;
}

}  // namespace

Handler privleak_handler() {
  return {.name = "privleak",
          .measures =
              "difference of an attack's 1 - AUC from that on a model that never saw the forget "
              "set, in per cent of the latter (pre_compute: forget)",
          .orientation = "0: no leak; negative: still recognised; positive: over-forgotten",
          .keys = {{"ref_value", "the AUC to compare with where no retain log is given"}},
          .needs = reference_value_needs,
          .compute =
              [](const MetricInput& input) { return compared_with_reference(input, privleak_of); },
          .combine = privleak_of,
          .compares = true};
}

}  // namespace palimpsest::eval
