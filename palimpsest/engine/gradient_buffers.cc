#include "palimpsest/engine/internal/gradient_buffers.h"

#include <algorithm>
#include <utility>

#include "palimpsest/engine/internal/matmul_tasks.h"
#include "palimpsest/engine/internal/parameter_tensors.h"
#include "palimpsest/kernels/internal/rows.h"

namespace palimpsest::engine {

GradientBuffers::GradientBuffers(const model::Architecture& architecture,
                                 const ModelWeights& weights)
    : sums_(zeros_like(weights)) {
  for (int64_t index = 0; index < architecture.num_layers; ++index) {
    for_each_part(architecture.layer_spec(index), sums_.layers[static_cast<size_t>(index)],
                  [&](const auto& spec, const auto& part) { add(spec, index, part); });
  }
  add(architecture.final_norm, 0, sums_.final_norm);
}

void GradientBuffers::add(const model::LinearSpec& spec, int64_t layer,
                          const LinearWeights& linear) {
  linears_.emplace(model::layer_name(spec.parts.front().weight, layer), linear);
}

void GradientBuffers::add(const std::optional<model::NormSpec>& spec, int64_t layer,
                          const NormWeights& norm) {
  if (!spec) return;
  vectors_.emplace(model::layer_name(spec->weight, layer), norm.weight);
  if (spec->bias) vectors_.emplace(model::layer_name(*spec->bias, layer), norm.bias);
}

void GradientBuffers::clear(WorkerPool& pool) {
  for (const WeightBlock& block : weight_blocks(sums_)) {
    pool.for_ranges(block.matrix.rows(), 64, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        std::fill_n(block.matrix.row(row), block.matrix.columns(), 0.0F);
      }
    });
  }
}

GradientSums::GradientSums(std::vector<ExampleRows> examples, const GradientBuffers& buffers,
                           kernels::Matmul& product, WorkerPool& pool)
    : GradientSink(std::move(examples)), buffers_(buffers), matmul_(product), pool_(pool) {}

void GradientSums::linear(const model::LinearSpec& spec, int64_t layer, const Matrix& x,
                          const Matrix& dy) {
  const LinearWeights& sums = buffers_.linear(model::layer_name(spec.parts.front().weight, layer));
  kernels::MatmulTask task = weight_gradient_matmul(x, dy, sums.weight);
  task.accumulate = true;
  matmul_.run(task);
  if (sums.bias.defined()) add_rows(dy, sums.bias, pool_);
}

void GradientSums::vector(const std::string& name, const Matrix& gradients) {
  add_rows(gradients, buffers_.vector(name), pool_);
}

void add_rows(const Matrix& x, const Matrix& sum, WorkerPool& pool) {
  constexpr int64_t kColumns = 256;
  pool.run((x.columns() + kColumns - 1) / kColumns, [&](int64_t piece, int) {
    const int64_t begin = piece * kColumns;
    const int64_t count = std::min(kColumns, x.columns() - begin);
    for (int64_t row = 0; row < x.rows(); ++row) {
      kernels::add(sum.data() + begin, x.row(row) + begin, count);
    }
  });
}

}  // namespace palimpsest::engine
