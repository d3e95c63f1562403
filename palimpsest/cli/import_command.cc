#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/results.h"
#include "palimpsest/service/import_responses.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::cli {
namespace {

struct ImportCommand {
  std::string format;
  std::vector<std::filesystem::path> files;
  service::ImportOptions options;
  bool json = false;
  std::string out;
};

void import_files(ImportCommand& command, const std::stop_token& stop) {
  const auto lock = lock_output_file(command.out, "palimpsest import", command.files);
  command.options.stop = stop;
  command.options.format = service::response_format_named(command.format);
  if (command.options.dataset.empty()) {
    std::vector<std::string> names;
    for (const std::filesystem::path& file : command.files)
      names.push_back(file.filename().string());
    command.options.dataset = fmt::format("{}", fmt::join(names, ", "));
  }
  const service::ImportedTraces imported =
      service::import_responses(command.files, command.options);
  trace::TraceWriter writer(command.out, imported.set.header);
  for (const trace::Trace& trace : imported.set.traces) {
    if (stop.stop_requested()) throw Stopped();
    writer.write(trace);
  }
  writer.commit();
  if (command.json) {
    print_json(to_text({{"out", command.out},
                        {"model", imported.set.header.model},
                        {"examples", imported.set.traces.size()},
                        {"tokens", imported.tokens},
                        {"prompt_tokens", imported.prompt_tokens},
                        {"generated_tokens", imported.generated_tokens}}));
    return;
  }
  fmt::print("{} examples, {} tokens scored, {} prompt tokens not scored: {}\n",
             imported.set.traces.size(), imported.tokens, imported.prompt_tokens, command.out);
}

}  // namespace

void add_import_command(Command& program) {
  Command app = program.subcommand(
      "import", "Turn logged responses of a service into traces, for an audit without weights");
  auto command = std::make_shared<ImportCommand>();
  app.option("--format", command->format,
             fmt::format("Format of the responses: {}",
                         fmt::join(service::response_format_names(), ", ")))
      .one_of(service::response_format_names())
      .required();
  app.option("FILE", command->files,
             "Logs: JSON lines, or a JSON document with one response or an array of them")
      .required();
  app.option("--model", command->options.model,
             "Name of the model in the traces (default: the name in the responses)");
  app.option("--dataset", command->options.dataset,
             "Name of the data set in the traces (default: the names of the files)");
  app.option("--out", command->out, "Trace file to write, for `palimpsest mia --forget-traces`")
      .required();
  app.flag("--json", command->json, "Print the counts as JSON");
  app.action([command] {
    interruptible(AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { import_files(*command, stop); });
  });
}

}  // namespace palimpsest::cli
