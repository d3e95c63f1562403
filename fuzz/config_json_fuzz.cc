// Any bytes as config.json: an Architecture whose sizes are consistent, or an Error. What reads is
// used as a loader uses it: parameters listed, frequencies computed, memory estimated.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/internal/memory.h"
#include "palimpsest/model/internal/rotary.h"

namespace palimpsest {
namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void use(const model::Architecture& a) {
  check(a.num_kv_heads > 0 && a.num_heads % a.num_kv_heads == 0);
  check(static_cast<int64_t>(a.windows.size()) == a.num_layers);
  check(a.layer.query_key_value.outputs() == (a.num_heads + 2 * a.num_kv_heads) * a.head_dim);
  check(a.layer.mlp_in.outputs() == (a.gated_mlp ? 2 : 1) * a.mlp_size);
  check(!a.padding_index || (*a.padding_index >= 0 && *a.padding_index < a.vocab_size));
  check(!a.max_positions || *a.max_positions > 0);
  if (a.rotary) {
    check(a.rotary->dims > 0 && a.rotary->dims % 2 == 0 && a.rotary->dims <= a.head_dim);
    for (const int64_t length : {int64_t{1}, int64_t{100'000}}) {
      const auto frequencies = model::rotary_frequencies(*a.rotary, length);
      check(static_cast<int64_t>(frequencies.size()) == a.rotary->dims / 2);
      check(model::rotary_length_class(*a.rotary, length) >= 0);
    }
  }
  for (const model::Parameter& parameter : model::parameters(a)) check(!parameter.name.empty());
  model::memory_need(a);
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    palimpsest::use(palimpsest::model::read_architecture(text, "config.json"));
  } catch (const palimpsest::Error&) {
    // The expected end of most inputs.
  }
  return 0;
}
