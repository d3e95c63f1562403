#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/engine/backend.h"

namespace palimpsest::engine {
namespace {

class CpuBackend : public Backend {
 public:
  bool has_cuda() const override { return false; }

  void check(const ModelOptions& options, bool /*gradients*/) const override {
    if (options.device != "cpu") {
      throw Error({.what = fmt::format("the device '{}' cannot be used here", options.device),
                   .expected = "cpu",
                   .hint = "other devices need the libtorch program, palimpsest-torch "
                           "(docs/models.md)"});
    }
    if (options.dtype.value_or(DType::kFloat32) != DType::kFloat32) {
      throw Error({.what = fmt::format("on the CPU models are computed in float32, not in {}",
                                       name_of(*options.dtype)),
                   .hint = "leave the type out (16-bit weights are read as they are), or use the "
                           "device torch"});
    }
  }

  DType compute_type(const ModelOptions& /*options*/, DType /*stored*/) const override {
    return DType::kFloat32;
  }

  bool takes_short_weights(const ModelOptions& /*options*/) const override { return true; }

  std::unique_ptr<Ops> make_ops(const Architecture& architecture, const ModelOptions& /*options*/,
                                DType /*compute_type*/, WorkerPool& pool) const override {
    return make_cpu_ops(architecture, pool);
  }
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace palimpsest::engine
