// The subcommands use these classes to declare themselves, their options and their flags. The
// library CLI11 does the parsing. Only command_line.cc includes CLI11, because every file that
// includes it takes seconds longer to compile.
//
// Commands and options are handles: they are cheap to copy, and they are valid as long as the
// Program that they belong to exists. Variables that options write to must exist until the
// command's action has finished.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "palimpsest/cli/command_description.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace palimpsest::cli {

// The variable that an option writes to. To support another type, add it to this list.
using OptionValue = std::variant<
    std::reference_wrapper<int>, std::reference_wrapper<int64_t>, std::reference_wrapper<uint64_t>,
    std::reference_wrapper<double>, std::reference_wrapper<std::string>,
    std::reference_wrapper<std::filesystem::path>, std::reference_wrapper<std::optional<int64_t>>,
    std::reference_wrapper<std::optional<double>>,
    std::reference_wrapper<std::optional<std::string>>, std::reference_wrapper<std::vector<double>>,
    std::reference_wrapper<std::vector<std::string>>,
    std::reference_wrapper<std::vector<std::filesystem::path>>>;

// The heading under which the help of every command shows the options that all commands have.
inline constexpr const char* kGeneralOptions = "General";

// Facts about the declared options and commands that CLI11 does not store.
struct Declarations;

// An option or a flag of a command. Every function returns the option again, so that calls can be
// chained.
class Option {
 public:
  Option required();
  // The help shows the value that the variable has when this is called.
  Option show_default();
  // For an option that may be repeated: each use takes exactly one value. The next argument on the
  // command line does not belong to it.
  Option one_value_per_use();
  // Splits an argument into several values at this character.
  Option separated_by(char separator);
  // The option takes exactly `count` values. The help shows them under these names: "PROMPT FULL".
  Option values(int count, const std::string& names);
  // Any other value is refused.
  Option one_of(const std::vector<std::string>& choices);
  // The values that completion offers. The parser accepts any value; the command itself checks it.
  Option completes(const std::vector<std::string>& choices);
  // If this option is given, the other one must be given too (needs) or must not be given
  // (excludes).
  Option needs(const Option& other);
  Option excludes(const Option& other);

 private:
  friend class Command;
  Option(CLI::Option* option, Declarations* declared) : option_(option), declared_(declared) {}

  CLI::Option* option_;
  Declarations* declared_;
};

// The program, one of its subcommands, or a group of options.
class Command {
 public:
  Command subcommand(const std::string& name, const std::string& description);
  // Returns the same command. Options that are declared on the result appear in the help under this
  // heading.
  Command group(const std::string& heading) const;
  // Returns a new group, to which options can be added. The user must give exactly one of them.
  Command exactly_one_of(const std::string& heading);

  // A name is "--name", "-n", both separated by a comma, or "NAME" for a positional argument. If
  // the option is not given, the variable keeps its value.
  Option option(const std::string& name, OptionValue value, const std::string& description);
  // Sets the variable to true, or to false if the name begins with "!".
  Option flag(const std::string& name, bool& value, const std::string& description);

  // Whether the parsed command line has this option, under any of its names.
  bool given(const std::string& name) const;
  // The options under this heading that the line has, each by its longest name.
  std::vector<std::string> given_options() const;

  // Declares that the command does nothing by itself: one of its subcommands must be given.
  void require_subcommand();
  // Sets what the command does. `action` is called after the whole command line has been parsed. It
  // may throw any exception.
  void action(std::function<void()> action);

 protected:
  friend class Program;
  Command(CLI::App* app, Declarations* declared, std::string heading = "Options")
      : app_(app), declared_(declared), heading_(std::move(heading)) {}

  CLI::App* app_;
  Declarations* declared_;
  std::string heading_;  // of the options in the help
};

// The program itself. It owns all commands and options that are declared.
class Program : public Command {
 public:
  Program(const std::string& name, const std::string& description);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // --version prints the text that this function returns. It is called only for --version.
  void version(std::function<std::string()> text);
  // `action` is called after parsing and before the action of any command.
  void after_parsing(std::function<void()> action);
  // Declares options on the program and on each of its commands, so that they may stand before the
  // command's name and after it. Call it when all commands are declared.
  void on_all_commands(const std::function<void(Command&)>& declare);
  // The text at the end of the program's help.
  void help_ending(std::string text);

  // Everything that has been declared.
  CommandDescription describe() const;
  // The help of the command with these names: {"lab", "train"}. Throws Error if there is none.
  std::string help_on(const std::vector<std::string>& names) const;

  // Parses the arguments and runs the action of the command, or prints the help or the version.
  // `arguments` do not include the name of the program. Throws Error if they are wrong.
  void run(const std::vector<std::string>& arguments);

 private:
  Program(std::unique_ptr<CLI::App> app, std::unique_ptr<Declarations> declared);

  std::unique_ptr<CLI::App> owned_;
  std::unique_ptr<Declarations> owned_declarations_;
};

}  // namespace palimpsest::cli
