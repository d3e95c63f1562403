// The red flags of a run, from its answer and its metrics (attack/mia/red_flags.h).
#pragma once

#include <vector>

#include "palimpsest/attack/mia/red_flags.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

std::vector<attack::RedFlag> run_flags(const RunResults& run);

}  // namespace palimpsest::report
