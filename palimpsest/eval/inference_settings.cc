#include "palimpsest/eval/inference_settings.h"

#include <fmt/format.h>

#include "palimpsest/base/error.h"

namespace palimpsest::eval {

void require_valid(const InferenceSettings& settings) {
  try {
    attack::require_valid(settings.clusters);
  } catch (const Error&) {
    throw Error({.what = "examples can be grouped in one way only",
                 .expected = "one of cluster_size, cluster_key and independent",
                 .hint = "set the others to null (independent to false)"});
  }
  if (settings.margin > 0 && settings.margin < 0.5) return;
  throw Error({.what = "the margin is out of range",
               .expected = "a number between 0 and 0.5",
               .found = fmt::format("{}", settings.margin)});
}

}  // namespace palimpsest::eval
