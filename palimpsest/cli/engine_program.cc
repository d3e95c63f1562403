#include "palimpsest/cli/program.h"

namespace palimpsest::cli {

std::unique_ptr<engine::Backend> make_backend() {
  return engine::make_cpu_backend();
}

std::optional<std::string> linked_libtorch() {
  return std::nullopt;
}

}  // namespace palimpsest::cli
