// What a checkpoint's config.json says about the network, reduced to the few choices in which the
// supported families differ. A single decoder (palimpsest/engine) interprets this description. No
// code asks for a family by name.
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

#include "palimpsest/kernels/layer_kinds.h"
#include "palimpsest/model/rotary.h"

namespace palimpsest::model {

// How a head's queries and keys are normalised before the rotation.
enum class QueryKeyNorm { kNone, kEachHead, kWholeProjection };

// The order of the output rows of a fused query/key/value matrix.
enum class FusedRows {
  kBlocks,  // all queries, all keys, all values
  kByHead,  // for each head its query, key and value
};

// The names of a norm's parameters. A name with {} stands for one name per layer.
struct NormSpec {
  std::string weight;
  std::optional<std::string> bias = std::nullopt;
};

// One stored matrix of a linear map.
struct LinearPart {
  std::string weight;
  std::optional<std::string> bias = std::nullopt;
  int64_t outputs = 0;
};

// A linear map whose stored matrices, one below the other, give [outputs, inputs].
struct LinearSpec {
  std::vector<LinearPart> parts;
  int64_t inputs = 0;
  bool transposed = false;  // stored as [inputs, outputs], as GPT-2 does
  FusedRows rows = FusedRows::kBlocks;

  int64_t outputs() const;
};

// The parameters of one layer; {} in the names is its number, from 0.
struct LayerSpec {
  std::optional<NormSpec> attention_norm;
  LinearSpec query_key_value;
  std::optional<NormSpec> query_norm;  // both or neither
  std::optional<NormSpec> key_norm;
  LinearSpec attention_out;
  std::optional<NormSpec> attention_post_norm;
  std::optional<NormSpec> mlp_norm;
  LinearSpec mlp_in;  // if gated: the rows of the gate, then the other rows
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
  std::optional<int64_t> max_positions;  // the longest sequence; nothing: no limit

  kernels::NormKind norm = kernels::NormKind::kRms;
  double norm_epsilon = 1e-6;
  QueryKeyNorm query_key_norm = QueryKeyNorm::kNone;
  kernels::Activation activation = kernels::Activation::kSilu;
  bool gated_mlp = true;  // activation(gate) · other, else activation(in)
  bool parallel_block = false;
  double attention_scale = 1;               // attention scores are q·k times this
  std::optional<double> attention_softcap;  // c · tanh(score / c)
  std::optional<double> logit_softcap;
  double embedding_scale = 1;
  std::optional<Rotary> rotary;  // none: learned positions
  // One entry per layer: a query sees itself and the window - 1 tokens before it; 0: all of them.
  std::vector<int64_t> windows;

  bool tied_embeddings = false;
  // The padding index that transformers passes to the embedding. The embedding's row with this
  // index gets no gradient from the input side.
  std::optional<int64_t> padding_index;
  std::optional<std::string> stored_dtype;  // torch_dtype of config.json, for display

  // Names as in transformers' named_parameters(). A checkpoint may store names without inner_prefix
  // ("wte.weight" for "transformer.wte.weight").
  std::string inner_prefix;
  std::string embedding;
  std::optional<std::string> positions;  // learned: [max_positions, hidden_size]
  LayerSpec layer;
  NormSpec final_norm;
  std::optional<std::string> head;  // [vocab_size, hidden_size]; none: tied
  std::optional<std::string> head_bias;

  // The choices for layer `index`. Code that runs layers must ask for each layer.
  LayerKind layer_kind(int64_t index) const;
  // The rotations that layers refer to by number.
  std::vector<Rotary> rotations() const;
  const LayerSpec& layer_spec(int64_t /*index*/) const { return layer; }
};

// A parameter tensor as transformers lists it.
struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
};

// Every parameter of the model, as named_parameters() lists them; a tied matrix appears once. The
// order is also the same (embedding, positions, the layers, the final norm, the head), except
// within a layer. There the order of transformers depends on the family and changes between
// releases, so the order of LayerSpec is used.
std::vector<Parameter> parameters(const Architecture& architecture);

// How many numbers the parameter holds. Throws Error if that does not fit into int64_t.
int64_t num_elements(const Parameter& parameter);

// The name with {} replaced by the layer's number.
std::string layer_name(const std::string& name, int64_t layer);

// Reads the text of config.json. Throws Error if it is not JSON, for an unknown family (the message
// lists the supported ones), for a key that is missing or out of range, and for a feature that is
// not supported (the message names it). The message begins with `where`.
Architecture read_architecture(const std::string& config_json, const std::string& where);

// The supported families by model_type, with what they are: for `palimpsest list models`.
struct ModelFamily {
  std::string model_type;
  std::string models;    // "Llama 2, 3, 3.1, 3.2"
  std::string features;  // "grouped queries, rope scaling …"
};
const std::vector<ModelFamily>& model_families();

}  // namespace palimpsest::model
