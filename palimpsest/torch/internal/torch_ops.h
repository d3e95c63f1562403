// The steps of the decoder, computed by libtorch on any device and in any type that it supports.
// They run forward only. Unlike the engine's kernels, they do not promise that a sum is taken in
// the same order whatever else is in the batch.
#pragma once

#include <ATen/core/TensorBody.h>

#include <memory>

#include "palimpsest/engine/internal/ops.h"

namespace palimpsest::torch {

// `options` has the device and the type of the computation. The architecture must outlive the
// result.
std::unique_ptr<engine::Ops> make_torch_ops(const model::Architecture& architecture,
                                            const at::TensorOptions& options);

// Wraps these steps so that exceptions of libtorch become SystemError.
std::unique_ptr<engine::Ops> make_guarded_ops(std::unique_ptr<engine::Ops> ops);

}  // namespace palimpsest::torch
