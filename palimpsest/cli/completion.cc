#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/command_description.h"

namespace palimpsest::cli {
namespace {

// Every command but the program itself, with its words behind the program's name: "lab train".
using EachCommand = std::function<void(const CommandDescription&, const std::string& words)>;

void visit_commands(const CommandDescription& command, const std::string& words,
                    const EachCommand& use) {
  for (const CommandDescription& one : command.commands) {
    const std::string below = words.empty() ? one.name : words + " " + one.name;
    use(one, below);
    visit_commands(one, below, use);
  }
}

// The words that may stand in a place: commands and options.
std::string words_of(const CommandDescription& command) {
  std::vector<std::string> words;
  for (const CommandDescription& one : command.commands) words.push_back(one.name);
  for (const OptionDescription& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
    if (option.names.empty())
      words.insert(words.end(), option.choices.begin(), option.choices.end());
  }
  return fmt::format("{}", fmt::join(words, " "));
}

// The cases of the options before the cursor: those with known values, and those with any, for
// which names of files are offered.
std::string bash_values(const CommandDescription& command) {
  std::string text;
  std::vector<std::string> any;
  for (const OptionDescription& option : command.options) {
    if (option.names.empty() || option.value.empty()) continue;
    const std::string names = fmt::format("{}", fmt::join(option.names, "|"));
    if (option.choices.empty()) {
      any.push_back(names);
    } else {
      text += fmt::format("        {}) words=\"{}\" ;;\n", names, fmt::join(option.choices, " "));
    }
  }
  if (!any.empty()) text += fmt::format("        {}) words=\"\" ;;\n", fmt::join(any, "|"));
  return text;
}

std::string bash_case(const CommandDescription& command, const std::string& words) {
  const std::string values = bash_values(command);
  std::string text = fmt::format("    \"{}\")\n      words=\"{}\"\n", words, words_of(command));
  if (!values.empty()) text += "      case $previous in\n" + values + "      esac\n";
  return text + "      ;;\n";
}

std::string bash_script(const CommandDescription& program) {
  std::string steps;
  std::string cases = bash_case(program, "");
  visit_commands(program, "", [&](const CommandDescription& command, const std::string& words) {
    const size_t last = words.rfind(' ');
    const std::string before = last == std::string::npos ? "" : words.substr(0, last);
    steps += fmt::format("      \"{}:{}\") command=\"{}\" ;;\n", before, command.name, words);
    cases += bash_case(command, words);
  });
  // Where no word fits, bash offers names of files (-o default).
  return fmt::format(
      "# bash completion for {0}, written by `{0} completion bash`\n"
      "_{0}() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  local command=\"\" words=\"\" i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case \"$command:${{COMP_WORDS[i]}}\" in\n{1}    esac\n"
      "  done\n"
      "  case $command in\n{2}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}}\n"
      "complete -o default -F _{0} {0}\n",
      program.name, steps, cases);
}

// Text within single quotes, within the brackets of an option's description.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      result += std::string("\\") + c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string zsh_value(const OptionDescription& option, const std::string& name) {
  if (option.choices.empty()) return fmt::format(":{}:_files", zsh_text(name));
  return fmt::format(":{}:({})", zsh_text(name), fmt::join(option.choices, " "));
}

std::string zsh_function_name(const std::string& program, std::string words) {
  for (char& c : words) {
    if (c == ' ') c = '_';
  }
  return words.empty() ? "_" + program : "_" + program + "_" + words;
}

std::string zsh_option(const OptionDescription& option) {
  std::string text;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    text += fmt::format("    '{}{}{}[{}]{}' \\\n", option.repeats ? "*" : "", name,
                        option.value.empty() ? ""
                        : is_long            ? "="
                                             : "+",
                        zsh_text(option.meaning),
                        option.value.empty() ? "" : zsh_value(option, option.value));
  }
  return text;
}

std::string zsh_arguments(const CommandDescription& command) {
  std::string text;
  int number = 0;
  for (const OptionDescription& option : command.options) {
    if (!option.names.empty()) {
      text += zsh_option(option);
    } else {
      const std::string where = option.repeats ? "*" : fmt::format("{}", ++number);
      text += fmt::format("    '{}{}' \\\n", where, zsh_value(option, option.positional));
    }
  }
  return text;
}

std::string zsh_function(const CommandDescription& program, const CommandDescription& command,
                         const std::string& words) {
  const std::string name = zsh_function_name(program.name, words);
  if (command.commands.empty())
    return fmt::format("{}() {{\n  _arguments \\\n{}    && return 0\n}}\n\n", name,
                       zsh_arguments(command));
  std::string list;
  std::string calls;
  for (const CommandDescription& one : command.commands) {
    const std::string below = words.empty() ? one.name : words + " " + one.name;
    list += fmt::format("    '{}:{}'\n", one.name, zsh_text(one.meaning));
    calls += fmt::format("        {}) {} ;;\n", one.name, zsh_function_name(program.name, below));
  }
  return fmt::format(
      "{0}() {{\n"
      "  local curcontext=\"$curcontext\" state line\n"
      "  local -a commands\n"
      "  commands=(\n{1}  )\n"
      "  _arguments -C \\\n{2}"
      "    '1: :->command' \\\n"
      "    '*:: :->arguments' && return 0\n"
      "  case $state in\n"
      "    command) _describe command commands ;;\n"
      "    arguments)\n"
      "      case $line[1] in\n{3}      esac\n"
      "      ;;\n"
      "  esac\n"
      "}}\n\n",
      name, list, zsh_arguments(command), calls);
}

std::string zsh_script(const CommandDescription& program) {
  std::string text = fmt::format(
      "#compdef {0}\n# zsh completion for {0}, written by `{0} completion zsh`\n\n", program.name);
  visit_commands(program, "", [&](const CommandDescription& command, const std::string& words) {
    text += zsh_function(program, command, words);
  });
  text += zsh_function(program, program, "");
  // Called where the function is loaded on demand, registered where the file was sourced.
  return text + fmt::format(
                    "if [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} "
                    "{0}\nfi\n",
                    program.name);
}

}  // namespace

std::string completion_script(const CommandDescription& program, std::string_view shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  throw Error({.what = fmt::format("there is no completion for the shell '{}'", shell),
               .expected = "bash or zsh"});
}

}  // namespace palimpsest::cli
