// A description of a network, read from a checkpoint's config.json. It reduces the supported model
// families to the few choices in which they differ. A single decoder (palimpsest/engine) interprets
// the description; no code asks for a family by name.
//
// A layer computes, for the residual stream h:
//
//   a = attention(attention_norm(h));      a = attention_post_norm(a)
//   m = mlp(mlp_norm(h + a));              m = mlp_post_norm(m)         the sequential block
//   m = mlp(mlp_norm(h));                  m = mlp_post_norm(m)         the parallel block
//   h = h + a + m
//
// Norms that a family lacks are absent and leave their input unchanged. In a parallel block without
// an mlp_norm of its own, the MLP reads the output of attention_norm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/kernels/internal/layer_kinds.h"
#include "palimpsest/model/internal/rotary.h"

namespace palimpsest::model {

// How the queries and keys are normalised before the rotation: not at all, each head separately, or
// the whole projection.
enum class QueryKeyNorm { kNone, kEachHead, kWholeProjection };

// The order of the output rows in a fused query/key/value matrix.
enum class FusedRows {
  kBlocks,  // all queries, all keys, all values
  kByHead,  // for each head: its query, key and value
};

// The names of a norm's parameters. {} in a name stands for the number of the layer.
struct NormSpec {
  std::string weight;
  std::optional<std::string> bias = std::nullopt;
};

// One of the stored matrices of a linear map.
struct LinearPart {
  std::string weight;
  std::optional<std::string> bias = std::nullopt;
  int64_t outputs = 0;
};

// A linear map. Its stored matrices, one below the other, form [outputs, inputs].
struct LinearSpec {
  std::vector<LinearPart> parts;
  int64_t inputs = 0;
  bool transposed = false;  // stored as [inputs, outputs], as GPT-2 does
  FusedRows rows = FusedRows::kBlocks;

  int64_t outputs() const;
};

// The parameters of one layer. {} in a name stands for the number of the layer, from 0.
struct LayerSpec {
  std::optional<NormSpec> attention_norm;
  LinearSpec query_key_value;
  std::optional<NormSpec> query_norm;  // present if and only if key_norm is
  std::optional<NormSpec> key_norm;
  LinearSpec attention_out;
  std::optional<NormSpec> attention_post_norm;
  std::optional<NormSpec> mlp_norm;
  LinearSpec mlp_in;  // if gated: the rows of the gate, then the rows that it multiplies
  LinearSpec mlp_out;
  std::optional<NormSpec> mlp_post_norm;
};

// The choices that may differ from layer to layer.
struct LayerKind {
  int64_t window = 0;     // a query sees itself and the window - 1 tokens before it; 0: all
  int64_t rotation = -1;  // index into Architecture::rotations(); -1: none
  kernels::NormKind norm = kernels::NormKind::kRms;
  double norm_epsilon = 1e-6;
  kernels::Activation activation = kernels::Activation::kSilu;
  bool gated_mlp = true;
  bool parallel_block = false;
  int64_t mlp_size = 0;
};

struct Architecture {
  std::string family;  // model_type of config.json

  int64_t vocab_size = 0;
  int64_t hidden_size = 0;
  int64_t num_layers = 0;
  int64_t num_heads = 0;
  int64_t num_kv_heads = 0;  // divides num_heads
  int64_t head_dim = 0;
  int64_t mlp_size = 0;
  std::optional<int64_t> max_positions;  // the longest sequence; nullopt: no limit

  kernels::NormKind norm = kernels::NormKind::kRms;
  double norm_epsilon = 1e-6;
  QueryKeyNorm query_key_norm = QueryKeyNorm::kNone;
  kernels::Activation activation = kernels::Activation::kSilu;
  bool gated_mlp = true;  // true: activation(gate) · other; false: activation(in)
  bool parallel_block = false;
  double attention_scale = 1;               // attention scores are q·k multiplied by this
  std::optional<double> attention_softcap;  // scores become c · tanh(score / c)
  std::optional<double> logit_softcap;      // the same for the logits
  double embedding_scale = 1;
  std::optional<Rotary> rotary;  // absent: learned positions
  // One entry per layer: a query sees itself and the window - 1 tokens before it; 0: all tokens
  // before it.
  std::vector<int64_t> windows;

  bool tied_embeddings = false;
  // The padding index that transformers passes to the embedding. Row padding_index of the embedding
  // gets no gradient from the input side.
  std::optional<int64_t> padding_index;
  std::optional<std::string> stored_dtype;  // torch_dtype of config.json; only for display

  // Names of parameters, as in transformers' named_parameters(). In a checkpoint, they may lack
  // inner_prefix ("wte.weight" for "transformer.wte.weight").
  std::string inner_prefix;
  std::string embedding;
  std::optional<std::string> positions;  // learned positions: [max_positions, hidden_size]
  LayerSpec layer;
  NormSpec final_norm;
  std::optional<std::string> head;  // [vocab_size, hidden_size]; absent: tied to the embedding
  std::optional<std::string> head_bias;

  // The choices for layer `index`. They may differ between layers, so code must ask for each layer.
  LayerKind layer_kind(int64_t index) const;
  // The rotary embeddings that LayerKind::rotation refers to by index.
  std::vector<Rotary> rotations() const;
  const LayerSpec& layer_spec(int64_t /*index*/) const { return layer; }
};

// A parameter tensor with the name and shape that transformers uses.
struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
};

// Every parameter of the model, as named_parameters() of transformers lists them; a tied matrix
// appears once. The order is the same (embedding, positions, layers, final norm, head), except
// within a layer. There the order in transformers depends on the family and on the release, so the
// order of LayerSpec is used.
std::vector<Parameter> parameters(const Architecture& architecture);

// The number of elements of the parameter. Throws Error if it does not fit into int64_t.
int64_t num_elements(const Parameter& parameter);
// The number of elements of all parameters together. Throws Error like num_elements().
int64_t num_parameters(const Architecture& architecture);

// The name with {} replaced by the number of the layer.
std::string layer_name(const std::string& name, int64_t layer);

// Parses the text of config.json. Throws Error if it is not JSON, if the family is unknown (the
// message lists the supported ones), if a key is missing or out of range, or if a feature is not
// supported. The message begins with `where`.
Architecture read_architecture(const std::string& config_json, const std::string& where);

// A supported model family, as `palimpsest list models` shows it.
struct ModelFamily {
  std::string model_type;
  std::string models;    // "Llama 2, 3, 3.1, 3.2"
  std::string features;  // "grouped queries, rope scaling …"
};
const std::vector<ModelFamily>& model_families();

}  // namespace palimpsest::model
