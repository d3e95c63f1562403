// Expands a sweep (--multirun) into jobs: all combinations of the values of the overrides. As in
// Hydra's basic sweeper, the last override changes fastest.
#pragma once

#include <vector>

#include "palimpsest/config/compose.h"
#include "palimpsest/config/override.h"

namespace palimpsest::config {

// Returns the overrides of each job. An override that is given twice counts once: it has the last
// value, in the first place. Patterns (glob) are matched with the options of their group. Throws
// Error for more than 10,000 jobs.
std::vector<std::vector<Override>> expand_sweep(const ConfigSet& configs,
                                                const std::vector<Override>& overrides);

}  // namespace palimpsest::config
