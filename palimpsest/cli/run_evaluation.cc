#include "palimpsest/cli/run_evaluation.h"

#include "palimpsest/base/error.h"

namespace palimpsest::cli {

void run_evaluation(const config::Value& config) {
  config.at("model");
  config.at("eval");
  throw Error({.what = "evaluations are not built yet",
               .hint = "--cfg job prints the composed configuration"});
}

}  // namespace palimpsest::cli
