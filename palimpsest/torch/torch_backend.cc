#include "palimpsest/torch/internal/torch_backend.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <torch/version.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <thread>

#include "palimpsest/base/error.h"
#include "palimpsest/torch/internal/guarded.h"
#include "palimpsest/torch/internal/torch_matrix.h"
#include "palimpsest/torch/internal/torch_ops.h"

// Messages are put together without fmt: a Python package of torch has the headers of an fmt of its
// own among its headers, of another version than the library that we link.
namespace palimpsest::torch {
namespace {

std::optional<at::Device> parse_device(const std::string& name) {
  if (name == "torch") return at::Device(at::kCPU);
  if (name == "cuda") return at::Device(at::kCUDA);
  constexpr std::string_view kNumbered = "cuda:";
  constexpr int kMaxIndex = 127;  // libtorch keeps it in eight bits
  if (!name.starts_with(kNumbered)) return std::nullopt;
  int index = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kNumbered.size(), end, index);
  if (error != std::errc() || rest != end || index < 0 || index > kMaxIndex) return std::nullopt;
  return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
}

at::Device device_of(const std::string& name) {
  const std::optional<at::Device> device = parse_device(name);
  if (device) return *device;
  throw Error(
      {.what = "there is no device '" + name + "'", .expected = "cpu, torch, cuda or cuda:N"});
}

void require_device(const std::string& name, const at::Device& device) {
  if (device.is_cuda() && !at::globalContext().hasCUDA()) {
    throw Error({.what = "the device '" + name + "' cannot be used",
                 .hint = "libtorch " + libtorch_version() +
                         " was built without CUDA or finds no GPU; use cpu, or build with a CUDA "
                         "libtorch (docs/models.md)"});
  }
  try {
    at::empty({1}, at::TensorOptions().device(device));
  } catch (const c10::Error& error) {
    throw Error({.what = "the device '" + name +
                         "' cannot be used: " + first_line(error.what_without_backtrace()),
                 .hint = "name one that exists (cuda is the first)"});
  }
}

// Some builds of libtorch lack products of some types on some devices.
bool multiplies(const at::Device& device, kernels::DType dtype) {
  try {
    const at::Tensor one =
        at::ones({2, 2}, at::TensorOptions().device(device).dtype(scalar_type(dtype)));
    at::mm(one, one);
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

class TorchBackend : public engine::Backend {
 public:
  bool has_cuda() const override { return at::globalContext().hasCUDA(); }

  void check(const model::ModelOptions& options, bool gradients) const override {
    if (is_engine(options)) return engine_->check(options, gradients);
    const at::Device device = device_of(options.device);
    if (gradients) {
      throw Error({.what = "gradient norms cannot be computed on the device '" + options.device +
                           "', where models only run forward",
                   .hint = "compute them in float32 on the device cpu, or leave gradnorm out"});
    }
    require_device(options.device, device);
    if (options.dtype && !multiplies(device, *options.dtype)) {
      throw Error({.what = "libtorch " + libtorch_version() + " does not multiply " +
                           std::string(kernels::name_of(*options.dtype)) + " on the device '" +
                           options.device + "'",
                   .hint = "use another type, such as float32"});
    }
  }

  // Processors multiply float32 well and the short types badly; GPUs the other way round.
  kernels::DType compute_type(const model::ModelOptions& options,
                              kernels::DType stored) const override {
    if (is_engine(options)) return engine_->compute_type(options, stored);
    if (options.dtype) return *options.dtype;
    const at::Device device = device_of(options.device);
    return device.is_cuda() && multiplies(device, stored) ? stored : kernels::DType::kFloat32;
  }

  bool keeps_16bit_weights(const model::ModelOptions& options) const override {
    return is_engine(options) && engine_->keeps_16bit_weights(options);
  }

  std::unique_ptr<engine::Ops> make_ops(const model::Architecture& architecture,
                                        const model::ModelOptions& options,
                                        kernels::DType compute_type,
                                        WorkerPool& pool) const override {
    if (is_engine(options)) return engine_->make_ops(architecture, options, compute_type, pool);
    const at::Device device = device_of(options.device);
    if (device.is_cpu()) set_threads(options.threads);
    const auto tensors = at::TensorOptions().device(device).dtype(scalar_type(compute_type));
    return make_guarded_ops(make_torch_ops(architecture, tensors));
  }

 private:
  static bool is_engine(const model::ModelOptions& options) { return options.device == "cpu"; }

  static void set_threads(int wanted) {
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    at::set_num_threads(wanted > 0 ? wanted : std::max(1, cores));
  }

  std::unique_ptr<engine::Backend> engine_ = engine::make_cpu_backend();
};

}  // namespace

std::unique_ptr<engine::Backend> make_torch_backend() {
  // Debian 12's oneDNN dies of an illegal instruction in bfloat16 products on processors with AMX.
  // libtorch's own products do not; on the CPU it is a second opinion, not the fast way.
  at::globalContext().setUserEnabledMkldnn(false);
  return std::make_unique<TorchBackend>();
}

std::string libtorch_version() {
  return TORCH_VERSION;
}

}  // namespace palimpsest::torch
