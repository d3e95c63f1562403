// `palimpsest`: models run on the engine.

#include "palimpsest/cli/models.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/engine/internal/backend.h"

int main(int argc, char** argv) {
  using namespace palimpsest;
  return cli::run_process(
      argc, argv,
      {.make_loader = cli::engine_loader_on(engine::make_cpu_backend), .hands_over = true});
}
