#include "palimpsest/kernels/internal/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "tests/kernels/numbers.h"

namespace palimpsest::kernels {
namespace {

constexpr double kEpsilon = 1e-3;
constexpr NormKind kNormKinds[] = {NormKind::kRms, NormKind::kRmsPlus, NormKind::kLayer};

struct NormCase {
  NormKind kind = NormKind::kRms;
  std::vector<float> weight;
  std::vector<float> bias;  // or empty

  Norm norm() const {
    return {.kind = kind,
            .weight = weight.data(),
            .bias = bias.empty() ? nullptr : bias.data(),
            .epsilon = static_cast<float>(kEpsilon),
            .width = static_cast<int64_t>(weight.size())};
  }
};

NormCase random_norm(NormKind kind, int64_t width) {
  NormCase norm{.kind = kind, .weight = random_numbers(width, 1)};
  if (kind == NormKind::kLayer) norm.bias = random_numbers(width, 2);
  return norm;
}

// By the formulas of architecture.h, in double.
std::vector<double> reference(const NormCase& norm, const std::vector<double>& x,
                              const std::vector<double>& weight, const std::vector<double>& bias) {
  const auto n = static_cast<double>(x.size());
  double mean = 0;
  if (norm.kind == NormKind::kLayer) {
    for (const double value : x) mean += value / n;
  }
  double square = 0;
  for (const double value : x) square += (value - mean) * (value - mean) / n;
  const double offset = norm.kind == NormKind::kRmsPlus ? 1 : 0;
  std::vector<double> out;
  for (size_t i = 0; i < x.size(); ++i) {
    out.push_back((x[i] - mean) / std::sqrt(square + kEpsilon) * (offset + weight[i]) +
                  (bias.empty() ? 0 : bias[i]));
  }
  return out;
}

std::vector<double> widened(const std::vector<float>& numbers) {
  return {numbers.begin(), numbers.end()};
}

TEST(NormalizeTest, EveryKindAndWidth) {
  for (const NormKind kind : kNormKinds) {
    for (const int64_t width : {1, 2, 7, 31, 32, 33, 64, 100, 1000}) {
      const NormCase norm = random_norm(kind, width);
      const std::vector<float> x = random_numbers(width, 3, 5);
      const auto expected = reference(norm, widened(x), widened(norm.weight), widened(norm.bias));
      std::vector<float> out(x.size());
      normalize(norm.norm(), x.data(), out.data());
      std::vector<float> in_place = x;
      normalize(norm.norm(), in_place.data(), in_place.data());
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(out[i], expected[i], 2e-6 * (1 + std::fabs(expected[i]))) << width << " " << i;
        ASSERT_EQ(in_place[i], out[i]) << width << " " << i;
      }
    }
  }
}

// The variance of numbers far from zero: the mean goes off before the squares are taken.
TEST(NormalizeTest, LayerNormOfLargeNumbersClose) {
  const int64_t width = 256;
  const NormCase norm = random_norm(NormKind::kLayer, width);
  std::vector<float> x = random_numbers(width, 4);
  for (float& value : x) value += 1000;
  const auto expected = reference(norm, widened(x), widened(norm.weight), widened(norm.bias));
  std::vector<float> out(x.size());
  normalize(norm.norm(), x.data(), out.data());
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(out[i], expected[i], 3e-4) << i;
}

TEST(NormalizeTest, ZerosStayFinite) {
  for (const NormKind kind : kNormKinds) {
    const NormCase norm = random_norm(kind, 10);
    const std::vector<float> x(10);
    std::vector<float> out(10, 1.0F);
    normalize(norm.norm(), x.data(), out.data());
    for (size_t i = 0; i < 10; ++i) EXPECT_EQ(out[i], norm.bias.empty() ? 0 : norm.bias[i]);
  }
}

// d(Σ dy · norm(x)) by central differences of the reference, for x, weight and bias.
TEST(NormalizeBackwardTest, MatchesDifferences) {
  for (const NormKind kind : kNormKinds) {
    for (const int64_t width : {2, 7, 33, 70}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << " " << width);
      const NormCase norm = random_norm(kind, width);
      const std::vector<float> x = random_numbers(width, 5, 2);
      const std::vector<float> dy = random_numbers(width, 6);
      std::vector<float> dx(x.size());
      std::vector<float> dweight(x.size(), 10.0F);  // added to
      std::vector<float> dbias(x.size(), 20.0F);
      normalize_backward(norm.norm(), x.data(), dy.data(), dx.data(), false, dweight.data(),
                         dbias.data());
      std::vector<double> numbers[3] = {widened(x), widened(norm.weight), widened(norm.bias)};
      const auto loss = [&] {
        const auto out = reference(norm, numbers[0], numbers[1], numbers[2]);
        double sum = 0;
        for (size_t i = 0; i < out.size(); ++i) sum += static_cast<double>(dy[i]) * out[i];
        return sum;
      };
      const auto slope = [&](double& number) {
        constexpr double kStep = 1e-4;
        const double before = number;
        number = before + kStep;
        const double above = loss();
        number = before - kStep;
        const double below = loss();
        number = before;
        return (above - below) / (2 * kStep);
      };
      for (size_t i = 0; i < x.size(); ++i) {
        const double expected = slope(numbers[0][i]);
        EXPECT_NEAR(dx[i], expected, 5e-6 * (1 + std::fabs(expected))) << i;
        EXPECT_NEAR(dweight[i], 10 + slope(numbers[1][i]), 1e-5) << i;
        if (!norm.bias.empty()) {
          EXPECT_NEAR(dbias[i], 20 + slope(numbers[2][i]), 1e-5) << i;
        }
      }
    }
  }
}

TEST(NormalizeBackwardTest, AddsIfAskedAndInPlace) {
  const NormCase norm = random_norm(NormKind::kLayer, 20);
  const std::vector<float> x = random_numbers(20, 5);
  const std::vector<float> dy = random_numbers(20, 6);
  std::vector<float> fresh(20);
  normalize_backward(norm.norm(), x.data(), dy.data(), fresh.data(), false, nullptr, nullptr);
  std::vector<float> added(20, 3.0F);
  normalize_backward(norm.norm(), x.data(), dy.data(), added.data(), true, nullptr, nullptr);
  std::vector<float> in_place = dy;
  std::vector<float> dweight(20);
  std::vector<float> dweight_in_place(20);
  normalize_backward(norm.norm(), x.data(), dy.data(), fresh.data(), false, dweight.data(),
                     nullptr);
  normalize_backward(norm.norm(), x.data(), in_place.data(), in_place.data(), false,
                     dweight_in_place.data(), nullptr);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(added[i], 3 + fresh[i], 1e-6) << i;
    EXPECT_EQ(in_place[i], fresh[i]) << i;
    EXPECT_EQ(dweight_in_place[i], dweight[i]) << i;
  }
}

TEST(AddAndScaleTest, EveryLength) {
  for (int64_t n = 0; n <= 40; ++n) {
    const std::vector<float> x = random_numbers(41, 7);
    std::vector<float> y = random_numbers(41, 8);
    const std::vector<float> before = y;
    add(y.data(), x.data(), n);
    for (int64_t i = 0; i <= n; ++i) EXPECT_EQ(y[i], i < n ? before[i] + x[i] : before[i]);
    y = before;
    scale(y.data(), 0.3F, n);
    for (int64_t i = 0; i <= n; ++i) EXPECT_EQ(y[i], i < n ? before[i] * 0.3F : before[i]);
  }
}

// Pairs (i, i + half) turned, the rest of the head as it was.
TEST(RotateTest, TurnsPairsAndBack) {
  constexpr double kFactor = 1.25;  // longrope multiplies both by a factor
  for (const int64_t half : {1, 4, 16, 33}) {
    const std::vector<float> before = random_numbers(2 * half + 5, 9);
    std::vector<float> cosine(half);
    std::vector<float> sine(half);
    std::vector<float> head = before;
    for (int64_t i = 0; i < half; ++i) {
      cosine[i] = static_cast<float>(kFactor * std::cos(0.7 * static_cast<double>(i + 1)));
      sine[i] = static_cast<float>(kFactor * std::sin(0.7 * static_cast<double>(i + 1)));
    }
    rotate(head.data(), cosine.data(), sine.data(), half, false);
    for (int64_t i = 0; i < half; ++i) {
      EXPECT_NEAR(head[i], before[i] * cosine[i] - before[half + i] * sine[i], 1e-6);
      EXPECT_NEAR(head[half + i], before[half + i] * cosine[i] + before[i] * sine[i], 1e-6);
    }
    rotate(head.data(), cosine.data(), sine.data(), half, true);
    for (size_t i = 0; i < head.size(); ++i) {
      const bool turned = static_cast<int64_t>(i) < 2 * half;
      EXPECT_NEAR(head[i], before[i] * (turned ? kFactor * kFactor : 1), 2e-6) << half << " " << i;
    }
  }
}

// ---- activations

struct Function {
  Activation activation;
  std::function<double(double)> value;
  std::function<double(double)> slope;
};

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}
double normal_density(double x) {
  return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
}
double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
double gelu_inner(double x) {
  return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
}

const std::vector<Function> kFunctions = {
    {Activation::kSilu, [](double x) { return x * sigmoid(x); },
     [](double x) { return sigmoid(x) * (1 + x * sigmoid(-x)); }},
    {Activation::kGelu, [](double x) { return x * normal_cdf(x); },
     [](double x) { return normal_cdf(x) + x * normal_density(x); }},
    {Activation::kGeluTanh, [](double x) { return 0.5 * x * (1 + std::tanh(gelu_inner(x))); },
     [](double x) {
       const double t = std::tanh(gelu_inner(x));
       return 0.5 * (1 + t) +
              0.5 * x * (1 - t * t) * std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
     }},
    {Activation::kRelu, [](double x) { return std::max(x, 0.0); },
     [](double x) { return x > 0 ? 1.0 : 0.0; }}};

std::vector<float> arguments() {
  std::vector<float> x;
  for (int i = -30000; i <= 30000; i += 7) x.push_back(static_cast<float>(i) * 1e-3F);
  for (const float size :
       {1e-38F, 1e-20F, 1e-7F, 1e-4F, 0.0624F, 0.0626F, 86.9F, 87.1F, 100.0F, 1e4F, 1e9F}) {
    x.push_back(size);
    x.push_back(-size);
  }
  return x;
}

// Relative to x: half an ulp of float near 1, and for gelu the 1.5e-7 of its erf, halved.
constexpr double kValueError = 2.5e-7;

TEST(ActivateTest, MatchesTheFormulas) {
  const std::vector<float> x = arguments();
  std::vector<float> out(x.size());
  for (const Function& function : kFunctions) {
    activate(function.activation, false, x.data(), static_cast<int64_t>(x.size()), out.data());
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(out[i], function.value(x[i]), kValueError * std::fabs(x[i]))
          << static_cast<int>(function.activation) << " of " << x[i];
    }
  }
}

// What is computed without a difference keeps its digits even where it is tiny.
TEST(ActivateTest, SiluIsExactInRelativeTerms) {
  for (int step = 0; step <= 432; ++step) {
    const float x = -80 + 0.37F * static_cast<float>(step);
    float out = 0;
    activate(Activation::kSilu, false, &x, 1, &out);
    EXPECT_NEAR(out, x * sigmoid(x), 1e-6 * std::fabs(x * sigmoid(x))) << x;
  }
}

TEST(ActivateTest, GatedMultipliesTheSecondHalf) {
  for (const Function& function : kFunctions) {
    for (const int64_t size : {1, 5, 16, 37}) {
      const std::vector<float> in = random_numbers(2 * size, 10, 2);
      std::vector<float> out(size);
      activate(function.activation, true, in.data(), size, out.data());
      for (int64_t i = 0; i < size; ++i) {
        EXPECT_NEAR(out[i], function.value(in[i]) * in[size + i], 2e-6) << size << " " << i;
      }
    }
  }
}

// In the tails of tanh-gelu 1 - t² is known to 2e-7 and is multiplied by about 10.
constexpr double kSlopeError = 3e-6;

TEST(ActivateBackwardTest, SlopesMatchTheFormulas) {
  const std::vector<float> x = arguments();
  const std::vector<float> ones(x.size(), 1.0F);
  std::vector<float> slopes(x.size());
  for (const Function& function : kFunctions) {
    activate_backward(function.activation, false, x.data(), static_cast<int64_t>(x.size()),
                      ones.data(), slopes.data());
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(slopes[i], function.slope(x[i]), kSlopeError)
          << static_cast<int>(function.activation) << " at " << x[i];
    }
  }
}

// The formulas of the slopes themselves, against differences.
TEST(ActivateBackwardTest, SlopesAreDerivatives) {
  for (const Function& function : kFunctions) {
    for (const double x : {-6.0, -1.3, -0.2, 0.4, 2.1, 7.5}) {
      constexpr double kStep = 1e-5;
      const double difference = (function.value(x + kStep) - function.value(x - kStep)) / 2 / kStep;
      EXPECT_NEAR(function.slope(x), difference, 1e-8)
          << static_cast<int>(function.activation) << " at " << x;
    }
  }
}

// A model that has overflowed must not come out with a plain number.
TEST(ActivateTest, NanStaysNan) {
  const std::vector<float> x(20, std::numeric_limits<float>::quiet_NaN());
  for (const Function& function : kFunctions) {
    std::vector<float> out(20);
    activate(function.activation, false, x.data(), 20, out.data());
    for (const float y : out) {
      EXPECT_TRUE(std::isnan(y)) << static_cast<int>(function.activation);
    }
  }
}

TEST(ActivateBackwardTest, GatedGivesBothHalvesInPlace) {
  for (const Function& function : kFunctions) {
    const int64_t size = 37;
    const std::vector<float> in = random_numbers(2 * size, 11, 2);
    const std::vector<float> dout = random_numbers(size, 12);
    std::vector<float> din = in;
    activate_backward(function.activation, true, din.data(), size, dout.data(), din.data());
    for (int64_t i = 0; i < size; ++i) {
      EXPECT_NEAR(din[i], dout[i] * in[size + i] * function.slope(in[i]), 1e-5) << i;
      EXPECT_NEAR(din[size + i], dout[i] * function.value(in[i]), 1e-5) << i;
    }
  }
}

TEST(SoftCapTest, IsTheScaledTangent) {
  for (const double cap : {0.5, 5.0, 30.0, 50.0}) {
    std::vector<float> x = arguments();
    const std::vector<float> before = x;
    soft_cap(x.data(), static_cast<float>(cap), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = cap * std::tanh(static_cast<double>(before[i]) / cap);
      ASSERT_NEAR(x[i], expected, 1.5e-6 * std::fabs(expected) + 1e-43)
          << before[i] << " cap " << cap;
    }
  }
}

TEST(SoftCapTest, NanStaysNan) {
  std::vector<float> x(20, std::numeric_limits<float>::quiet_NaN());
  soft_cap(x.data(), 30, 20);
  for (const float y : x) EXPECT_TRUE(std::isnan(y));
}

}  // namespace
}  // namespace palimpsest::kernels
