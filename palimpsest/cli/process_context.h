// The values from outside that a configuration may refer to: environment variables, the time and
// folders.
#pragma once

#include "palimpsest/config/config_context.h"

namespace palimpsest::cli {

// Returns these values for the current process. As in Hydra, hydra.run.dir is named after the time.
config::ConfigContext process_context();

}  // namespace palimpsest::cli
