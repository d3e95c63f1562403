// Where each parameter of a tiny model lies in one long vector: in the order of parameters(), so
// that matrices which are multiplied together (query, key and value; gate and up) are one matrix.
// Optimizer, gradients and files all work on that vector.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/model/architecture.h"
#include "palimpsest/model/checkpoint.h"
#include "palimpsest/model/safetensors_writer.h"

namespace palimpsest::lab {

// A matrix [rows, columns] of the computation, or a vector of `columns` numbers (rows = 0).
struct ParameterBlock {
  int64_t offset = 0;
  int64_t rows = 0;
  int64_t columns = 0;

  int64_t size() const { return rows == 0 ? columns : rows * columns; }
  bool is_matrix() const { return rows > 0; }
};

class ParameterLayout {
 public:
  // Throws Error (require_tiny) for what is no tiny model.
  ParameterLayout(const Architecture& architecture, const std::string& where);

  int64_t size() const { return size_; }
  const Architecture& architecture() const { return architecture_; }

  // Embedding; a layer each: attention norm, query/key/value, attention out, MLP norm, gate/up,
  // down; final norm; the head unless it is the embedding.
  const std::vector<ParameterBlock>& blocks() const { return blocks_; }
  static constexpr int64_t kBlocksPerLayer = 6;

  // Initial values: normal with deviation 0.02, projections back into the residual stream divided
  // by √(2 · layers) (GPT-2's recipe); norms 1.
  std::vector<float> initial(Random random) const;

  // From and to a checkpoint. Throws Error for a tensor that is missing or of another shape.
  std::vector<float> read(const Checkpoint& checkpoint, const std::string& where) const;
  std::vector<FloatTensor> tensors(std::span<const float> values) const;

 private:
  void add_block(int64_t rows, int64_t columns);

  Architecture architecture_;
  std::vector<Parameter> parameters_;
  std::vector<ParameterBlock> blocks_;
  int64_t size_ = 0;
};

}  // namespace palimpsest::lab
