// The world as configurations may ask for it: environment, time, folders.
#pragma once

#include "palimpsest/config/surroundings.h"

namespace palimpsest::cli {

// Of this process. Hydra would name a run's folder after the time.
config::Surroundings surroundings();

}  // namespace palimpsest::cli
