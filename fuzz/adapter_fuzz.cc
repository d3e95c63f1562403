// Any bytes as adapter_config.json and, behind a NUL, as the header of adapter_model.safetensors:
// an adapter whose matrices fit each other, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

#include "fuzz/input_file.h"
#include "fuzz/safetensors_input.h"
#include "palimpsest/base/error.h"
#include "palimpsest/model/internal/adapter.h"
#include "palimpsest/model/internal/generation_config.h"
#include "palimpsest/model/internal/target_modules.h"

namespace palimpsest {
namespace {

// With the right length before it, and as many bytes behind it as small tensors need.
std::string weights_of(std::string_view header) {
  return with_header_length(header, header.size()).append(64, '\0');
}

void use(const model::Adapter& adapter) {
  for (const model::LowRankUpdate& update : adapter.updates()) {
    if (update.a->shape[0] != update.b->shape[1]) std::abort();
    adapter.targets().contain(update.weight, false);
  }
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const std::string_view input = input_text(data, size);
  const size_t end = input.find('\0');
  input_folder().write("adapter_config.json", input.substr(0, end));
  input_folder().write("generation_config.json", input.substr(0, end));
  const std::string_view header = end == std::string_view::npos ? "" : input.substr(end + 1);
  input_folder().write("adapter_model.safetensors", weights_of(header));
  try {
    if (const std::optional<model::Adapter> adapter = model::Adapter::open(input_folder().path())) {
      use(*adapter);
    }
  } catch (const Error&) {
    // The expected end of most inputs.
  }
  try {
    model::read_generation_config(input_folder().path());
  } catch (const Error&) {
  }
  return 0;
}
