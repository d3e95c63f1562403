// The command line as the subcommands declare it: commands, their options and flags. CLI11 does the
// work behind it, in command_line.cc alone, because including it costs any file seconds to compile.
//
// Commands and options are handles: cheap to copy, and valid as long as the Program they belong to.
// Variables that options write to must live until the command's action is over.
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

// The variable that an option writes to. A type that is missing here is a line more.
using OptionValue = std::variant<
    std::reference_wrapper<int>, std::reference_wrapper<int64_t>, std::reference_wrapper<uint64_t>,
    std::reference_wrapper<double>, std::reference_wrapper<std::string>,
    std::reference_wrapper<std::filesystem::path>, std::reference_wrapper<std::optional<int64_t>>,
    std::reference_wrapper<std::optional<double>>,
    std::reference_wrapper<std::optional<std::string>>, std::reference_wrapper<std::vector<double>>,
    std::reference_wrapper<std::vector<std::string>>>;

// The heading under which the help of every command shows the options that all commands have.
inline constexpr const char* kGeneralOptions = "General";

// What is declared beyond what CLI11 keeps.
struct Declarations;

// An option or a flag of a command. Every setting returns the option again, so they can be chained.
class Option {
 public:
  Option required();
  // The help shows the value that the variable has when this is called.
  Option show_default();
  // Of an option that may be repeated: each use takes one value, and what follows is not its own.
  Option one_value_per_use();
  // A text with this character in it is several values.
  Option separated_by(char separator);
  // Exactly so many values, which the help calls by these names: "PROMPT FULL".
  Option values(int count, const std::string& names);
  // Any other value is refused.
  Option one_of(const std::vector<std::string>& choices);
  // The values that completion offers. The command itself refuses others.
  Option completes(const std::vector<std::string>& choices);
  // The other option must be given too, or must not be given.
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
  // The same command; the help shows the options that are declared on the result under this
  // heading.
  Command group(const std::string& heading) const;
  // Exactly one of the options that the group gets must be given.
  Command exactly_one_of(const std::string& heading);

  // A name is "--name", "-n", both with a comma between, or "NAME" for what stands without one.
  // Where the option is not given, the variable keeps its value.
  Option option(const std::string& name, OptionValue value, const std::string& description);
  // For more than a variable: `use` is called with the value, if the option is given.
  Option option(const std::string& name, std::function<void(double)> use,
                const std::string& description);
  Option option(const std::string& name, std::function<void(const std::vector<std::string>&)> use,
                const std::string& description);
  // Sets the variable to true, or to false where the name begins with "!".
  Option flag(const std::string& name, bool& value, const std::string& description);

  // It does nothing by itself: one of its subcommands must be given.
  void require_subcommand();
  // What the command does, called once the whole line was read. May throw whatever it likes.
  void action(std::function<void()> action);

 protected:
  friend class Program;
  Command(CLI::App* app, Declarations* declared, std::string heading = "Options")
      : app_(app), declared_(declared), heading_(std::move(heading)) {}

  CLI::App* app_;
  Declarations* declared_;
  std::string heading_;  // of the options in the help
};

// The program itself, which owns all that is declared.
class Program : public Command {
 public:
  Program(const std::string& name, const std::string& description);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // --version prints this text, which is made only then.
  void version(std::function<std::string()> text);
  // Called once the line was read, before any action.
  void after_parsing(std::function<void()> action);
  // Declares options on the program and on each of its commands, so that they may stand before the
  // command's name and after it. Call it when all commands are declared.
  void everywhere(const std::function<void(Command&)>& declare);
  // What the help of the program ends with.
  void help_ending(std::string text);

  // All that is declared.
  CommandDescription describe() const;
  // The help of the command with these names: {"lab", "train"}. Throws Error if there is none.
  std::string help_on(const std::vector<std::string>& names) const;

  // Reads the line and does what it asks for: an action, or printing the help or the version.
  // Throws Error where the call is wrong. The program's own name is not among the arguments.
  void run(const std::vector<std::string>& arguments);

 private:
  Program(std::unique_ptr<CLI::App> app, std::unique_ptr<Declarations> declared);

  std::unique_ptr<CLI::App> owned_;
  std::unique_ptr<Declarations> owned_declarations_;
};

}  // namespace palimpsest::cli
