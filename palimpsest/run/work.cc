#include "palimpsest/run/work.h"

#include "palimpsest/run/team.h"

namespace palimpsest::run {

bool WorkOptions::splits_layers() const {
  return team != nullptr && team->splits_layers();
}

bool WorkOptions::follows() const {
  return team != nullptr && !team->is_leader();
}

}  // namespace palimpsest::run
