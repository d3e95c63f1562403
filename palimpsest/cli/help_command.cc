#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "palimpsest/cli/commands.h"

namespace palimpsest::cli {

void add_help_command(Program& program) {
  Command command = program.subcommand("help", "Print what a command does and its options");
  auto names = std::make_shared<std::vector<std::string>>();
  std::vector<std::string> commands;
  for (const CommandDescription& one : program.describe().commands) commands.push_back(one.name);
  command.option("COMMAND", *names, "The command, with its subcommand if it has any: lab train")
      .completes(commands);
  command.action([names, &program] { fmt::print("{}", program.help_on(*names)); });
}

void add_completion_command(Program& program) {
  Command command =
      program.subcommand("completion", "Print a script that completes commands in a shell");
  auto shell = std::make_shared<std::string>();
  command.option("SHELL", *shell, "bash or zsh").one_of({"bash", "zsh"}).required();
  command.action(
      [shell, &program] { fmt::print("{}", completion_script(program.describe(), *shell)); });
}

}  // namespace palimpsest::cli
