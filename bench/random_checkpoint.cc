#include "bench/random_checkpoint.h"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/random.h"
#include "palimpsest/model/internal/architecture.h"

namespace palimpsest {
namespace {

std::string config_text(const RandomCheckpoint& options) {
  const Json config = {{"architectures", {"LlamaForCausalLM"}},
                       {"model_type", "llama"},
                       {"vocab_size", options.vocab_size},
                       {"hidden_size", options.hidden_size},
                       {"num_hidden_layers", options.num_layers},
                       {"num_attention_heads", options.num_heads},
                       {"num_key_value_heads", options.num_heads},
                       {"intermediate_size", options.mlp_size},
                       {"max_position_embeddings", 4096},
                       {"rms_norm_eps", 1e-5},
                       {"hidden_act", "silu"},
                       {"bos_token_id", 1},
                       {"eos_token_id", 2},
                       {"torch_dtype", options.bfloat16 ? "bfloat16" : "float32"},
                       {"tie_word_embeddings", options.tied}};
  return to_text(config);
}

// Norms are 1, matrices have rows of about unit length, so that activations neither grow nor fade.
std::string weights_of(const model::Parameter& parameter, bool bfloat16, Random random) {
  const int64_t n = model::num_elements(parameter);
  const bool norm = parameter.shape.size() == 1;
  const float scale = norm ? 0 : 3 / std::sqrt(static_cast<float>(parameter.shape.back()));
  std::string bytes;
  bytes.reserve(static_cast<size_t>(n) * (bfloat16 ? 2 : 4));
  for (int64_t i = 0; i < n; ++i) {
    const float x = norm ? 1.0F : scale * (static_cast<float>(random.uniform()) - 0.5F);
    const auto bits = std::bit_cast<uint32_t>(x);
    for (int byte = bfloat16 ? 2 : 0; byte < 4; ++byte) {
      bytes += static_cast<char>(bits >> (8 * byte) & 0xffU);
    }
  }
  return bytes;
}

}  // namespace

void write_random_checkpoint(const RandomCheckpoint& options, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "model.safetensors";
  if (std::filesystem::exists(file)) return;
  make_folder(folder);
  const std::string config = config_text(options);
  write_file(folder / "config.json", config);
  const std::vector<model::Parameter> all =
      model::parameters(model::read_architecture(config, "config.json"));
  const int64_t size = options.bfloat16 ? 2 : 4;
  Json header = {{"__metadata__", {{"format", "pt"}}}};  // transformers asks for it
  int64_t offset = 0;
  for (const model::Parameter& parameter : all) {
    const int64_t end = offset + size * model::num_elements(parameter);
    header[parameter.name] = {{"dtype", options.bfloat16 ? "BF16" : "F32"},
                              {"shape", parameter.shape},
                              {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(uint64_t{text.size()} >> (8 * i) & 0xffU);
  AtomicFile out(file);
  out.write(length);
  out.write(text);
  const Random random(options.seed);
  for (size_t i = 0; i < all.size(); ++i) {
    out.write(weights_of(all[i], options.bfloat16, random.split(i)));
  }
  out.commit();
}

}  // namespace palimpsest
