#include "palimpsest/engine/internal/decoder.h"

#include <utility>

namespace palimpsest::engine {

ToDevice to_device_with(Ops& ops) {
  return [&ops](const Matrix& read) { return ops.to_device(read); };
}

Decoder::Decoder(const model::Architecture& architecture, ModelWeights weights, Ops& ops)
    : Decoder(architecture, {.end = architecture.num_layers}, std::move(weights), ops) {}

Decoder::Decoder(const model::Architecture& architecture, Layers layers, ModelWeights weights,
                 Ops& ops)
    : architecture_(architecture), layers_(layers), ops_(ops), weights_(std::move(weights)) {}

Decoder::Decoder(const WeightSource& source, Ops& ops)
    : architecture_(source.architecture()),
      layers_{.end = architecture_.num_layers},
      ops_(ops),
      source_(&source) {
  weights_.final_norm = moved_to_device(source.final_norm(), to_device_with(ops));
  weights_.positions = ops.to_device(source.positions());
  weights_.head_bias = ops.to_device(source.head_bias());
}

const LayerWeights& Decoder::layer(int64_t index) {
  if (!streamed()) return weights_.layers[static_cast<size_t>(index)];
  if (current_index_ != index) {
    // Nothing is there until the next one has been read: two need not fit, and reading may fail.
    current_ = LayerWeights();
    current_index_ = -1;
    current_ = moved_to_device(source_->layer(index), to_device_with(ops_));
    current_index_ = index;
  }
  return current_;
}

Matrix Decoder::head_rows(int64_t begin, int64_t end) const {
  return streamed() ? ops_.to_device(source_->head_rows(begin, end))
                    : weights_.head.slice(begin, end - begin);
}

Matrix Decoder::embed(const Batch& batch) const {
  const model::Architecture& a = architecture();
  Matrix hidden;
  if (streamed()) {
    const Matrix rows = host_matrix(batch.rows(), a.hidden_size);
    for (int64_t row = 0; row < batch.rows(); ++row) {
      source_->embedding_row(batch.ids[static_cast<size_t>(row)], rows.row(row));
    }
    hidden = ops_.to_device(rows);
  } else {
    hidden = ops_.gather(weights_.embedding, batch.ids);
  }
  if (a.embedding_scale != 1) ops_.scale(hidden, a.embedding_scale);
  if (weights_.positions.defined()) {
    ops_.add(ops_.gather(weights_.positions, batch.positions), hidden);
  }
  return hidden;
}

Matrix Decoder::copy_of(const Matrix& matrix) {
  Matrix copy = ops_.make(matrix.rows(), matrix.columns());
  ops_.copy(matrix, copy);
  return copy;
}

// Work space of this size: a piece of what is kept from earlier calls, or new memory.
Matrix Decoder::buffer(Matrix& kept, int64_t rows, int64_t columns, bool fresh) {
  if (fresh) return ops_.make(rows, columns);
  if (kept.size() < rows * columns) kept = ops_.make(1, rows * columns);
  return kept.reshaped(rows, columns);
}

// hidden += post_norm(x · weightᵀ + bias). `kept`: where the product goes if it is needed again.
void Decoder::project_and_add(const Matrix& x, const LinearWeights& linear,
                              const NormWeights& post_norm, Matrix& hidden, Matrix* kept) {
  const bool has_norm = post_norm.weight.defined();
  if (!linear.bias.defined() && !has_norm) {
    ops_.multiply_add(x, linear.weight, hidden);
    return;
  }
  const bool keep = kept != nullptr && has_norm;
  Matrix projected = buffer(projected_, x.rows(), linear.weight.rows(), keep);
  ops_.multiply(x, linear.weight, projected);
  ops_.add_residual(linear.bias, post_norm, projected, hidden);
  if (keep) *kept = projected;
}

Matrix Decoder::normed(const NormWeights& norm, const Matrix& hidden) {
  if (!norm.weight.defined()) return hidden;
  Matrix out = buffer(normed_, hidden.rows(), hidden.columns(), false);
  ops_.norm(norm, hidden, out);
  return out;
}

Matrix Decoder::attend(int64_t index, const LayerWeights& w, const Batch& batch,
                       const RotaryTable& rotary, const Matrix& input, LayerTape* tape) {
  const model::Architecture& a = architecture();
  const int64_t rows = batch.rows();
  const bool taped = tape != nullptr;
  Matrix qkv = buffer(qkv_, rows, w.query_key_value.weight.rows(), taped);
  ops_.multiply(input, w.query_key_value.weight, qkv);
  if (taped && w.query_norm.weight.defined()) tape->projected = copy_of(qkv);
  ops_.prepare_attention(w, rotary, qkv);
  Matrix attended = buffer(attended_, rows, a.num_heads * a.head_dim, taped);
  Matrix log_sums = taped ? ops_.make(rows, a.num_heads) : Matrix();
  ops_.attention(index, batch, qkv, attended, log_sums);
  if (taped) {
    tape->qkv = qkv;
    tape->log_sums = log_sums;
    tape->attended = attended;
  }
  return attended;
}

void Decoder::run_layer(int64_t index, const LayerWeights& w, const Batch& batch,
                        const RotaryTable& rotary, Matrix& hidden, LayerTape* tape) {
  const bool taped = tape != nullptr;
  if (taped) tape->hidden = copy_of(hidden);
  Matrix input = normed(w.attention_norm, hidden);
  const Matrix attended = attend(index, w, batch, rotary, input, tape);
  // In a parallel block the MLP reads what attention read, so its norm comes before the residual.
  if (w.kind.parallel_block && w.mlp_norm.weight.defined()) input = normed(w.mlp_norm, hidden);
  project_and_add(attended, w.attention_out, w.attention_post_norm, hidden,
                  taped ? &tape->attention_out : nullptr);
  if (!w.kind.parallel_block) {
    if (taped) tape->middle = copy_of(hidden);
    input = normed(w.mlp_norm, hidden);
  }
  Matrix mlp_in = buffer(mlp_in_, batch.rows(), w.mlp_in.weight.rows(), taped);
  ops_.multiply(input, w.mlp_in.weight, mlp_in);
  Matrix activated = buffer(activated_, batch.rows(), w.kind.mlp_size, false);
  ops_.activate(w, mlp_in, activated);
  if (taped) tape->mlp_in = mlp_in;
  project_and_add(activated, w.mlp_out, w.mlp_post_norm, hidden, taped ? &tape->mlp_out : nullptr);
}

void Decoder::run_layer(int64_t index, const Batch& batch, const RotaryTables& rotaries,
                        Matrix& hidden, LayerTape* tape) {
  const LayerWeights& weights = layer(index);
  run_layer(index, weights, batch, rotaries.of(weights.kind), hidden, tape);
}

void Decoder::run(std::span<const Batch> batches, std::vector<Matrix>& hidden) {
  std::vector<RotaryTables> rotaries;
  for (const Batch& batch : batches) rotaries.emplace_back(architecture_, batch);
  for (int64_t index = layers_.begin; index < layers_.end; ++index) {
    for (size_t i = 0; i < batches.size(); ++i) {
      run_layer(index, batches[i], rotaries[i], hidden[i], nullptr);
    }
  }
}

Matrix Decoder::final_norm(const Matrix& hidden, std::span<const int64_t> rows) const {
  Matrix picked = ops_.gather(hidden, rows);
  ops_.norm(weights_.final_norm, picked, picked);
  return picked;
}

}  // namespace palimpsest::engine
