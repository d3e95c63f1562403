#include "palimpsest/torch/weights.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

#include <limits>

#include "palimpsest/kernels/widen.h"
#include "tests/support/expect_error.h"
#include "tests/torch/checkpoint_copy.h"

namespace palimpsest::torch {
namespace {

WeightSource source_of(const std::filesystem::path& folder, WorkerPool& pool) {
  const std::filesystem::path config = folder / "config.json";
  return {read_architecture(read_file(config), config.string()), Checkpoint::open(folder),
          Adapter::open(folder), pool};
}

class WeightSourceTest : public testing::Test {
 protected:
  WeightSource golden(const std::string& name) {
    return source_of(golden_model_folder(name), pool_);
  }
  // A stored tensor as it is, widened.
  static at::Tensor stored(const WeightSource& source, const std::string& name) {
    const TensorView& view = *source.checkpoint().find(name);
    at::Tensor tensor = at::empty(view.shape, at::kFloat);
    EXPECT_TRUE(
        kernels::widen(view.dtype, view.bytes.data(), tensor.numel(), tensor.data_ptr<float>()));
    return tensor;
  }
  std::string failure(const CheckpointCopy& copy) {
    const auto folder = copy.write();
    return error_of([&] { source_of(folder, pool_); });
  }

  WorkerPool pool_{2};
};

TEST_F(WeightSourceTest, ProjectionsOneBelowTheOther) {
  const WeightSource source = golden("qwen2");
  const LayerWeights layer = source.layer(1);
  std::vector<at::Tensor> weights;
  std::vector<at::Tensor> biases;
  for (const char* part : {"q", "k", "v"}) {
    const std::string name = std::string("model.layers.1.self_attn.") + part + "_proj.";
    weights.push_back(stored(source, name + "weight"));
    biases.push_back(stored(source, name + "bias"));
  }
  EXPECT_TRUE(at::equal(layer.query_key_value.weight, at::cat(weights)));
  EXPECT_TRUE(at::equal(layer.query_key_value.bias, at::cat(biases)));
  EXPECT_TRUE(at::equal(layer.mlp_in.weight,
                        at::cat({stored(source, "model.layers.1.mlp.gate_proj.weight"),
                                 stored(source, "model.layers.1.mlp.up_proj.weight")})));
  EXPECT_FALSE(layer.attention_out.bias.defined());
  EXPECT_FALSE(layer.query_norm.weight.defined());
}

TEST_F(WeightSourceTest, FusedAsStored) {
  const WeightSource source = golden("phi3");
  const LayerWeights layer = source.layer(0);
  EXPECT_TRUE(at::equal(layer.query_key_value.weight,
                        stored(source, "model.layers.0.self_attn.qkv_proj.weight")));
  EXPECT_TRUE(
      at::equal(layer.mlp_in.weight, stored(source, "model.layers.0.mlp.gate_up_proj.weight")));
}

// GPT-NeoX stores each head's query, key and value together.
TEST_F(WeightSourceTest, FusedByHeadIsSortedByPart) {
  const WeightSource source = golden("gpt_neox");
  const Architecture& a = source.architecture();
  const std::string name = "gpt_neox.layers.1.attention.query_key_value.";
  const at::Tensor weight = stored(source, name + "weight");
  const at::Tensor bias = stored(source, name + "bias");
  const LinearWeights found = source.layer(1).query_key_value;
  ASSERT_EQ(found.weight.sizes(), weight.sizes());
  for (int64_t part = 0; part < 3; ++part) {
    for (int64_t head = 0; head < a.num_heads; ++head) {
      for (int64_t i = 0; i < a.head_dim; ++i) {
        const int64_t to = (part * a.num_heads + head) * a.head_dim + i;
        const int64_t from = (head * 3 + part) * a.head_dim + i;
        ASSERT_TRUE(at::equal(found.weight[to], weight[from])) << part << " " << head << " " << i;
        ASSERT_TRUE(at::equal(found.bias[to], bias[from])) << part << " " << head << " " << i;
      }
    }
  }
}

TEST_F(WeightSourceTest, TransposedAsGpt2Stores) {
  for (const char* folder : {"gpt2", "gpt2_bare"}) {
    const WeightSource source = golden(folder);
    const std::string prefix = std::string(folder) == "gpt2" ? "transformer." : "";
    const LayerWeights layer = source.layer(1);
    EXPECT_TRUE(at::equal(layer.query_key_value.weight,
                          stored(source, prefix + "h.1.attn.c_attn.weight").t()));
    EXPECT_TRUE(
        at::equal(layer.mlp_out.weight, stored(source, prefix + "h.1.mlp.c_proj.weight").t()));
    EXPECT_TRUE(at::equal(source.positions(), stored(source, prefix + "wpe.weight")));
  }
}

TEST_F(WeightSourceTest, RowsOfEmbeddingAndHead) {
  const WeightSource untied = golden("llama");
  const at::Tensor embedding = stored(untied, "model.embed_tokens.weight");
  EXPECT_TRUE(at::equal(untied.embedding_rows(3, 10), embedding.narrow(0, 3, 7)));
  EXPECT_TRUE(
      at::equal(untied.head_rows(90, 101), stored(untied, "lm_head.weight").narrow(0, 90, 11)));
  std::vector<float> row(static_cast<size_t>(embedding.size(1)));
  untied.embedding_row(100, row.data());
  EXPECT_TRUE(at::equal(at::from_blob(row.data(), {embedding.size(1)}), embedding[100]));
  const WeightSource tied = golden("llama_gqa_tied");
  EXPECT_TRUE(at::equal(tied.head_rows(5, 9), tied.embedding_rows(5, 9)));
  EXPECT_FALSE(untied.head_bias().defined());
  EXPECT_TRUE(golden("phi").head_bias().defined());
}

TEST_F(WeightSourceTest, NamesAMissingTensor) {
  CheckpointCopy copy("llama");
  copy.remove("model.layers.1.mlp.up_proj.weight");
  const std::string message = failure(copy);
  expect_contains(message, "no tensor 'model.layers.1.mlp.up_proj.weight'");
  expect_contains(message, "a llama model of 2 layers");
}

TEST_F(WeightSourceTest, NamesATensorOfAnotherShape) {
  CheckpointCopy copy("llama");
  copy.tensor("model.layers.0.self_attn.o_proj.weight").shape = {16, 64};
  const std::string message = failure(copy);
  expect_contains(message, "'model.layers.0.self_attn.o_proj.weight'");
  expect_contains(message, "expected [32, 32], found [16, 64]");
}

// As many numbers in another rank are another shape too.
TEST_F(WeightSourceTest, NamesATensorOfAnotherRank) {
  CheckpointCopy copy("llama");
  copy.tensor("model.norm.weight").shape = {1, 32};
  expect_contains(failure(copy), "expected [32], found [1, 32]");
}

TEST_F(WeightSourceTest, NamesATensorWithNan) {
  using Limits = std::numeric_limits<float>;
  for (const float bad : {Limits::quiet_NaN(), -Limits::infinity()}) {
    CheckpointCopy copy("llama");
    copy.set("model.layers.1.self_attn.k_proj.weight", 77, bad);
    const WeightSource source = source_of(copy.write(), pool_);
    EXPECT_NO_THROW(source.layer(0));
    expect_contains(error_of([&] { source.layer(1); }),
                    "'model.layers.1.self_attn.k_proj.weight' of the checkpoint holds NaN or "
                    "infinity");
  }
}

// ---- adapters

constexpr const char* kRankTwo = R"({"peft_type": "LORA", "r": 2, "lora_alpha": 6})";

std::vector<TestTensor> update(const std::string& module, int64_t outputs, int64_t inputs) {
  std::vector<float> a;
  std::vector<float> b;
  for (int64_t i = 0; i < 2 * inputs; ++i) a.push_back(static_cast<float>(i % 7) - 3);
  for (int64_t i = 0; i < 2 * outputs; ++i) b.push_back(static_cast<float>(i % 5) - 2);
  return {floats("base_model.model." + module + ".lora_A.weight", {2, inputs}, a),
          floats("base_model.model." + module + ".lora_B.weight", {outputs, 2}, b)};
}

// 3 · B A of the above.
at::Tensor change(const std::vector<TestTensor>& update) {
  const auto matrix = [](const TestTensor& tensor) {
    return at::from_blob(const_cast<char*>(tensor.bytes.data()), tensor.shape).clone();
  };
  return matrix(update[1]).mm(matrix(update[0])).mul_(3);
}

TEST_F(WeightSourceTest, AddsAnAdapter) {
  CheckpointCopy copy("llama");
  const auto added = update("model.layers.1.self_attn.k_proj", 32, 32);
  copy.add_adapter(kRankTwo, added);
  const WeightSource source = source_of(copy.write(), pool_);
  const WeightSource base = golden("llama");
  at::Tensor expected = base.layer(1).query_key_value.weight;
  expected.narrow(0, 32, 32) += change(added);
  EXPECT_TRUE(at::allclose(source.layer(1).query_key_value.weight, expected, 1e-6, 1e-6));
  EXPECT_TRUE(
      at::equal(source.layer(0).query_key_value.weight, base.layer(0).query_key_value.weight));
}

// The change is [outputs, inputs] even where the weight is stored the other way round.
TEST_F(WeightSourceTest, AddsAnAdapterToATransposedWeight) {
  CheckpointCopy copy("gpt2");
  const auto added = update("transformer.h.0.mlp.c_fc", 160, 40);
  copy.add_adapter(kRankTwo, added);
  at::Tensor expected = golden("gpt2").layer(0).mlp_in.weight;
  expected += change(added);
  const WeightSource source = source_of(copy.write(), pool_);
  EXPECT_TRUE(at::allclose(source.layer(0).mlp_in.weight, expected, 1e-6, 1e-6));
}

TEST_F(WeightSourceTest, AddsAnAdapterToTheHead) {
  CheckpointCopy copy("llama");
  const auto added = update("lm_head", 101, 32);
  copy.add_adapter(kRankTwo, added);
  at::Tensor expected = golden("llama").head_rows(0, 101);
  expected += change(added);
  const WeightSource source = source_of(copy.write(), pool_);
  EXPECT_TRUE(at::allclose(source.head_rows(0, 101), expected, 1e-6, 1e-6));
  EXPECT_TRUE(at::allclose(source.head_rows(40, 60), expected.narrow(0, 40, 20), 1e-6, 1e-6));
  EXPECT_TRUE(at::equal(source.embedding_rows(0, 101), golden("llama").embedding_rows(0, 101)));
}

TEST_F(WeightSourceTest, RefusesAnAdapterOfAnotherModel) {
  CheckpointCopy copy("llama");
  copy.add_adapter(kRankTwo, update("model.layers.2.self_attn.k_proj", 32, 32));
  expect_contains(failure(copy), "'model.layers.2.self_attn.k_proj.weight', which");
}

TEST_F(WeightSourceTest, RefusesAnAdapterThatDoesNotFit) {
  CheckpointCopy copy("llama");
  copy.add_adapter(kRankTwo, update("model.layers.0.mlp.up_proj", 56, 40));
  const std::string message = failure(copy);
  expect_contains(message, "matrices for 'model.layers.0.mlp.up_proj.weight' do not fit");
  expect_contains(message, "expected [56, 32], found [56, 40]");
}

TEST_F(WeightSourceTest, RefusesAnAdapterThatIsTurned) {
  CheckpointCopy copy("llama");
  copy.add_adapter(kRankTwo, update("model.layers.0.mlp.up_proj", 32, 56));
  expect_contains(failure(copy), "expected [56, 32], found [32, 56]");
  CheckpointCopy transposed("gpt2");
  transposed.add_adapter(kRankTwo, update("transformer.h.0.mlp.c_fc", 40, 160));
  expect_contains(failure(transposed), "expected [160, 40], found [40, 160]");
}

// A matrix that is no linear layer would be left as it is, without a word.
TEST_F(WeightSourceTest, RefusesAnAdapterOnTheEmbedding) {
  CheckpointCopy copy("llama");
  copy.add_adapter(kRankTwo, update("model.embed_tokens", 101, 32));
  expect_contains(failure(copy), "'model.embed_tokens.weight'");
}

TEST_F(WeightSourceTest, RefusesAnAdapterWithNan) {
  CheckpointCopy copy("llama");
  auto added = update("model.layers.0.mlp.down_proj", 32, 56);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(added[1].bytes.data(), &nan, sizeof(nan));
  copy.add_adapter(kRankTwo, added);
  const WeightSource source = source_of(copy.write(), pool_);
  const std::string message = error_of([&] { source.layer(0); });
  expect_contains(message, "model.layers.0.mlp.down_proj.lora_B.weight' holds NaN or infinity");
}

}  // namespace
}  // namespace palimpsest::torch
