// Runs the engine's decoder on libtorch. It serves the devices "torch" (libtorch on the CPU),
// "cuda" and "cuda:N", in float32, bfloat16 or float16. The device "cpu" still runs on the engine's
// own kernels.
//
//   EngineLoader loader(hub, make_torch_backend());
//   auto model = loader.load("checkpoint", {.device = "torch"});
//
// This backend computes no gradients. Before anything is loaded, it refuses requests for gradients,
// for a device that this libtorch lacks, and for a number type in which it cannot multiply
// matrices. The device "torch" sets the number of threads that libtorch uses in this process.
// Nothing else in the process changes.
#pragma once

#include <memory>
#include <string>

#include "palimpsest/engine/internal/backend.h"

namespace palimpsest::torch {

std::unique_ptr<engine::Backend> make_torch_backend();

// The version of the libtorch that is linked: "2.5.1".
std::string libtorch_version();

}  // namespace palimpsest::torch
