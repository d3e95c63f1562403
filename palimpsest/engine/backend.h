// A backend is a way to run the decoder: it knows which devices and types are available, and makes
// the Ops (the basic operations) for them. The CPU backend is declared here; the libtorch backend
// is in palimpsest/torch.
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

class Backend {
 public:
  virtual ~Backend() = default;

  virtual bool has_cuda() const = 0;
  // Throws Error, before anything is loaded, for a device or type that cannot be used, or gradients
  // that cannot be taken.
  virtual void check(const model::ModelOptions& options, bool gradients) const = 0;
  // The type of the computation for weights that are stored as `stored`.
  virtual kernels::DType compute_type(const model::ModelOptions& options,
                                      kernels::DType stored) const = 0;
  // Whether matrix products can read 16-bit weights directly, so that the weights may stay 16-bit
  // in memory.
  virtual bool keeps_16bit_weights(const model::ModelOptions& options) const = 0;
  virtual std::unique_ptr<Ops> make_ops(const model::Architecture& architecture,
                                        const model::ModelOptions& options,
                                        kernels::DType compute_type, WorkerPool& pool) const = 0;
};

// The CPU backend: float32, computed by the kernels of palimpsest/kernels.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace palimpsest::engine
