#include "palimpsest/lab/internal/tiny_config.h"

#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/lab/internal/ranges.h"

namespace palimpsest::lab {
namespace {

constexpr double kNormEpsilon = 1e-5;
constexpr double kRopeTheta = 10000;

Json id_or_null(std::optional<int64_t> id) {
  return id ? Json(*id) : Json(nullptr);
}

}  // namespace

std::string tiny_config(const TinyShape& shape, const tokenizer::Tokenizer& tokenizer) {
  constexpr int64_t kMaxLayers = 64;
  constexpr int64_t kMaxWidth = 8192;
  constexpr int64_t kMaxPositions = 8192;
  require_between<int64_t>("the number of layers", shape.layers, 1, kMaxLayers);
  require_between<int64_t>("the width", shape.width, 1, kMaxWidth);
  require_between<int64_t>("the number of heads", shape.heads, 1, kMaxWidth);
  require_between<int64_t>("the width of the MLP", shape.mlp, 1, 4 * kMaxWidth);
  require_between<int64_t>("the number of positions", shape.max_positions, 1, kMaxPositions);
  if (shape.width % (2 * shape.heads) != 0) {
    throw Error({.what = "the width cannot be divided among the heads",
                 .expected = fmt::format("a multiple of {}", 2 * shape.heads),
                 .found = fmt::format("{}", shape.width)});
  }
  return to_text({{"architectures", {"LlamaForCausalLM"}},
                  {"model_type", "llama"},
                  {"vocab_size", tokenizer.vocab_size()},
                  {"hidden_size", shape.width},
                  {"intermediate_size", shape.mlp},
                  {"num_hidden_layers", shape.layers},
                  {"num_attention_heads", shape.heads},
                  {"num_key_value_heads", shape.heads},
                  {"head_dim", shape.width / shape.heads},
                  {"max_position_embeddings", shape.max_positions},
                  {"hidden_act", "silu"},
                  {"rms_norm_eps", kNormEpsilon},
                  {"rope_theta", kRopeTheta},
                  {"attention_bias", false},
                  {"mlp_bias", false},
                  {"tie_word_embeddings", true},
                  {"bos_token_id", id_or_null(tokenizer.bos_id())},
                  {"eos_token_id", id_or_null(tokenizer.eos_id())},
                  {"pad_token_id", id_or_null(tokenizer.pad_id())},
                  {"torch_dtype", "float32"}});
}

std::string tiny_generation_config(const tokenizer::Tokenizer& tokenizer) {
  return to_text({{"do_sample", false},
                  {"eos_token_id", id_or_null(tokenizer.eos_id())},
                  {"pad_token_id", id_or_null(tokenizer.pad_id())}});
}

}  // namespace palimpsest::lab
