// The steps of the decoder by libtorch's operators: on any device and in any type that it has.
// Forward only; nothing here promises that a sum is taken in the same order whatever stands beside
// it.
#pragma once

#include <ATen/core/TensorBody.h>

#include <memory>

#include "palimpsest/engine/internal/ops.h"

namespace palimpsest::torch {

// `options` are device and type of the computation. The architecture must outlive the result.
std::unique_ptr<engine::Ops> make_torch_ops(const model::Architecture& architecture,
                                            const at::TensorOptions& options);

// The same steps; what libtorch throws in them becomes SystemError.
std::unique_ptr<engine::Ops> make_guarded_ops(std::unique_ptr<engine::Ops> ops);

}  // namespace palimpsest::torch
