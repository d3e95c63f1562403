#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::cli {
namespace {

struct ConvertCommand {
  std::string in;
  std::string out;
};

void convert(const ConvertCommand& command, const std::stop_token& stop) {
  const OutputLock lock = OutputLock::of_file(command.out, "palimpsest convert");
  trace::TraceReader reader(command.in);
  trace::TraceWriter writer(command.out, reader.header());
  int64_t count = 0;
  for (trace::Trace trace; reader.next(trace); ++count) {
    if (stop.stop_requested()) throw Stopped();
    try {
      writer.write(trace);
    } catch (const Error& error) {
      throw error.located(reader.where());
    }
  }
  writer.commit();
  fmt::print("{} traces: {}\n", count, command.out);
}

}  // namespace

void add_convert_command(Command& program) {
  Command app = program.subcommand(
      "convert", "Turn a trace file of JSON lines into one of columns (.safetensors), or back");
  auto command = std::make_shared<ConvertCommand>();
  app.option("IN", command->in, "Trace file of either kind").required();
  app.option("OUT", command->out,
             "Trace file to write: columns if its name ends in .safetensors, else JSON lines")
      .required();
  app.action([command] {
    interruptible(AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { convert(*command, stop); });
  });
}

}  // namespace palimpsest::cli
