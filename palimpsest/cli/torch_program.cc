// `palimpsest-torch`: the engine's decoder runs on libtorch.

#include "palimpsest/cli/models.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/torch/internal/torch_backend.h"

int main(int argc, char** argv) {
  using namespace palimpsest;
  return cli::run_process(argc, argv,
                          {.make_loader = cli::engine_loader_on(torch::make_torch_backend),
                           .libtorch = torch::libtorch_version()});
}
