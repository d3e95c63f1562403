#include "palimpsest/lab/fused_ops.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/triu.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <functional>
#include <limits>

#include "palimpsest/base/random.h"

namespace palimpsest::lab {
namespace {

at::Tensor normal(at::IntArrayRef shape, uint64_t seed) {
  at::Tensor made = at::empty(shape, at::kFloat);
  Random random(seed);
  for (int64_t i = 0; i < made.numel(); ++i) {
    made.data_ptr<float>()[i] = static_cast<float>(random.normal());
  }
  return made;
}

using Operator = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

// Value and gradients of Σ out · c for fixed random numbers c.
std::vector<at::Tensor> value_and_gradients(const Operator& f,
                                            const std::vector<at::Tensor>& inputs) {
  const c10::AutoGradMode recording(true);
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& input : inputs) {
    leaves.push_back(input.detach().clone().set_requires_grad(true));
  }
  const at::Tensor out = f(leaves);
  std::vector<at::Tensor> results =
      ::torch::autograd::grad({(out * normal(out.sizes(), 99)).sum()}, leaves);
  results.push_back(out.detach());
  return results;
}

// The fused operator and what autograd makes of plain ones.
void expect_same(const Operator& fused, const Operator& plain,
                 const std::vector<at::Tensor>& inputs) {
  const std::vector<at::Tensor> found = value_and_gradients(fused, inputs);
  const std::vector<at::Tensor> expected = value_and_gradients(plain, inputs);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].sizes(), expected[i].sizes());
    const float furthest = *(found[i] - expected[i]).abs().max().data_ptr<float>();
    EXPECT_LT(furthest, 2e-5) << "result " << i;
  }
}

TEST(FusedOpsTest, RmsNorm) {
  for (const int64_t width : {5, 16, 50}) {  // 16 numbers are summed side by side
    expect_same([](const auto& in) { return rms_norm(in[0], in[1], 1e-3); },
                [](const auto& in) {
                  return in[0] * at::rsqrt((in[0] * in[0]).mean(-1, true) + 1e-3) * in[1];
                },
                {normal({7, width}, 1), normal({width}, 2)});
  }
}

TEST(FusedOpsTest, GatedSilu) {
  expect_same(
      [](const auto& in) { return gated_silu(in[0]); },
      [](const auto& in) { return at::silu(in[0].narrow(1, 0, 19)) * in[0].narrow(1, 19, 19); },
      {normal({6, 38}, 3) * 3});
}

TEST(FusedOpsTest, GatedSiluOfHugeNumbersIsFinite) {
  const at::Tensor huge = at::full({1, 4}, 1e4, at::kFloat);
  EXPECT_FLOAT_EQ(*gated_silu(huge).data_ptr<float>(), 1e8F);
  EXPECT_NEAR(*gated_silu(-huge).data_ptr<float>(), 0, 1e-20);
}

// Turns pairs (i, i + head_dim / 2) of x [B, T, H, head_dim].
at::Tensor rotated(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine) {
  const int64_t half = x.size(3) / 2;
  const at::Tensor c = cosine.unsqueeze(1);
  const at::Tensor s = sine.unsqueeze(1);
  const at::Tensor first = x.narrow(3, 0, half);
  const at::Tensor second = x.narrow(3, half, half);
  return at::cat({first * c - second * s, second * c + first * s}, 3);
}

TEST(FusedOpsTest, CausalAttention) {
  const AttentionShape shape{.sequences = 3, .length = 21, .heads = 2, .head_dim = 6, .scale = 0.4};
  const at::Tensor angles = normal({shape.length, shape.head_dim / 2}, 4);
  const at::Tensor cosine = angles.cos();
  const at::Tensor sine = angles.sin();
  const auto plain = [&](const std::vector<at::Tensor>& in) {
    const int64_t h = shape.heads;
    const at::Tensor qkv = in[0].view({shape.sequences, shape.length, 3 * h, shape.head_dim});
    const auto part = [&](int64_t i) { return qkv.narrow(2, i * h, h); };
    const at::Tensor q = rotated(part(0), cosine, sine).transpose(1, 2);
    const at::Tensor k = rotated(part(1), cosine, sine).transpose(1, 2);
    const at::Tensor mask =
        at::full({shape.length, shape.length}, -std::numeric_limits<float>::infinity(), at::kFloat)
            .triu(1);
    const at::Tensor weights =
        at::softmax(at::matmul(q, k.transpose(2, 3)) * shape.scale + mask, -1);
    return at::matmul(weights, part(2).transpose(1, 2))
        .transpose(1, 2)
        .reshape({shape.sequences * shape.length, h * shape.head_dim});
  };
  expect_same([&](const auto& in) { return causal_attention(in[0], cosine, sine, shape); }, plain,
              {normal({shape.sequences * shape.length, 3 * shape.heads * shape.head_dim}, 5)});
}

}  // namespace
}  // namespace palimpsest::lab
