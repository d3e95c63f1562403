#include "palimpsest/torch/decoder.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <algorithm>

namespace palimpsest::torch {

namespace {

at::Tensor rows_of(const at::Tensor& table, std::span<const int64_t> rows) {
  at::Tensor indices = at::empty({static_cast<int64_t>(rows.size())}, at::kLong);
  std::copy(rows.begin(), rows.end(), indices.data_ptr<int64_t>());
  return at::index_select(table, 0, indices.to(table.device()));
}

}  // namespace

Decoder::Decoder(const WeightSource& source, Ops& ops, bool streamed)
    : source_(source), ops_(ops), streamed_(streamed) {
  const Architecture& a = source.architecture();
  final_norm_ = place(source.final_norm());
  positions_ = place(source.positions());
  head_bias_ = place(source.head_bias());
  for (at::Tensor* work : {&normed_, &qkv_, &attended_, &mlp_in_, &activated_, &projected_}) {
    *work = at::empty({0}, ops.options());
  }
  if (streamed) return;
  embedding_ = place(source.embedding_rows(0, a.vocab_size));
  head_ = a.head ? place(source.head_rows(0, a.vocab_size)) : embedding_;
  for (int64_t index = 0; index < a.num_layers; ++index) {
    layers_.push_back(place(source.layer(index)));
  }
}

// To the device and type of the computation; nothing happens to what is there already.
at::Tensor Decoder::place(const at::Tensor& tensor) const {
  return tensor.defined() ? tensor.to(ops_.options()) : tensor;
}

NormWeights Decoder::place(const NormWeights& norm) const {
  return {.weight = place(norm.weight), .bias = place(norm.bias)};
}

LinearWeights Decoder::place(const LinearWeights& linear) const {
  return {.weight = place(linear.weight), .bias = place(linear.bias)};
}

LayerWeights Decoder::place(const LayerWeights& w) const {
  return {.attention_norm = place(w.attention_norm),
          .query_norm = place(w.query_norm),
          .key_norm = place(w.key_norm),
          .attention_post_norm = place(w.attention_post_norm),
          .mlp_norm = place(w.mlp_norm),
          .mlp_post_norm = place(w.mlp_post_norm),
          .query_key_value = place(w.query_key_value),
          .attention_out = place(w.attention_out),
          .mlp_in = place(w.mlp_in),
          .mlp_out = place(w.mlp_out)};
}

const LayerWeights& Decoder::layer(int64_t index) {
  if (!streamed_) return layers_[static_cast<size_t>(index)];
  if (current_index_ != index) {
    // Nothing is there until the next one has been read: two need not fit, and reading may fail.
    current_ = LayerWeights();
    current_index_ = -1;
    current_ = place(source_.layer(index));
    current_index_ = index;
  }
  return current_;
}

at::Tensor Decoder::head_rows(int64_t begin, int64_t end) const {
  return streamed_ ? place(source_.head_rows(begin, end)) : head_.narrow(0, begin, end - begin);
}

RotaryTable Decoder::rotary(const Batch& batch) const {
  return architecture().rotary ? rotary_table(*architecture().rotary, batch) : RotaryTable();
}

at::Tensor Decoder::embed(const Batch& batch) const {
  const Architecture& a = architecture();
  at::Tensor hidden;
  if (streamed_) {
    hidden = at::empty({batch.rows(), a.hidden_size}, at::kFloat);
    for (int64_t row = 0; row < batch.rows(); ++row) {
      source_.embedding_row(batch.ids[static_cast<size_t>(row)],
                            hidden.data_ptr<float>() + row * a.hidden_size);
    }
    hidden = place(hidden);
  } else {
    hidden = rows_of(embedding_, batch.ids);
  }
  if (a.embedding_scale != 1) hidden.mul_(a.embedding_scale);
  if (positions_.defined()) hidden.add_(rows_of(positions_, batch.positions));
  return hidden;
}

// Work space of this size: a piece of what is kept from earlier calls, or new memory.
at::Tensor Decoder::buffer(at::Tensor& kept, int64_t rows, int64_t columns, bool fresh) const {
  if (fresh) return at::empty({rows, columns}, ops_.options());
  if (kept.numel() < rows * columns) kept = at::empty({rows * columns}, ops_.options());
  return kept.view(-1).narrow(0, 0, rows * columns).view({rows, columns});
}

// hidden += post_norm(x · weightᵀ + bias). `kept`: where the product goes if it is needed again.
void Decoder::project_and_add(const at::Tensor& x, const LinearWeights& linear,
                              const NormWeights& post_norm, at::Tensor& hidden, at::Tensor* kept) {
  const bool has_norm = post_norm.weight.defined();
  if (!linear.bias.defined() && !has_norm) {
    ops_.multiply_add(x, linear.weight, hidden);
    return;
  }
  const bool keep = kept != nullptr && has_norm;
  at::Tensor projected = buffer(projected_, x.size(0), linear.weight.size(0), keep);
  ops_.multiply(x, linear.weight, projected);
  ops_.add_residual(linear.bias, post_norm, projected, hidden);
  if (keep) *kept = projected;
}

at::Tensor Decoder::normed(const NormWeights& norm, const at::Tensor& hidden) {
  if (!norm.weight.defined()) return hidden;
  at::Tensor out = buffer(normed_, hidden.size(0), hidden.size(1), false);
  ops_.norm(norm, hidden, out);
  return out;
}

at::Tensor Decoder::attend(int64_t index, const LayerWeights& w, const Batch& batch,
                           const RotaryTable& rotary, const at::Tensor& input, LayerTape* tape) {
  const Architecture& a = architecture();
  const int64_t rows = batch.rows();
  const bool taped = tape != nullptr;
  at::Tensor qkv = buffer(qkv_, rows, w.query_key_value.weight.size(0), taped);
  ops_.multiply(input, w.query_key_value.weight, qkv);
  if (taped && w.query_norm.weight.defined()) tape->projected = qkv.clone();
  ops_.prepare_attention(w, rotary, qkv);
  at::Tensor attended = buffer(attended_, rows, a.num_heads * a.head_dim, taped);
  at::Tensor log_sums = taped ? at::empty({rows, a.num_heads}, ops_.options()) : at::Tensor();
  ops_.attention(index, batch, qkv, attended, log_sums);
  if (taped) {
    tape->qkv = qkv;
    tape->log_sums = log_sums;
    tape->attended = attended;
  }
  return attended;
}

void Decoder::run_layer(int64_t index, const LayerWeights& w, const Batch& batch,
                        const RotaryTable& rotary, at::Tensor& hidden, LayerTape* tape) {
  const Architecture& a = architecture();
  const bool taped = tape != nullptr;
  if (taped) tape->hidden = hidden.clone();
  at::Tensor input = normed(w.attention_norm, hidden);
  const at::Tensor attended = attend(index, w, batch, rotary, input, tape);
  // In a parallel block the MLP reads what attention read, so its norm comes before the residual.
  if (a.parallel_block && w.mlp_norm.weight.defined()) input = normed(w.mlp_norm, hidden);
  project_and_add(attended, w.attention_out, w.attention_post_norm, hidden,
                  taped ? &tape->attention_out : nullptr);
  if (!a.parallel_block) {
    if (taped) tape->middle = hidden.clone();
    input = normed(w.mlp_norm, hidden);
  }
  at::Tensor mlp_in = buffer(mlp_in_, batch.rows(), w.mlp_in.weight.size(0), taped);
  ops_.multiply(input, w.mlp_in.weight, mlp_in);
  at::Tensor activated = buffer(activated_, batch.rows(), a.mlp_size, false);
  ops_.activate(w.mlp_in.bias, mlp_in, activated);
  if (taped) tape->mlp_in = mlp_in;
  project_and_add(activated, w.mlp_out, w.mlp_post_norm, hidden, taped ? &tape->mlp_out : nullptr);
}

void Decoder::run(std::span<const Batch> batches, std::vector<at::Tensor>& hidden) {
  std::vector<RotaryTable> rotaries;
  for (const Batch& batch : batches) rotaries.push_back(rotary(batch));
  for (int64_t index = 0; index < architecture().num_layers; ++index) {
    const LayerWeights& weights = layer(index);
    for (size_t i = 0; i < batches.size(); ++i) {
      run_layer(index, weights, batches[i], rotaries[i], hidden[i], nullptr);
    }
  }
}

std::vector<LayerTape> Decoder::run_taped(const Batch& batch, const RotaryTable& rotary,
                                          at::Tensor& hidden) {
  std::vector<LayerTape> tapes(static_cast<size_t>(architecture().num_layers));
  for (int64_t index = 0; index < architecture().num_layers; ++index) {
    run_layer(index, layer(index), batch, rotary, hidden, &tapes[static_cast<size_t>(index)]);
  }
  return tapes;
}

at::Tensor Decoder::final_norm(const at::Tensor& hidden, std::span<const int64_t> rows) const {
  at::Tensor picked = rows_of(hidden, rows);
  ops_.norm(final_norm_, picked, picked);
  return picked;
}

}  // namespace palimpsest::torch
