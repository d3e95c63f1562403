// A backend runs the decoder on certain devices. It knows the available devices and number types,
// and makes the Ops (the basic operations of a decoder) for them. The CPU backend is declared here;
// the libtorch backend is in palimpsest/torch.
#pragma once

#include <memory>

#include "palimpsest/kernels/dtype.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest {
class WorkerPool;
}  // namespace palimpsest
namespace palimpsest::model {
struct Architecture;
}  // namespace palimpsest::model

namespace palimpsest::engine {

class Ops;

// Threads may share a backend; it has no state that changes.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual bool has_cuda() const = 0;
  // Throws Error if the device or the type cannot be used, or if `gradients` is true and gradients
  // cannot be computed. Called before anything is loaded.
  virtual void check(const model::ModelOptions& options, bool gradients) const = 0;
  // The number type of the computation, for weights that are stored as `stored`.
  virtual kernels::DType compute_type(const model::ModelOptions& options,
                                      kernels::DType stored) const = 0;
  // Whether matmuls can read 16-bit weights directly, so that the weights may stay in 16 bits in
  // memory.
  virtual bool keeps_16bit_weights(const model::ModelOptions& options) const = 0;
  virtual std::unique_ptr<Ops> make_ops(const model::Architecture& architecture,
                                        const model::ModelOptions& options,
                                        kernels::DType compute_type, WorkerPool& pool) const = 0;
};

// The CPU backend. It computes in float32 with the functions of palimpsest/kernels.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace palimpsest::engine
