#include "palimpsest/torch/internal/torch_backend.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/torch/internal/guarded.h"
#include "palimpsest/torch/internal/torch_ops.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden_models.h"

namespace palimpsest::torch {
namespace {

engine::EngineLoader loader() {
  return engine::EngineLoader({}, make_torch_backend());
}

std::string check_failure(const model::ModelOptions& options, bool gradients = false) {
  return error_of([&] { loader().check(options, gradients); });
}

TEST(TorchBackendTest, RefusesADeviceThatDoesNotExist) {
  for (const char* name :
       {"tpu", "", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:300", "Torch"}) {
    const std::string message = check_failure({.device = name});
    expect_contains(message, std::string("there is no device '") + name + "'");
    expect_contains(message, "cpu, torch, cuda or cuda:N");
  }
}

TEST(TorchBackendTest, RefusesCudaWhereThereIsNone) {
  if (at::globalContext().hasCUDA()) GTEST_SKIP() << "this libtorch finds a GPU";
  EXPECT_FALSE(loader().has_cuda());
  for (const char* name : {"cuda", "cuda:0", "cuda:7"}) {
    const std::string message = check_failure({.device = name});
    expect_contains(message, std::string("the device '") + name + "' cannot be used");
    expect_contains(message, "libtorch " + libtorch_version());
  }
}

// Nothing is read before: the folder does not exist.
TEST(TorchBackendTest, RefusesBeforeAnythingLoads) {
  const std::string message =
      error_of([] { loader().load("no/such/folder", {.device = "cuda:x"}); });
  expect_contains(message, "there is no device 'cuda:x'");
}

TEST(TorchBackendTest, RefusesGradientsWithTheReason) {
  for (const char* name : {"torch", "cuda", "cuda:1"}) {
    const std::string message = check_failure({.device = name}, true);
    expect_contains(message, "gradient norms cannot be computed");
    expect_contains(message, "only run forward");
    expect_contains(message, "on the device cpu");
  }
  EXPECT_NO_THROW(loader().check({.device = "torch"}, false));
  // A model that is there refuses them, too.
  const auto model = loader().load(golden_model_folder("llama"), {.device = "torch"});
  const model::Sequence sequence{.ids = {1, 2, 3}, .labels = {1, 2, 3}};
  const model::ScoreOptions norms{.gradient_norms = {model::NormOrder::kTwo}};
  expect_contains(error_of([&] { model->score({&sequence, 1}, norms); }), "gradient norms");
}

TEST(TorchBackendTest, TypesAreTriedBeforeAnythingLoads) {
  EXPECT_NO_THROW(loader().check({.device = "torch", .dtype = kernels::DType::kFloat32}, false));
  EXPECT_NO_THROW(loader().check({.device = "torch", .dtype = kernels::DType::kBFloat16}, false));
  // libtorch 1.13 has no such product on a CPU; later ones do.
  const model::ModelOptions half{.device = "torch", .dtype = kernels::DType::kFloat16};
  if (libtorch_version().starts_with("1.")) {
    expect_contains(check_failure(half), "does not multiply float16 on the device 'torch'");
  } else {
    const auto model = loader().load(golden_model_folder("llama"), half);
    EXPECT_EQ(model->info().dtype, "float16");
    const model::Sequence sequence{.ids = {1, 2, 3}, .labels = {1, 2, 3}};
    EXPECT_EQ(model->score({&sequence, 1}, {})[0].logprob.size(), 2u);
  }
}

// Jobs of both kinds may run in the one program.
TEST(TorchBackendTest, TheCpuStaysTheEngines) {
  EXPECT_NO_THROW(loader().check({.device = "cpu"}, true));
  expect_contains(check_failure({.device = "cpu", .dtype = kernels::DType::kBFloat16}), "float32");
  const model::Sequence sequence{.ids = {1, 2, 3, 4}, .labels = {1, 2, 3, 4}};
  const model::ScoreOptions norms{.gradient_norms = {model::NormOrder::kTwo}};
  const auto folder = golden_model_folder("llama");
  const auto expected = engine::EngineLoader().load(folder, {})->score({&sequence, 1}, norms);
  const auto found = loader().load(folder, {})->score({&sequence, 1}, norms);
  EXPECT_EQ(found[0].logprob, expected[0].logprob);
  EXPECT_EQ(found[0].gradient_norms, expected[0].gradient_norms);
}

TEST(TorchBackendTest, LibtorchUsesTheThreadsThatAreAskedFor) {
  const auto model = loader().load(golden_model_folder("llama"), {.device = "torch", .threads = 1});
  EXPECT_EQ(at::get_num_threads(), 1);
  const auto other = loader().load(golden_model_folder("llama"), {.device = "torch", .threads = 2});
  EXPECT_EQ(at::get_num_threads(), 2);
}

TEST(TorchBackendTest, SaysWhichLibtorchItIs) {
  EXPECT_TRUE(libtorch_version().starts_with("1.") || libtorch_version().starts_with("2."))
      << libtorch_version();
}

// libtorch's own message, in one line.
TEST(GuardedOpsTest, WhatLibtorchThrowsBecomesSystemError) {
  const model::Architecture architecture;
  const auto ops = make_guarded_ops(make_torch_ops(architecture, at::kFloat));
  const engine::Matrix a = ops->make(2, 3);
  const engine::Matrix b = ops->make(2, 4);
  try {
    ops->multiply(a, b, ops->make(2, 2));
    FAIL() << "shapes that do not fit were multiplied";
  } catch (const SystemError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("libtorch failed: ")) << message;
    expect_contains(message, "2x3 and 4x2");
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(GuardedOpsTest, OurOwnFailuresPassThrough) {
  EXPECT_THROW(guarded([] { PALIMPSEST_CHECK(false); }), BugError);
  EXPECT_THROW(guarded([] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_THROW(guarded([] { throw std::runtime_error("a library's own"); }), SystemError);
  EXPECT_EQ(guarded([] { return 7; }), 7);
}

}  // namespace
}  // namespace palimpsest::torch
