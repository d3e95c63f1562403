#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/backend.h"
#include "palimpsest/engine/internal/ops.h"

namespace palimpsest::engine {
namespace {

class CpuBackend : public Backend {
 public:
  bool has_cuda() const override { return false; }

  void check(const model::ModelOptions& options, bool /*gradients*/) const override {
    if (options.device != "cpu") {
      throw Error({.what = fmt::format("the device '{}' cannot be used here", options.device),
                   .expected = "cpu",
                   .hint = "other devices need the libtorch program, palimpsest-torch "
                           "(docs/models.md)"});
    }
    if (options.dtype.value_or(kernels::DType::kFloat32) != kernels::DType::kFloat32) {
      throw Error({.what = fmt::format("on the CPU models are computed in float32, not in {}",
                                       kernels::name_of(*options.dtype)),
                   .hint = "leave the type out (16-bit weights are read as they are), or use the "
                           "device torch"});
    }
  }

  kernels::DType compute_type(const model::ModelOptions& /*options*/,
                              kernels::DType /*stored*/) const override {
    return kernels::DType::kFloat32;
  }

  bool keeps_16bit_weights(const model::ModelOptions& /*options*/) const override { return true; }

  std::unique_ptr<Ops> make_ops(const model::Architecture& architecture,
                                const model::ModelOptions& /*options*/,
                                kernels::DType /*compute_type*/, WorkerPool& pool) const override {
    return make_cpu_ops(architecture, pool);
  }
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace palimpsest::engine
