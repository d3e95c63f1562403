// Where the engine's decoder runs on libtorch: the devices "torch" (libtorch on the CPU), "cuda" and
// "cuda:N", in float32, bfloat16 or float16. "cpu" stays the engine's own.
//
//   EngineLoader loader(find_base, make_torch_backend());
//   auto model = loader.load("checkpoint", {.device = "torch"});
//
// It computes no gradients: they are refused before anything loads, and so are a device that this
// libtorch does not have and a type that it cannot multiply. Running on the device "torch" sets how
// many threads libtorch uses in this process; nothing else of the process changes.
#pragma once

#include <memory>
#include <string>

#include "palimpsest/engine/backend.h"

namespace palimpsest::torch {

std::unique_ptr<engine::Backend> make_torch_backend();

// The version of the libtorch that is linked: "2.5.1".
std::string libtorch_version();

}  // namespace palimpsest::torch
