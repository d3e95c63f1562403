#include "palimpsest/engine/internal/training_head.h"

#include <algorithm>

#include "palimpsest/engine/internal/matmul_tasks.h"
#include "palimpsest/kernels/internal/vocabulary.h"

namespace palimpsest::engine {
namespace {

// Logits that exist at the same time, 64 MB: enough rows for the full rate of the products.
constexpr int64_t kLogits = int64_t{1} << 24;
constexpr int64_t kMinRows = 64;
constexpr int64_t kLossesPerUnit = 4;

}  // namespace

TrainingHead::TrainingHead(Decoder& decoder, const GradientBuffers& buffers,
                           kernels::Matmul& product, WorkerPool& pool)
    : decoder_(decoder), buffers_(buffers), matmul_(product), pool_(pool) {}

Matrix TrainingHead::logits(Decoder& decoder, const Matrix& normed, Matrix& memory) {
  const int64_t vocabulary = decoder.architecture().vocab_size;
  if (memory.size() < normed.rows() * vocabulary) {
    memory = Matrix();
    memory = host_matrix(1, normed.rows() * vocabulary);
  }
  Matrix all = memory.reshaped(normed.rows(), vocabulary);
  decoder.ops().multiply(normed, decoder.head_rows(0, vocabulary), all);
  decoder.ops().finish_logits(decoder.head_bias(), all);
  return all;
}

Matrix TrainingHead::run(const HeadLosses& losses, std::vector<double>& values) {
  const int64_t vocabulary = decoder_.architecture().vocab_size;
  const int64_t rows = losses.normed.rows();
  const int64_t together = std::max(kMinRows, kLogits / std::max<int64_t>(vocabulary, 1));
  Matrix gradient = host_matrix(rows, losses.normed.columns());
  values.resize(static_cast<size_t>(rows));
  for (int64_t begin = 0; begin < rows; begin += together) {
    run_rows(losses, begin, std::min(together, rows - begin), gradient, values);
  }
  return gradient;
}

void TrainingHead::run_rows(const HeadLosses& losses, int64_t begin, int64_t count,
                            const Matrix& gradient, std::vector<double>& values) {
  const model::Architecture& a = decoder_.architecture();
  const auto inverse_cap = static_cast<float>(a.logit_softcap ? 1 / *a.logit_softcap : 0);
  const Matrix normed = losses.normed.slice(begin, count);
  const Matrix tile = logits(decoder_, normed, logits_);
  Matrix others;
  if (losses.other != nullptr) {
    others = logits(*losses.other, losses.other_normed.slice(begin, count), other_logits_);
  }
  pool_.for_ranges(count, kLossesPerUnit, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const auto i = static_cast<size_t>(begin + row);
      const float weight = losses.weights[i];
      values[i] = losses.other != nullptr
                      ? kernels::divergence_gradient(tile.row(row), others.row(row), a.vocab_size,
                                                     weight, inverse_cap)
                      : -kernels::likelihood_gradient(tile.row(row), a.vocab_size, losses.labels[i],
                                                      weight, inverse_cap);
    }
  });
  const Matrix head = decoder_.head_rows(0, a.vocab_size);
  matmul_.run(backward_matmul(tile, head, gradient.slice(begin, count)));
  kernels::MatmulTask task = weight_gradient_matmul(normed, tile, buffers_.sums().head);
  task.accumulate = true;
  matmul_.run(task);
  if (a.head_bias) add_rows(tile, buffers_.sums().head_bias, pool_);
}

}  // namespace palimpsest::engine
