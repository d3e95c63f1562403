#include "palimpsest/engine/internal/norm_sink.h"

#include <utility>

#include "palimpsest/engine/internal/matmul_tasks.h"
#include "palimpsest/kernels/internal/rows.h"

namespace palimpsest::engine {
namespace {

// Two Gram matrices (their lower halves) against one product as large as the weight.
bool gram_is_cheaper(int64_t rows, const model::LinearSpec& spec) {
  return rows * (spec.inputs + spec.outputs()) < spec.inputs * spec.outputs();
}

}  // namespace

NormSink::NormSink(std::vector<ExampleRows> examples, GradientNorms& norms, WorkerPool& pool)
    : GradientSink(std::move(examples)),
      norms_(norms),
      pool_(pool),
      scratch_(static_cast<size_t>(pool.size())),
      matmul_(pool) {}

void NormSink::linear(const model::LinearSpec& spec, int64_t layer, const Matrix& x,
                      const Matrix& dy) {
  const auto by_gram = [&](const ExampleRows& rows) {
    return norms_.only_two_norm() && gram_is_cheaper(rows.count(), spec);
  };
  pool_.run(static_cast<int64_t>(examples().size()), [&](int64_t unit, int worker) {
    const ExampleRows& rows = examples()[static_cast<size_t>(unit)];
    biases(spec, layer, dy, rows);
    if (by_gram(rows)) weights_by_gram(spec, layer, x, dy, rows, worker);
  });
  // One after the other: these products are large enough to share among the threads.
  for (const ExampleRows& rows : examples()) {
    if (!by_gram(rows)) weights_by_forming(spec, layer, x, dy, rows);
  }
}

void NormSink::weights_by_gram(const model::LinearSpec& spec, int64_t layer, const Matrix& x,
                               const Matrix& dy, const ExampleRows& rows, int worker) {
  Scratch& scratch = scratch_[static_cast<size_t>(worker)];
  const int64_t width = dy.columns();
  kernels::gram_matrix(x.data() + rows.begin * spec.inputs, spec.inputs, rows.count(), spec.inputs,
                       scratch.inputs, false, scratch.panels);
  int64_t column = 0;
  for (const model::LinearPart& part : spec.parts) {
    kernels::gram_matrix(dy.data() + rows.begin * width + column, width, rows.count(), part.outputs,
                         scratch.outputs, false, scratch.panels);
    norms_.add_square(rows.example, norms_.parameter(model::layer_name(part.weight, layer)),
                      kernels::gram_product(scratch.inputs, scratch.outputs, rows.count()));
    column += part.outputs;
  }
}

void NormSink::weights_by_forming(const model::LinearSpec& spec, int64_t layer, const Matrix& x,
                                  const Matrix& dy, const ExampleRows& rows) {
  const Matrix in = x.slice(rows.begin, rows.count());
  int64_t column = 0;
  for (const model::LinearPart& part : spec.parts) {
    const Matrix back = dy.slice(rows.begin, rows.count()).slice_columns(column, part.outputs);
    const int64_t size = part.outputs * spec.inputs;
    if (formed_.size() < size) formed_ = host_matrix(1, size);
    const Matrix gradient = formed_.reshaped(part.outputs, spec.inputs);
    matmul_.run(weight_gradient_matmul(in, back, gradient));
    norms_.add(rows.example, norms_.parameter(model::layer_name(part.weight, layer)),
               {gradient.data(), static_cast<size_t>(size)});
    column += part.outputs;
  }
}

void NormSink::biases(const model::LinearSpec& spec, int64_t layer, const Matrix& dy,
                      const ExampleRows& rows) {
  const int64_t width = dy.columns();
  int64_t column = 0;
  for (const model::LinearPart& part : spec.parts) {
    if (part.bias) {
      std::vector<float> sum(static_cast<size_t>(part.outputs));
      for (int64_t row = rows.begin; row < rows.end; ++row) {
        kernels::add(sum.data(), dy.data() + row * width + column, part.outputs);
      }
      norms_.add(rows.example, norms_.parameter(model::layer_name(*part.bias, layer)), sum);
    }
    column += part.outputs;
  }
}

void NormSink::vector(const std::string& name, const Matrix& gradients) {
  const int64_t parameter = norms_.parameter(name);
  for (size_t e = 0; e < examples().size(); ++e) {
    norms_.add(examples()[e].example, parameter,
               {gradients.row(static_cast<int64_t>(e)), static_cast<size_t>(gradients.columns())});
  }
}

}  // namespace palimpsest::engine
