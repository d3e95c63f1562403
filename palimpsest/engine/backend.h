// What differs between the places where the decoder can run: which devices and types there are, and
// the Ops for them. The CPU's is here; palimpsest/torch has libtorch's.
#pragma once

#include <memory>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/engine/ops.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::engine {

class Backend {
 public:
  virtual ~Backend() = default;

  virtual bool has_cuda() const = 0;
  // Throws Error, before anything is loaded, for a device or type that cannot be used, or gradients
  // that cannot be taken.
  virtual void check(const ModelOptions& options, bool gradients) const = 0;
  // The type of the computation for weights that are stored as `stored`.
  virtual DType compute_type(const ModelOptions& options, DType stored) const = 0;
  // Whether products widen 16-bit weights themselves, so that these may stay narrow in memory.
  virtual bool takes_short_weights(const ModelOptions& options) const = 0;
  virtual std::unique_ptr<Ops> make_ops(const Architecture& architecture,
                                        const ModelOptions& options, DType compute_type,
                                        WorkerPool& pool) const = 0;
};

// float32 in this machine's memory, by the kernels of palimpsest/kernels.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace palimpsest::engine
