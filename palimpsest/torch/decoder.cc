#include "palimpsest/torch/decoder.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "palimpsest/torch/kernels/rows.h"

namespace palimpsest::torch {

Decoder::Decoder(const WeightSource& source, Ops& ops, bool streamed)
    : source_(source), ops_(ops), streamed_(streamed) {
  const Architecture& a = source.architecture();
  final_norm_ = source.final_norm();
  positions_ = source.positions();
  head_bias_ = source.head_bias();
  for (at::Tensor* work : {&normed_, &qkv_, &attended_, &mlp_in_, &activated_, &projected_}) {
    *work = at::empty({0}, ops.options());
  }
  if (streamed) return;
  embedding_ = source.embedding_rows(0, a.vocab_size);
  head_ = a.head ? source.head_rows(0, a.vocab_size) : embedding_;
  for (int64_t index = 0; index < a.num_layers; ++index) layers_.push_back(source.layer(index));
}

const LayerWeights& Decoder::layer(int64_t index) {
  if (!streamed_) return layers_[static_cast<size_t>(index)];
  if (current_index_ != index) {
    // Nothing is there until the next one has been read: two need not fit, and reading may fail.
    current_ = LayerWeights();
    current_index_ = -1;
    current_ = source_.layer(index);
    current_index_ = index;
  }
  return current_;
}

at::Tensor Decoder::head_rows(int64_t begin, int64_t end) const {
  return streamed_ ? source_.head_rows(begin, end) : head_.narrow(0, begin, end - begin);
}

RotaryTable Decoder::rotary(const Batch& batch) const {
  return architecture().rotary ? rotary_table(*architecture().rotary, batch) : RotaryTable();
}

at::Tensor Decoder::embed(const Batch& batch) const {
  const Architecture& a = architecture();
  const int64_t width = a.hidden_size;
  at::Tensor hidden = at::empty({batch.rows(), width}, ops_.options());
  float* out = hidden.data_ptr<float>();
  for (int64_t row = 0; row < batch.rows(); ++row, out += width) {
    const int64_t id = batch.ids[static_cast<size_t>(row)];
    if (streamed_) {
      source_.embedding_row(id, out);
    } else {
      std::copy_n(embedding_.data_ptr<float>() + id * width, width, out);
    }
    if (a.embedding_scale != 1) kernels::scale(out, static_cast<float>(a.embedding_scale), width);
    if (positions_.defined()) {
      const int64_t position = batch.positions[static_cast<size_t>(row)];
      kernels::add(out, positions_.data_ptr<float>() + position * width, width);
    }
  }
  return hidden;
}

// Work space of this size: a piece of what is kept from earlier calls, or new memory.
at::Tensor Decoder::buffer(at::Tensor& kept, int64_t rows, int64_t columns, bool fresh) const {
  if (fresh) return at::empty({rows, columns}, ops_.options());
  if (kept.numel() < rows * columns) kept = at::empty({rows * columns}, ops_.options());
  return kept.view(-1).narrow(0, 0, rows * columns).view({rows, columns});
}

void Decoder::run_layer(int64_t index, const LayerWeights& w, const Batch& batch,
                        const RotaryTable& rotary, at::Tensor& hidden, LayerTape* tape) {
  const Architecture& a = architecture();
  const int64_t rows = batch.rows();
  const bool taped = tape != nullptr;
  if (taped) tape->hidden = hidden.clone();

  at::Tensor normed = hidden;
  if (w.attention_norm.weight.defined()) {
    normed = buffer(normed_, rows, a.hidden_size, false);
    ops_.norm(w.attention_norm, hidden, normed);
  }
  at::Tensor qkv = buffer(qkv_, rows, w.query_key_value.weight.size(0), taped);
  ops_.multiply(normed, w.query_key_value.weight, qkv);
  if (taped && w.query_norm.weight.defined()) tape->projected = qkv.clone();
  ops_.prepare_attention(w, rotary, qkv);
  at::Tensor attended = buffer(attended_, rows, a.num_heads * a.head_dim, taped);
  at::Tensor log_sums = taped ? at::empty({rows, a.num_heads}, ops_.options()) : at::Tensor();
  ops_.attention(index, batch, qkv, attended, log_sums);

  // In a parallel block the MLP reads what attention read, so its norm comes before the residual.
  at::Tensor mlp_input = normed;
  if (a.parallel_block && w.mlp_norm.weight.defined()) {
    mlp_input = buffer(normed_, rows, a.hidden_size, false);
    ops_.norm(w.mlp_norm, hidden, mlp_input);
  }
  const auto project_and_add = [&](const at::Tensor& x, const LinearWeights& linear,
                                   const NormWeights& post_norm, at::Tensor* kept) {
    if (!linear.bias.defined() && !post_norm.weight.defined()) {
      ops_.multiply_add(x, linear.weight, hidden);
      return;
    }
    const bool keep = taped && post_norm.weight.defined();
    at::Tensor projected = buffer(projected_, rows, a.hidden_size, keep);
    ops_.multiply(x, linear.weight, projected);
    ops_.add_residual(linear.bias, post_norm, projected, hidden);
    if (keep) *kept = projected;
  };
  at::Tensor no_tensor;
  project_and_add(attended, w.attention_out, w.attention_post_norm,
                  taped ? &tape->attention_out : &no_tensor);

  if (!a.parallel_block) {
    if (taped) tape->middle = hidden.clone();
    mlp_input = hidden;
    if (w.mlp_norm.weight.defined()) {
      mlp_input = buffer(normed_, rows, a.hidden_size, false);
      ops_.norm(w.mlp_norm, hidden, mlp_input);
    }
  }
  at::Tensor mlp_in = buffer(mlp_in_, rows, w.mlp_in.weight.size(0), taped);
  ops_.multiply(mlp_input, w.mlp_in.weight, mlp_in);
  at::Tensor activated = buffer(activated_, rows, a.mlp_size, false);
  ops_.activate(w.mlp_in.bias, mlp_in, activated);
  project_and_add(activated, w.mlp_out, w.mlp_post_norm, taped ? &tape->mlp_out : &no_tensor);

  if (taped) {
    tape->qkv = qkv;
    tape->log_sums = log_sums;
    tape->attended = attended;
    tape->mlp_in = mlp_in;
  }
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
  const int64_t width = architecture().hidden_size;
  at::Tensor picked = at::empty({static_cast<int64_t>(rows.size()), width}, ops_.options());
  for (size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(hidden.data_ptr<float>() + rows[i] * width, width,
                picked.data_ptr<float>() + static_cast<int64_t>(i) * width);
  }
  ops_.norm(final_norm_, picked, picked);
  return picked;
}

}  // namespace palimpsest::torch
