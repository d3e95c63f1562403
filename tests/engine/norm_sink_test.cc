#include "palimpsest/engine/internal/norm_sink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/engine/matrices.h"
#include "tests/kernels/numbers.h"
#include "tests/support/golden_models.h"

namespace palimpsest::engine {
namespace {

using enum model::NormOrder;

// A projection of three parts with biases. Of these examples the short ones are cheaper by Gram
// matrices, the long one by forming its gradient.
class NormSinkTest : public testing::Test {
 protected:
  static constexpr int64_t kLayer = 1;
  const std::vector<model::NormOrder> all_ = {kOne, kTwo, kInfinity};
  const std::vector<ExampleRows> examples_ = {{0, 0, 1}, {1, 1, 7}, {2, 7, 107}};
  const model::Architecture architecture_ = model::read_architecture(
      read_file(golden_model_folder("qwen2") / "config.json"), "config.json");
  const model::LinearSpec& spec_ = architecture_.layer_spec(kLayer).query_key_value;
  const Matrix x_ = matrix_of(107, spec_.inputs, kernels::random_numbers(107 * spec_.inputs, 1));
  const Matrix dy_ =
      matrix_of(107, spec_.outputs(), kernels::random_numbers(107 * spec_.outputs(), 2));

  // [example][order][parameter]
  std::vector<std::vector<std::vector<double>>> norms(const std::vector<model::NormOrder>& orders,
                                                      int threads) const {
    WorkerPool pool(threads);
    GradientNorms norms(architecture_, orders, 3);
    NormSink(examples_, norms, pool).linear(spec_, kLayer, x_, dy_);
    return {norms.norms(0), norms.norms(1), norms.norms(2)};
  }

  size_t number(const std::string& name) const {
    return static_cast<size_t>(
        GradientNorms(architecture_, {kTwo}, 1).parameter(model::layer_name(name, kLayer)));
  }
};

// p-norms of numbers, by the definition.
std::vector<double> norms_of(const std::vector<double>& numbers) {
  std::vector<double> norms(3);
  for (const double number : numbers) {
    norms[0] += std::fabs(number);
    norms[1] += number * number;
    norms[2] = std::max(norms[2], std::fabs(number));
  }
  norms[1] = std::sqrt(norms[1]);
  return norms;
}

TEST_F(NormSinkTest, NormsOfWeightsAndBiases) {
  const auto all = norms(all_, 2);
  const auto two = norms({kTwo}, 2);
  for (size_t e = 0; e < examples_.size(); ++e) {
    int64_t first = 0;
    for (const model::LinearPart& part : spec_.parts) {
      ASSERT_TRUE(part.bias.has_value());
      std::vector<double> weight(static_cast<size_t>(part.outputs * spec_.inputs));
      std::vector<double> bias(static_cast<size_t>(part.outputs));
      for (int64_t t = examples_[e].begin; t < examples_[e].end; ++t) {
        for (int64_t o = 0; o < part.outputs; ++o) {
          const double back = dy_.row(t)[first + o];
          bias[o] += back;
          for (int64_t i = 0; i < spec_.inputs; ++i) {
            weight[o * spec_.inputs + i] += back * x_.row(t)[i];
          }
        }
      }
      const auto expect = [&](const std::string& name, const std::vector<double>& expected) {
        SCOPED_TRACE(testing::Message() << "example " << e << ", " << name);
        const size_t parameter = number(name);
        for (size_t o = 0; o < all_.size(); ++o) {
          EXPECT_NEAR(all[e][o][parameter], expected[o], 1e-6 * expected[o]) << o;
        }
        EXPECT_NEAR(two[e][0][parameter], expected[1], 1e-6 * expected[1]);
      };
      expect(part.weight, norms_of(weight));
      expect(*part.bias, norms_of(bias));
      first += part.outputs;
    }
  }
}

TEST_F(NormSinkTest, ThreadsChangeNothing) {
  for (const auto& orders : {all_, {kTwo}, {kOne}, {kInfinity}}) {
    const auto one = norms(orders, 1);
    EXPECT_EQ(norms(orders, 2), one);
    EXPECT_EQ(norms(orders, 3), one);
  }
}

TEST_F(NormSinkTest, VectorsOfExamples) {
  WorkerPool pool(1);
  GradientNorms norms(architecture_, all_, 3);
  NormSink sink(examples_, norms, pool);
  const std::string name = architecture_.final_norm.weight;
  sink.vector(name, matrix_of(3, 2, std::vector<float>{3, -4, 0, 0, 1, 0}));
  const auto parameter = static_cast<size_t>(norms.parameter(name));
  const auto of = [&](int64_t example) {
    std::vector<double> found;
    for (const std::vector<double>& order : norms.norms(example)) found.push_back(order[parameter]);
    return found;
  };
  EXPECT_EQ(of(0), (std::vector<double>{7, 5, 4}));
  EXPECT_EQ(of(1), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(of(2), (std::vector<double>{1, 1, 1}));
}

}  // namespace
}  // namespace palimpsest::engine
