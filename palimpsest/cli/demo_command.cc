#include <fmt/format.h>

#include <memory>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/commands.h"
#if PALIMPSEST_WITH_TORCH
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/demo.h"
#endif

namespace palimpsest::cli {

void add_demo_command(Command& program) {
  Command command = program.subcommand(
      "demo", "A whole unlearning audit on models made on the spot: nothing is downloaded");
#if PALIMPSEST_WITH_TORCH
  auto options = std::make_shared<DemoOptions>();
  command.option("--out", options->out, "Folder for data, models, results and the page")
      .show_default();
  command.option("--seed", options->seed, "What data and models depend on").show_default();
  command
      .option("--method", options->method,
              "How the model is made to forget: grad_ascent, grad_diff, kl, npo, simnpo")
      .show_default();
  command.option("--threads", options->threads, "Threads of training; 0: one for each core")
      .show_default();
  command.action([options] {
    const auto display = progress_on(stderr);
    options->display = display.get();
    fmt::print("{}", demo_text(run_demo(*options)));
  });
#else
  command.action([] {
    throw Error({.what = "this program was built without libtorch and cannot train models",
                 .hint = "install libtorch-dev and build again with -D PALIMPSEST_WITH_TORCH=ON"});
  });
#endif
}

}  // namespace palimpsest::cli
