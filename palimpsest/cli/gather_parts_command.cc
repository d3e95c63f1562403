#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/run/internal/parts.h"

namespace palimpsest::cli {
namespace {

struct GatherPartsCommand {
  std::vector<std::filesystem::path> parts;
  std::string out;
};

void gather(const GatherPartsCommand& command) {
  const OutputLock lock = OutputLock::of_folder(command.out, "palimpsest gather-parts");
  const run::GatheredParts gathered = run::gather_parts(command.parts, command.out);
  fmt::print("{} {} with {} new {}, written to {}\n", gathered.parts,
             gathered.parts == 1 ? "part" : "parts", gathered.batches,
             gathered.batches == 1 ? "batch" : "batches", command.out);
}

}  // namespace

void add_gather_parts_command(Command& program) {
  Command app = program.subcommand(
      "gather-parts", "Collect the parts of shards that ran on machines without a shared disk");
  auto command = std::make_shared<GatherPartsCommand>();
  app.option("PART", command->parts,
             "What a run with --shard wrote: its output folder, or the folder OUT.run of `trace`")
      .required();
  app.option("--out", command->out,
             "Folder to put the parts into, each under its path relative to its source")
      .required();
  app.action([command] { gather(*command); });
}

}  // namespace palimpsest::cli
