#include "palimpsest/cli/program.h"
#include "palimpsest/torch/torch_backend.h"

namespace palimpsest::cli {

std::unique_ptr<engine::Backend> make_backend() {
  return make_torch_backend();
}

std::optional<std::string> linked_libtorch() {
  return libtorch_version();
}

}  // namespace palimpsest::cli
