// The world as configurations may ask for it: environment, time, folders.
#pragma once

#include "palimpsest/config/config_context.h"

namespace palimpsest::cli {

// Of this process. Hydra would name a run's folder after the time.
config::ConfigContext surroundings();

}  // namespace palimpsest::cli
