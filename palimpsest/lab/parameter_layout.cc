#include "palimpsest/lab/parameter_layout.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "palimpsest/base/error.h"
#include "palimpsest/lab/tiny_config.h"

namespace palimpsest::lab {

ParameterLayout::ParameterLayout(const Architecture& architecture, const std::string& where)
    : architecture_(architecture) {
  require_tiny(architecture, where);
  parameters_ = parameters(architecture);
  const int64_t width = architecture.hidden_size;
  const LayerSpec& layer = architecture.layer;
  add_block(architecture.vocab_size, width);
  for (int64_t i = 0; i < architecture.num_layers; ++i) {
    add_block(0, width);
    add_block(layer.query_key_value.outputs(), width);
    add_block(width, layer.attention_out.inputs);
    add_block(0, width);
    add_block(layer.mlp_in.outputs(), width);
    add_block(width, layer.mlp_out.inputs);
  }
  add_block(0, width);
  if (!architecture.tied_embeddings) add_block(architecture.vocab_size, width);
  int64_t elements = 0;
  for (const Parameter& parameter : parameters_) elements += num_elements(parameter);
  PALIMPSEST_CHECK(elements == size_);
}

void ParameterLayout::add_block(int64_t rows, int64_t columns) {
  blocks_.push_back({.offset = size_, .rows = rows, .columns = columns});
  size_ += blocks_.back().size();
}

std::vector<float> ParameterLayout::initial(Random random) const {
  constexpr double kDeviation = 0.02;
  constexpr int64_t kAttentionOut = 2;  // places among the blocks of a layer
  constexpr int64_t kDown = 5;
  const double residual =
      kDeviation / std::sqrt(2.0 * static_cast<double>(architecture_.num_layers));
  std::vector<float> values(static_cast<size_t>(size_));
  for (int64_t b = 0; b < std::ssize(blocks_); ++b) {
    const ParameterBlock& block = blocks_[static_cast<size_t>(b)];
    const bool in_layer = b >= 1 && b <= architecture_.num_layers * kBlocksPerLayer;
    const int64_t place = in_layer ? (b - 1) % kBlocksPerLayer : 0;
    const double deviation = place == kAttentionOut || place == kDown ? residual : kDeviation;
    Random own = random.split(static_cast<uint64_t>(b));
    for (int64_t i = 0; i < block.size(); ++i) {
      values[static_cast<size_t>(block.offset + i)] =
          block.is_matrix() ? static_cast<float>(deviation * own.normal()) : 1.0F;
    }
  }
  return values;
}

std::vector<float> ParameterLayout::read(const Checkpoint& checkpoint,
                                         const std::string& where) const {
  std::vector<float> values(static_cast<size_t>(size_));
  size_t place = 0;
  for (const Parameter& parameter : parameters_) {
    const TensorView* tensor = checkpoint.find(parameter.name);
    if (tensor == nullptr || tensor->shape != parameter.shape || tensor->dtype != DType::kFloat32) {
      throw Error({.what = fmt::format("the tensor {} is missing, or not float32 of its shape",
                                       parameter.name),
                   .where = where,
                   .hint = "use a checkpoint that `palimpsest lab train` made"});
    }
    std::memcpy(values.data() + place, tensor->bytes.data(), tensor->bytes.size());
    place += tensor->bytes.size() / sizeof(float);
  }
  return values;
}

std::vector<FloatTensor> ParameterLayout::tensors(std::span<const float> values) const {
  PALIMPSEST_CHECK(static_cast<int64_t>(values.size()) == size_);
  std::vector<FloatTensor> tensors;
  size_t place = 0;
  for (const Parameter& parameter : parameters_) {
    const auto count = static_cast<size_t>(num_elements(parameter));
    tensors.push_back({parameter.name, parameter.shape, values.subspan(place, count)});
    place += count;
  }
  return tensors;
}

}  // namespace palimpsest::lab
