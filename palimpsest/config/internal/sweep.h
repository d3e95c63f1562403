// The jobs of a sweep (--multirun): every combination of the values of the overrides, in the order
// of Hydra's basic sweeper: the last override changes fastest.
#pragma once

#include <vector>

#include "palimpsest/config/compose.h"
#include "palimpsest/config/override.h"

namespace palimpsest::config {

// The overrides of each job. One that is given twice counts once, the last one in the place of the
// first. Patterns (glob) look at the options of their group. Throws Error beyond 10,000 jobs.
std::vector<std::vector<Override>> expand_sweep(const ConfigSet& configs,
                                                const std::vector<Override>& overrides);

}  // namespace palimpsest::config
