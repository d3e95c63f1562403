// A command line as plain data: commands, their options and what each takes. Program::describe()
// (command_line.h) makes it from what was declared. Help, completion and the correction of misspelt
// names are made from it, so they cannot differ from what the program accepts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::cli {

struct OptionDescription {
  std::vector<std::string> names = {};    // "--out"; empty for a positional argument
  std::string positional = {};            // "FILE"; empty for an option with a name
  std::string value = {};                 // the kind of its value: "TEXT"; empty for a flag
  std::string default_value = {};         // as the help shows it; may be empty
  std::string meaning = {};               // may be empty: then the help does not show the option
  std::string group = {};                 // the heading under which the help shows it
  std::vector<std::string> choices = {};  // the values that it takes, where they are known
  std::vector<std::string> needs = {};    // names of options that must also be given
  std::vector<std::string> excludes = {};
  int least_values = 0;  // the smallest number of arguments that must follow it
  bool required = false;
  bool repeats = false;       // whether it takes several values
  bool one_of_group = false;  // whether exactly one option of its group must be given
};

struct CommandDescription {
  std::string name;            // "train"
  std::string path;            // "palimpsest lab train"
  int depth = 0;               // 0 for the program itself
  std::string meaning;         // one sentence
  bool needs_command = false;  // does nothing without one of its commands
  std::vector<OptionDescription> options = {};
  std::vector<CommandDescription> commands = {};

  // The command of that name, or the option that has this name; null if there is none.
  const CommandDescription* command(std::string_view wanted) const;
  const OptionDescription* option(std::string_view wanted) const;
};

// What `help` prints, in lines of at most `width` characters (at least 40). `ending` is printed
// last.
std::string help_text(const CommandDescription& command, size_t width, const std::string& ending);

// The known words that the user may have meant by `word`, the likeliest first; at most three. They
// differ from it in few letters, or contain it.
std::vector<std::string> nearest_words(std::string_view word,
                                       const std::vector<std::string>& known);

// A message about a word that is not a command of `command`, with what may have been meant.
std::string unknown_command(const CommandDescription& command, const std::string& word);

// The command that a line of arguments calls, and the first wrong name in it.
struct CalledNames {
  // The one that the line calls, or the program itself. It belongs to the description that
  // called_names() got, which must outlive it.
  const CommandDescription* command;
  // A sentence about the first command or option that does not exist or is missing, with what may
  // have been meant. Empty if all names are known.
  std::string wrong = {};
};
CalledNames called_names(const CommandDescription& program,
                         const std::vector<std::string>& arguments);

// A script that completes the program's command line in this shell, "bash" or "zsh".
std::string completion_script(const CommandDescription& program, std::string_view shell);

}  // namespace palimpsest::cli
