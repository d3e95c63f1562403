// What differs between the two programs that these sources make: `palimpsest` links
// engine_program.cc, `palimpsest-torch`, to which it hands over (handover.h), torch_program.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "palimpsest/engine/backend.h"

namespace palimpsest::cli {

// What runs the models.
std::unique_ptr<engine::Backend> make_backend();

// The version of libtorch; nothing: this program does not link it.
std::optional<std::string> linked_libtorch();

}  // namespace palimpsest::cli
