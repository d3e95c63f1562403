// Any bytes as an override: parsed or an Error. The values of what parses, written as an override
// again, must give the same values.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/config/override.h"

namespace palimpsest::config {
namespace {

void use(const std::string& text) {
  const config::Override override = config::parse_override(text);
  const auto check = [](const config::Value& value) {
    const std::string written = config::override_text(value);
    const config::Override again = config::parse_override("a=" + written);
    // Texts are compared, since a NaN is not equal to itself.
    if (again.is_sweep() || config::override_text(again.single()) != written) std::abort();
  };
  if (const auto* value = std::get_if<config::Value>(&override.value)) check(*value);
  if (const auto* choice = std::get_if<config::ChoiceSweep>(&override.value)) {
    for (const config::Value& value : choice->values) check(value);
  }
}

}  // namespace
}  // namespace palimpsest::config

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    palimpsest::config::use(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const palimpsest::Error&) {
    // The expected end of most inputs.
  }
  return 0;
}
