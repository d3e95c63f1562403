#include "palimpsest/engine/internal/weights.h"

#include <gtest/gtest.h>

#include <limits>

#include "palimpsest/kernels/internal/widen.h"
#include "tests/engine/matrices.h"
#include "tests/support/checkpoint_copy.h"
#include "tests/support/expect_error.h"

namespace palimpsest::engine {
namespace {

WeightSource source_of(const std::filesystem::path& folder, WorkerPool& pool,
                       WeightWidth width = WeightWidth::kFloat32) {
  const std::filesystem::path config = folder / "config.json";
  return {model::read_architecture(read_file(config), config.string()),
          model::Checkpoint::open(folder), model::Adapter::open(folder), pool, width};
}

constexpr const char* kRankTwo = R"({"peft_type": "LORA", "r": 2, "lora_alpha": 6})";

std::vector<TestTensor> update(const std::string& module, int64_t outputs, int64_t inputs) {
  std::vector<float> a;
  std::vector<float> b;
  for (int64_t i = 0; i < 2 * inputs; ++i) a.push_back(static_cast<float>(i % 7) - 3);
  for (int64_t i = 0; i < 2 * outputs; ++i) b.push_back(static_cast<float>(i % 5) - 2);
  return {floats("base_model.model." + module + ".lora_A.weight", {2, inputs}, a),
          floats("base_model.model." + module + ".lora_B.weight", {outputs, 2}, b)};
}

// matrix += 3 · B A of the above; these are small integers, so that nothing is rounded on the way.
void add_change(const std::vector<TestTensor>& update, const Matrix& matrix) {
  const auto numbers = [](const TestTensor& tensor) {
    std::vector<float> floats(tensor.bytes.size() / sizeof(float));
    std::memcpy(floats.data(), tensor.bytes.data(), tensor.bytes.size());
    return floats;
  };
  const std::vector<float> a = numbers(update[0]);
  const std::vector<float> b = numbers(update[1]);
  const int64_t inputs = update[0].shape[1];
  ASSERT_EQ(matrix.rows(), update[1].shape[0]);
  ASSERT_EQ(matrix.columns(), inputs);
  for (int64_t r = 0; r < matrix.rows(); ++r) {
    for (int64_t c = 0; c < inputs; ++c) {
      matrix.row(r)[c] += 3 * (b[2 * r] * a[c] + b[2 * r + 1] * a[inputs + c]);
    }
  }
}

class WeightSourceTest : public testing::Test {
 protected:
  WeightSource golden(const std::string& name) {
    return source_of(golden_model_folder(name), pool_);
  }
  // A stored tensor as it is, widened; a vector is one row.
  static Matrix stored(const WeightSource& source, const std::string& name) {
    const model::StoredTensor& view = *source.checkpoint().find(name);
    const bool is_vector = view.shape.size() == 1;
    Matrix matrix =
        is_vector ? host_matrix(1, view.shape[0]) : host_matrix(view.shape.at(0), view.shape.at(1));
    EXPECT_TRUE(kernels::widen(view.dtype, view.bytes.data(), matrix.size(), matrix.data()));
    return matrix;
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
  std::vector<Matrix> weights;
  std::vector<Matrix> biases;
  for (const char* part : {"q", "k", "v"}) {
    const std::string name = std::string("model.layers.1.self_attn.") + part + "_proj.";
    weights.push_back(stored(source, name + "weight"));
    biases.push_back(stored(source, name + "bias"));
  }
  EXPECT_TRUE(equal(layer.query_key_value.weight, stacked(weights)));
  EXPECT_TRUE(equal(layer.query_key_value.bias, joined(biases)));
  EXPECT_TRUE(
      equal(layer.mlp_in.weight, stacked({stored(source, "model.layers.1.mlp.gate_proj.weight"),
                                          stored(source, "model.layers.1.mlp.up_proj.weight")})));
  EXPECT_FALSE(layer.attention_out.bias.defined());
  EXPECT_FALSE(layer.query_norm.weight.defined());
}

TEST_F(WeightSourceTest, FusedAsStored) {
  const WeightSource source = golden("phi3");
  const LayerWeights layer = source.layer(0);
  EXPECT_TRUE(equal(layer.query_key_value.weight,
                    stored(source, "model.layers.0.self_attn.qkv_proj.weight")));
  EXPECT_TRUE(equal(layer.mlp_in.weight, stored(source, "model.layers.0.mlp.gate_up_proj.weight")));
}

// GPT-NeoX stores each head's query, key and value together.
TEST_F(WeightSourceTest, FusedByHeadIsSortedByPart) {
  const WeightSource source = golden("gpt_neox");
  const model::Architecture& a = source.architecture();
  const std::string name = "gpt_neox.layers.1.attention.query_key_value.";
  const Matrix weight = stored(source, name + "weight");
  const Matrix bias = stored(source, name + "bias");
  const LinearWeights found = source.layer(1).query_key_value;
  ASSERT_EQ(found.weight.rows(), weight.rows());
  ASSERT_EQ(found.bias.columns(), bias.columns());
  for (int64_t part = 0; part < 3; ++part) {
    for (int64_t head = 0; head < a.num_heads; ++head) {
      for (int64_t i = 0; i < a.head_dim; ++i) {
        const int64_t to = (part * a.num_heads + head) * a.head_dim + i;
        const int64_t from = (head * 3 + part) * a.head_dim + i;
        ASSERT_TRUE(equal(found.weight.slice(to, 1), weight.slice(from, 1)))
            << part << " " << head << " " << i;
        ASSERT_EQ(found.bias.data()[to], bias.data()[from]) << part << " " << head << " " << i;
      }
    }
  }
}

TEST_F(WeightSourceTest, TransposedAsGpt2Stores) {
  for (const char* folder : {"gpt2", "gpt2_bare"}) {
    const WeightSource source = golden(folder);
    const std::string prefix = std::string(folder) == "gpt2" ? "transformer." : "";
    const LayerWeights layer = source.layer(1);
    EXPECT_TRUE(equal(layer.query_key_value.weight,
                      transposed(stored(source, prefix + "h.1.attn.c_attn.weight"))));
    EXPECT_TRUE(
        equal(layer.mlp_out.weight, transposed(stored(source, prefix + "h.1.mlp.c_proj.weight"))));
    EXPECT_TRUE(equal(source.positions(), stored(source, prefix + "wpe.weight")));
  }
}

TEST_F(WeightSourceTest, RowsOfEmbeddingAndHead) {
  const WeightSource untied = golden("llama");
  const Matrix embedding = stored(untied, "model.embed_tokens.weight");
  EXPECT_TRUE(equal(untied.embedding_rows(3, 10), embedding.slice(3, 7)));
  EXPECT_TRUE(equal(untied.head_rows(90, 101), stored(untied, "lm_head.weight").slice(90, 11)));
  const Matrix row = host_matrix(1, embedding.columns());
  untied.embedding_row(100, row.data());
  EXPECT_TRUE(equal(row, embedding.slice(100, 1)));
  const WeightSource tied = golden("llama_gqa_tied");
  EXPECT_TRUE(equal(tied.head_rows(5, 9), tied.embedding_rows(5, 9)));
  EXPECT_FALSE(untied.head_bias().defined());
  EXPECT_TRUE(golden("phi").head_bias().defined());
}

// ---- weights that stay in 16 bits

// The numbers of a matrix of any type.
Matrix widened(const Matrix& matrix) {
  Matrix wide = host_matrix(matrix.rows(), matrix.columns());
  const int64_t stride = matrix.stride() * kernels::byte_size(matrix.dtype());
  for (int64_t row = 0; row < matrix.rows(); ++row) {
    EXPECT_TRUE(kernels::widen(matrix.dtype(), matrix.bytes() + row * stride, matrix.columns(),
                               wide.row(row)));
  }
  return wide;
}

TEST_F(WeightSourceTest, MatricesStayAsTheyAreStored) {
  for (const auto& [name, dtype] : {std::pair{"qwen2", kernels::DType::kBFloat16},
                                    {"llama_biases", kernels::DType::kFloat16},
                                    {"gpt_neox", kernels::DType::kFloat16}}) {
    SCOPED_TRACE(name);
    const WeightSource narrow = source_of(golden_model_folder(name), pool_, WeightWidth::kStored);
    const WeightSource wide = golden(name);
    const LayerWeights found = narrow.layer(1);
    const LayerWeights expected = wide.layer(1);
    for (const auto part : {&LayerWeights::query_key_value, &LayerWeights::attention_out,
                            &LayerWeights::mlp_in, &LayerWeights::mlp_out}) {
      EXPECT_EQ((found.*part).weight.dtype(), dtype);
      EXPECT_TRUE(equal(widened((found.*part).weight), (expected.*part).weight));
      ASSERT_EQ((found.*part).bias.defined(), (expected.*part).bias.defined());
      if ((found.*part).bias.defined()) {
        EXPECT_TRUE(equal((found.*part).bias, (expected.*part).bias));
      }
    }
    EXPECT_EQ(found.attention_norm.weight.dtype(), kernels::DType::kFloat32);
    const int64_t rows = narrow.architecture().vocab_size;
    EXPECT_EQ(narrow.embedding_rows(0, rows).dtype(), dtype);
    EXPECT_TRUE(equal(widened(narrow.embedding_rows(3, rows)), wide.embedding_rows(3, rows)));
    EXPECT_EQ(narrow.head_rows(0, rows).dtype(), dtype);
    EXPECT_TRUE(equal(widened(narrow.head_rows(0, 9)), wide.head_rows(0, 9)));
  }
}

TEST_F(WeightSourceTest, FloatsStayFloats) {
  const WeightSource source = source_of(golden_model_folder("llama"), pool_, WeightWidth::kStored);
  EXPECT_EQ(source.layer(0).mlp_in.weight.dtype(), kernels::DType::kFloat32);
  EXPECT_EQ(source.head_rows(0, 3).dtype(), kernels::DType::kFloat32);
}

// A fused matrix has one type: where its parts differ, or an adapter has changed one, it is wide.
TEST_F(WeightSourceTest, StaysWideWhereNarrowLosesSomething) {
  CheckpointCopy copy("llama");
  const TestTensor key = copy.tensor("model.layers.0.self_attn.k_proj.weight");
  copy.store_in(kernels::DType::kBFloat16);
  copy.tensor(key.name) = key;
  copy.add_adapter(kRankTwo, update("model.layers.1.self_attn.k_proj", 32, 32));
  const WeightSource source = source_of(copy.write(), pool_, WeightWidth::kStored);
  EXPECT_EQ(source.layer(0).query_key_value.weight.dtype(), kernels::DType::kFloat32);
  EXPECT_EQ(source.layer(0).mlp_in.weight.dtype(), kernels::DType::kBFloat16);
  EXPECT_EQ(source.layer(1).query_key_value.weight.dtype(), kernels::DType::kFloat32);
  EXPECT_EQ(source.layer(1).attention_out.weight.dtype(), kernels::DType::kBFloat16);
  const WeightSource wide = source_of(copy.folder.path(), pool_);
  for (const int64_t layer : {0, 1}) {
    EXPECT_TRUE(equal(source.layer(layer).query_key_value.weight,
                      wide.layer(layer).query_key_value.weight));
  }
}

TEST_F(WeightSourceTest, NarrowWeightsAreCheckedToo) {
  CheckpointCopy copy("llama");
  copy.store_in(kernels::DType::kFloat16);
  TestTensor& tensor = copy.tensor("model.layers.1.mlp.up_proj.weight");
  tensor.bytes[7] = 0x7C;  // infinity and NaN have this exponent
  const WeightSource source = source_of(copy.write(), pool_, WeightWidth::kStored);
  expect_contains(error_of([&] { source.layer(1); }), "'model.layers.1.mlp.up_proj.weight'");
}

// ---- checkpoints that cannot be used

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

TEST_F(WeightSourceTest, AddsAnAdapter) {
  CheckpointCopy copy("llama");
  const auto added = update("model.layers.1.self_attn.k_proj", 32, 32);
  copy.add_adapter(kRankTwo, added);
  const WeightSource source = source_of(copy.write(), pool_);
  const WeightSource base = golden("llama");
  const Matrix expected = base.layer(1).query_key_value.weight;
  add_change(added, expected.slice(32, 32));
  EXPECT_TRUE(close(source.layer(1).query_key_value.weight, expected, 1e-6));
  EXPECT_TRUE(equal(source.layer(0).query_key_value.weight, base.layer(0).query_key_value.weight));
}

// The change is [outputs, inputs] even where the weight is stored the other way round.
TEST_F(WeightSourceTest, AddsAnAdapterToATransposedWeight) {
  CheckpointCopy copy("gpt2");
  const auto added = update("transformer.h.0.mlp.c_fc", 160, 40);
  copy.add_adapter(kRankTwo, added);
  const Matrix expected = golden("gpt2").layer(0).mlp_in.weight;
  add_change(added, expected);
  const WeightSource source = source_of(copy.write(), pool_);
  EXPECT_TRUE(close(source.layer(0).mlp_in.weight, expected, 1e-6));
}

TEST_F(WeightSourceTest, AddsAnAdapterToTheHead) {
  CheckpointCopy copy("llama");
  const auto added = update("lm_head", 101, 32);
  copy.add_adapter(kRankTwo, added);
  const Matrix expected = golden("llama").head_rows(0, 101);
  add_change(added, expected);
  const WeightSource source = source_of(copy.write(), pool_);
  EXPECT_TRUE(close(source.head_rows(0, 101), expected, 1e-6));
  EXPECT_TRUE(close(source.head_rows(40, 60), expected.slice(40, 20), 1e-6));
  EXPECT_TRUE(equal(source.embedding_rows(0, 101), golden("llama").embedding_rows(0, 101)));
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
}  // namespace palimpsest::engine
