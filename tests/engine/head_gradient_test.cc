#include "palimpsest/engine/internal/head_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/engine/matrices.h"
#include "tests/kernels/numbers.h"

namespace palimpsest::engine {
namespace {

using enum model::NormOrder;
using Orders = std::vector<model::NormOrder>;

struct HeadShape {
  const char* name;
  int64_t vocabulary;
  int64_t width;
  bool tied = false;
  bool bias = false;
  std::optional<double> softcap;
};

// The head takes 1024 classes at a time.
const HeadShape kShapes[] = {
    {"few classes", 7, 3},
    {"few classes, tied", 7, 3, true},
    {"a full tile, bias", 1024, 16, false, true},
    {"one class more, tied", 1025, 8, true},
    {"three tiles, odd width, tied, bias", 2500, 33, true, true},
    {"three tiles, soft cap", 2500, 33, false, false, 2.0},
    {"soft cap, tied, bias", 300, 20, true, true, 1.5},
};

// A head without a model around it, and rows of three examples. In these there are labels and
// tokens that occur twice, tokens that are labels too, a row that counts nothing and, as the
// padding index, a token whose input side gets no gradient.
class HeadParts {
 public:
  explicit HeadParts(const HeadShape& shape, int threads = 2)
      : architecture_(architecture_of(shape)), pool_(threads) {
    const auto matrix = [](int64_t rows, int64_t columns, uint64_t seed, double scale) {
      return matrix_of(rows, columns, kernels::random_numbers(rows * columns, seed, scale));
    };
    const int64_t last = shape.vocabulary - 1;
    weights_.head = matrix(shape.vocabulary, shape.width, 1, 2 / std::sqrt(shape.width));
    weights_.embedding = weights_.head;
    if (shape.bias) weights_.head_bias = matrix(1, shape.vocabulary, 2, 1);
    rows_.normed = matrix(9, shape.width, 3, 1);
    rows_.labels = {last, 0, last, 0, 4, 5, 5, last, 1};
    rows_.weights = {1, 0.25F, 0.25F, 0.5F, 0.2F, 0, 0.2F, 0.2F, -0.4F};
    rows_.examples = {{1, 0, 1}, {2, 1, 4}, {0, 4, 9}};
    ids_ = {{last}, {2, 0, 3, 0}, {kPadding, 6, 5, 6, last, 1}};
    for (size_t e = 0; e < ids_.size(); ++e) {
      embedded_.push_back(matrix(static_cast<int64_t>(ids_[e].size()), shape.width, 10 + e, 0.3));
    }
  }

  const model::Architecture& architecture() const { return architecture_; }
  const LabelledRows& rows() const { return rows_; }
  const ModelWeights& weights() const { return weights_; }
  const std::vector<std::vector<int64_t>>& ids() const { return ids_; }
  const Matrix& embedded(size_t e) const { return embedded_[e]; }
  bool tied() const { return !architecture_.head; }

  struct Found {
    Matrix normed_gradient;
    std::vector<kernels::VocabularyState> states;
    GradientNorms norms;
  };
  Found run(const Orders& orders) {
    const std::unique_ptr<Ops> ops = make_cpu_ops(architecture_, pool_);
    Decoder decoder(architecture_, weights_, *ops);
    Head head(decoder);
    GradientNorms norms(architecture_, orders, static_cast<int64_t>(ids_.size()));
    HeadGradient gradient(decoder, head, pool_, rows_, norms);
    gradient.run({ids_.begin(), ids_.end()});
    std::vector<EmbeddedRows> embedded;
    for (size_t e = 0; e < ids_.size(); ++e) embedded.push_back({ids_[e], embedded_[e].data()});
    gradient.add_norms(embedded);
    return {gradient.normed_gradient(), gradient.states(), norms};
  }

 private:
  static constexpr int64_t kPadding = 3;

  static model::Architecture architecture_of(const HeadShape& shape) {
    model::Architecture a;
    a.vocab_size = shape.vocabulary;
    a.hidden_size = shape.width;
    a.logit_softcap = shape.softcap;
    a.padding_index = kPadding;
    a.embedding = "embedding";
    a.final_norm.weight = "norm";
    if (!shape.tied) a.head = "head";
    if (shape.bias) a.head_bias = "bias";
    return a;
  }

  model::Architecture architecture_;
  WorkerPool pool_;
  ModelWeights weights_;
  LabelledRows rows_;
  std::vector<std::vector<int64_t>> ids_;
  std::vector<Matrix> embedded_;
};

// Logits of one row in double precision, soft cap and all.
std::vector<double> logits_of(const HeadParts& parts, const std::vector<double>& row) {
  const model::Architecture& a = parts.architecture();
  std::vector<double> logits(static_cast<size_t>(a.vocab_size));
  for (int64_t v = 0; v < a.vocab_size; ++v) {
    double& z = logits[static_cast<size_t>(v)];
    if (a.head_bias) z = parts.weights().head_bias.row(0)[v];
    for (int64_t d = 0; d < a.hidden_size; ++d) {
      z += row[static_cast<size_t>(d)] * parts.weights().head.row(v)[d];
    }
    if (a.logit_softcap) z = *a.logit_softcap * std::tanh(z / *a.logit_softcap);
  }
  return logits;
}

double log_sum_of(const std::vector<double>& logits) {
  const double max = *std::ranges::max_element(logits);
  double sum = 0;
  for (const double z : logits) sum += std::exp(z - max);
  return max + std::log(sum);
}

std::vector<double> row_of(const HeadParts& parts, int64_t i) {
  const float* row = parts.rows().normed.row(i);
  return {row, row + parts.architecture().hidden_size};
}

double loss_of(const HeadParts& parts, const std::vector<double>& row, size_t i) {
  const std::vector<double> logits = logits_of(parts, row);
  return parts.rows().weights[i] *
         (log_sum_of(logits) - logits[static_cast<size_t>(parts.rows().labels[i])]);
}

// The gradients of one example by the formulas, one number per element.
struct ExampleGradients {
  std::vector<double> head, bias, embedding;  // tied: `embedding` has the head's part too
};
ExampleGradients gradients_of(const HeadParts& parts, size_t e) {
  const model::Architecture& a = parts.architecture();
  const auto width = static_cast<size_t>(a.hidden_size);
  const auto classes = static_cast<size_t>(a.vocab_size);
  ExampleGradients result{std::vector<double>(classes * width), std::vector<double>(classes),
                          std::vector<double>(classes * width)};
  for (int64_t i = parts.rows().examples[e].begin; i < parts.rows().examples[e].end; ++i) {
    const auto at = static_cast<size_t>(i);
    const std::vector<double> row = row_of(parts, i);
    const std::vector<double> logits = logits_of(parts, row);
    const double log_sum = log_sum_of(logits);
    for (size_t v = 0; v < classes; ++v) {
      const bool is_label = static_cast<int64_t>(v) == parts.rows().labels[at];
      const double capped = a.logit_softcap ? logits[v] / *a.logit_softcap : 0;
      const double slope = parts.rows().weights[at] *
                           (std::exp(logits[v] - log_sum) - (is_label ? 1 : 0)) *
                           (1 - capped * capped);
      result.bias[v] += slope;
      for (size_t d = 0; d < width; ++d) result.head[v * width + d] += slope * row[d];
    }
  }
  if (parts.tied()) result.embedding = result.head;
  for (size_t t = 0; t < parts.ids()[e].size(); ++t) {
    const int64_t id = parts.ids()[e][t];
    if (id == a.padding_index) continue;
    const float* gradient = parts.embedded(e).row(static_cast<int64_t>(t));
    for (size_t d = 0; d < width; ++d) {
      result.embedding[static_cast<size_t>(id) * width + d] += gradient[d];
    }
  }
  return result;
}

double norm_of(const std::vector<double>& numbers, model::NormOrder order) {
  double sum = 0;
  double max = 0;
  for (const double number : numbers) {
    sum += order == kOne ? std::fabs(number) : number * number;
    max = std::max(max, std::fabs(number));
  }
  if (order == kInfinity) return max;
  return order == kOne ? sum : std::sqrt(sum);
}

TEST(HeadGradientTest, RowsGradientIsTheSlopeOfTheLoss) {
  for (const HeadShape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    HeadParts parts(shape);
    const Matrix found = parts.run({kTwo}).normed_gradient;
    ASSERT_EQ(found.rows(), parts.rows().normed.rows());
    for (int64_t i = 0; i < found.rows(); ++i) {
      const auto at = static_cast<size_t>(i);
      for (int64_t d = 0; d < std::min<int64_t>(shape.width, 5); ++d) {
        constexpr double kStep = 1e-4;  // in double precision: an error of 1e-8
        std::vector<double> above = row_of(parts, i);
        std::vector<double> below = above;
        above[static_cast<size_t>(d)] += kStep;
        below[static_cast<size_t>(d)] -= kStep;
        const double slope = (loss_of(parts, above, at) - loss_of(parts, below, at)) / (2 * kStep);
        EXPECT_NEAR(found.row(i)[d], slope, 2e-6) << "row " << i << ", column " << d;
      }
    }
  }
}

// With p = 2 alone from Gram matrices, with other orders from gradients that are formed.
TEST(HeadGradientTest, NormsOfEachExample) {
  for (const HeadShape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    HeadParts parts(shape);
    for (const auto& orders : {Orders{kOne, kTwo, kInfinity}, Orders{kTwo}, Orders{kInfinity}}) {
      const GradientNorms found = parts.run(orders).norms;
      for (size_t e = 0; e < parts.ids().size(); ++e) {
        const ExampleGradients expected = gradients_of(parts, e);
        const auto norms = found.norms(parts.rows().examples[e].example);
        const auto expect = [&](const std::string& name, const std::vector<double>& gradient) {
          const auto parameter = static_cast<size_t>(found.parameter(name));
          for (size_t o = 0; o < orders.size(); ++o) {
            const double norm = norm_of(gradient, orders[o]);
            EXPECT_NEAR(norms[o][parameter], norm, 5e-6 * norm)
                << name << " of example " << e << ", order " << o << " of " << orders.size();
          }
        };
        expect("embedding", expected.embedding);
        if (!parts.tied()) expect("head", expected.head);
        if (shape.bias) expect("bias", expected.bias);
        EXPECT_EQ(norms[0][static_cast<size_t>(found.parameter("norm"))], 0);
      }
    }
  }
}

TEST(HeadGradientTest, ScoresAreThoseOfTheHead) {
  for (const HeadShape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    HeadParts parts(shape);
    const std::vector<kernels::VocabularyState> states = parts.run({kTwo}).states;
    for (size_t i = 0; i < states.size(); ++i) {
      const std::vector<double> logits = logits_of(parts, row_of(parts, static_cast<int64_t>(i)));
      EXPECT_NEAR(states[i].max + std::log(states[i].sum()), log_sum_of(logits), 1e-5);
      EXPECT_NEAR(states[i].label_logit, logits[static_cast<size_t>(parts.rows().labels[i])], 1e-5);
    }
  }
}

TEST(HeadGradientTest, ThreadsChangeNothing) {
  for (const HeadShape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    for (const auto& orders : {Orders{kTwo}, Orders{kOne, kTwo}}) {
      HeadParts one(shape, 1);
      const auto expected = one.run(orders);
      for (const int threads : {2, 3}) {
        HeadParts several(shape, threads);
        const auto found = several.run(orders);
        EXPECT_TRUE(equal(found.normed_gradient, expected.normed_gradient));
        for (int64_t e = 0; e < 3; ++e) EXPECT_EQ(found.norms.norms(e), expected.norms.norms(e));
      }
    }
  }
}

}  // namespace
}  // namespace palimpsest::engine
