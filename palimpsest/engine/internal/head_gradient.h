// The gradient of the losses through the head, in the same pass over the vocabulary that scores
// them: with u = e^d (and, in the label's place, minus the sum of the others) the gradient of a
// token's logits is weight / Σ e^d · u, so that everything linear in u can be summed before Σ e^d
// is known and brought to a common maximum as it rises.
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

// The labelled rows of a batch, those of one example one after the other.
struct LabelledRows {
  Matrix normed;                // [n, D], after the final norm
  std::vector<int64_t> labels;  // n
  std::vector<float> weights;   // n: what the row's -log p counts in its example's loss
  std::vector<ExampleRows> examples;
};

// Gradient rows of the embedding's input side, one per token of the example.
struct EmbeddedRows {
  std::vector<int64_t> ids;
  const float* gradient = nullptr;  // [ids.size(), D]
};

class HeadGradient {
 public:
  HeadGradient(Decoder& decoder, Head& head, WorkerPool& pool, const LabelledRows& rows,
               GradientNorms& norms);

  // The forward pass of the head; `ids[e]` are the tokens of example e, whose columns matter if
  // the embedding is tied.
  void run(const std::vector<std::span<const int64_t>>& ids);

  const std::vector<kernels::VocabularyState>& states() const { return states_; }
  // [n, D]: the loss's gradient with respect to `normed`.
  Matrix normed_gradient() const;

  // Takes the norms of the head's weight and bias, and of the embedding. `embedded[e]` belongs to
  // example e.
  void add_norms(const std::vector<EmbeddedRows>& embedded);

 private:
  // The numbers of one example that outlive the tiles.
  struct Example {
    std::vector<int64_t> columns;       // classes whose u is kept, in order
    std::vector<float> kept;            // [rows, columns]: logits, later u
    std::vector<int64_t> label_column;  // of each row, in `columns`
    std::vector<float> gram;            // Σ over classes without labels of u uᵀ
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
  Matrix mixed_;          // [n, D]: Σ u W over the classes but the label
  Matrix label_weights_;  // [n, D]: the label's row of W
  std::vector<kernels::GramScratch> scratch_;
  kernels::Matmul matmul_;
};

}  // namespace palimpsest::engine
