#include <utility>

#include "palimpsest/torch/internal/guarded.h"
#include "palimpsest/torch/internal/torch_ops.h"

namespace palimpsest::torch {
namespace {

using namespace engine;

class GuardedOps : public Ops {
 public:
  explicit GuardedOps(std::unique_ptr<Ops> ops) : ops_(std::move(ops)) {}

  bool uses_host_float32() const override { return ops_->uses_host_float32(); }
  Matrix make(int64_t rows, int64_t columns) override {
    return guarded([&] { return ops_->make(rows, columns); });
  }
  Matrix to_device(const Matrix& host) override {
    return guarded([&] { return ops_->to_device(host); });
  }
  Matrix gather(const Matrix& table, std::span<const int64_t> rows) override {
    return guarded([&] { return ops_->gather(table, rows); });
  }
  void copy(const Matrix& from, const Matrix& to) override {
    guarded([&] { ops_->copy(from, to); });
  }
  Matrix to_host(const Matrix& matrix) override {
    return guarded([&] { return ops_->to_host(matrix); });
  }
  void scale(const Matrix& x, double factor) override {
    guarded([&] { ops_->scale(x, factor); });
  }
  void add(const Matrix& x, const Matrix& y) override {
    guarded([&] { ops_->add(x, y); });
  }
  void norm(const NormWeights& norm, const Matrix& x, const Matrix& out) override {
    guarded([&] { ops_->norm(norm, x, out); });
  }
  void multiply(const Matrix& x, const Matrix& weight, const Matrix& out) override {
    guarded([&] { ops_->multiply(x, weight, out); });
  }
  void multiply_add(const Matrix& x, const Matrix& weight, const Matrix& out) override {
    guarded([&] { ops_->multiply_add(x, weight, out); });
  }
  void prepare_attention(const LayerWeights& layer, const RotaryTable& rotary,
                         const Matrix& qkv) override {
    guarded([&] { ops_->prepare_attention(layer, rotary, qkv); });
  }
  void attention(int64_t layer, const Batch& batch, const Matrix& qkv, const Matrix& out,
                 const Matrix& log_sums) override {
    guarded([&] { ops_->attention(layer, batch, qkv, out, log_sums); });
  }
  void activate(const LayerWeights& layer, const Matrix& in, const Matrix& out) override {
    guarded([&] { ops_->activate(layer, in, out); });
  }
  void add_residual(const Matrix& bias, const NormWeights& post_norm, const Matrix& x,
                    const Matrix& hidden) override {
    guarded([&] { ops_->add_residual(bias, post_norm, x, hidden); });
  }
  void finish_logits(const Matrix& bias, const Matrix& tile) override {
    guarded([&] { ops_->finish_logits(bias, tile); });
  }
  void reduce(int64_t first, const Matrix& tile, std::span<const int64_t> labels,
              std::span<kernels::VocabularyState> states) override {
    guarded([&] { ops_->reduce(first, tile, labels, states); });
  }

 private:
  std::unique_ptr<Ops> ops_;
};

}  // namespace

std::unique_ptr<engine::Ops> make_guarded_ops(std::unique_ptr<engine::Ops> ops) {
  return std::make_unique<GuardedOps>(std::move(ops));
}

}  // namespace palimpsest::torch
