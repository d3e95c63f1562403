// Any bytes as a YAML configuration: a Value or an Error. What reads is resolved, written and read
// again, which must give the same.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/expression.h"
#include "palimpsest/config/internal/resolver.h"
#include "palimpsest/config/internal/yaml_reader.h"
#include "palimpsest/config/internal/yaml_writer.h"

namespace palimpsest::config {
namespace {

void use(const std::string& text) {
  const config::Value value = config::read_yaml(text, "fuzz.yaml");
  // Twice written is compared, since a NaN is not equal to itself.
  const std::string written = config::to_yaml(value);
  if (config::to_yaml(config::read_yaml(written, "again.yaml")) != written) std::abort();
  config::check_interpolations(value);
  const config::ConfigContext nothing;
  config::Resolver(value, nullptr, nothing).resolve(config::OnFailure::kKeep);
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
