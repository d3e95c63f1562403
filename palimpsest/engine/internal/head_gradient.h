// Computes the gradient of the losses through the head, in the same pass over the vocabulary that
// computes the scores. Let u = e^d for each class, except that u of the label is minus the sum of
// the others. The gradient of a token's logits is then weight / Σ e^d · u. So everything that is
// linear in u can be summed before Σ e^d is known, and rescaled when the maximum rises.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/engine/internal/gradient_norms.h"
#include "palimpsest/engine/internal/gradient_sink.h"
#include "palimpsest/engine/internal/head.h"
#include "palimpsest/kernels/internal/gram.h"
#include "palimpsest/kernels/internal/matmul.h"

namespace palimpsest::engine {

// The labelled rows of a batch. The rows of an example are adjacent.
struct LabelledRows {
  Matrix normed;                // [n, D], after the final norm
  std::vector<int64_t> labels;  // one per row
  std::vector<float> weights;   // one per row: the weight of its -log p in the example's loss
  std::vector<ExampleRows> examples;
};

// The gradients of an example's input embeddings, one row per token.
struct EmbeddedRows {
  std::vector<int64_t> ids;
  const float* gradient = nullptr;  // [ids.size(), D]
};

class HeadGradient {
 public:
  HeadGradient(Decoder& decoder, Head& head, WorkerPool& pool, const LabelledRows& rows,
               GradientNorms& norms);

  // Runs the forward pass of the head. `ids[e]` are the tokens of example e; if the embedding is
  // tied, the gradients of their columns are kept.
  void run(const std::vector<std::span<const int64_t>>& ids);

  const std::vector<kernels::VocabularyState>& states() const { return states_; }
  // The gradient of the loss with respect to `normed`, [n, D].
  Matrix normed_gradient() const;

  // Adds the norms of the head's weight and bias and of the embedding. `embedded[e]` belongs to
  // example e.
  void add_norms(const std::vector<EmbeddedRows>& embedded);

 private:
  // The numbers of one example that are kept beyond a tile.
  struct Example {
    std::vector<int64_t> columns;       // the classes whose u is kept, in order
    std::vector<float> kept;            // [rows, columns]: first logits, later u
    std::vector<int64_t> label_column;  // the column of each row's label in `columns`
    std::vector<float> gram;            // Σ u uᵀ over the classes that are not labels
  };
  void accumulate_tile(int64_t first, const Matrix& weights, const Matrix& tile);
  void accumulate_rows(size_t e, int64_t first, const Matrix& tile, const Matrix& weights);
  void finish_kept();
  double label_slope(size_t row) const;
  double logit_gram(const Example& example, int64_t begin, int64_t i, int64_t j) const;
  void norms_by_gram(size_t e, const EmbeddedRows& embedded);
  void norms_by_forming(const std::vector<EmbeddedRows>& embedded);
  void form_tile(size_t e, int64_t first, const Matrix& tile, const EmbeddedRows& embedded,
                 const Matrix& gradient);
  void input_norms(size_t e, const EmbeddedRows& embedded);
  std::vector<float> embedded_sums(const EmbeddedRows& embedded, std::vector<int64_t>& ids) const;

  Decoder& decoder_;
  Head& head_;
  WorkerPool& pool_;
  const LabelledRows& rows_;
  GradientNorms& norms_;
  float inverse_cap_;
  std::vector<kernels::VocabularyState> states_;
  std::vector<Example> examples_;
  Matrix mixed_;          // [n, D]: Σ u W over all classes except the label
  Matrix label_weights_;  // [n, D]: the row of W of each label
  std::vector<kernels::GramScratch> scratch_;
  kernels::Matmul matmul_;
};

}  // namespace palimpsest::engine
