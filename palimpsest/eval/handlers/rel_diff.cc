// rel_diff: how far a metric is from the same one of a model that never saw the forget set, in per
// cent.
//
//   (value - ref) / (ref + 1e-10) · 100

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/internal/reference_value.h"

namespace palimpsest::eval {
namespace {

double relative_difference(std::span<const double> values, double reference) {
  return (values.front() - reference) / (reference + 1e-10) * 100;
}

}  // namespace

Handler rel_diff_handler() {
  return {.name = "rel_diff",
          .measures =
              "difference of a metric from that of a model that never saw the forget set, in per "
              "cent of the latter (pre_compute: forget)",
          .orientation = "0: no difference",
          .keys = {{"ref_value", "the value to compare with where no retain log is given"}},
          .needs = reference_value_needs,
          .compute =
              [](const MetricInput& input) {
                return compared_with_reference(input, relative_difference);
              },
          .combine = relative_difference,
          .compares = true};
}

}  // namespace palimpsest::eval
