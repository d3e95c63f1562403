#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/base/internal/table.h"
#include "palimpsest/cli/command_description.h"

namespace palimpsest::cli {
namespace {

// Where meanings begin. Longer names stand on a line of their own.
constexpr size_t kOptionColumn = 26;
constexpr size_t kCommandColumn = 16;

// "--model TEXT", "-m, --multirun", "FILE"
std::string shown_names(const OptionDescription& option) {
  if (option.names.empty()) return option.positional;
  std::string text = fmt::format("{}", fmt::join(option.names, ", "));
  return option.value.empty() ? text : text + " " + option.value;
}

// The meaning with what else must be known before the option is used.
std::string full_meaning(const OptionDescription& option) {
  std::vector<std::string> more;
  if (option.required) more.emplace_back("required");
  if (!option.needs.empty()) more.push_back(fmt::format("with {}", fmt::join(option.needs, ", ")));
  if (!option.excludes.empty())
    more.push_back(fmt::format("not with {}", fmt::join(option.excludes, ", ")));
  if (!option.default_value.empty())
    more.push_back(fmt::format("default: {}", option.default_value));
  std::string text = option.meaning;
  if (!more.empty()) text += fmt::format(" ({})", fmt::join(more, "; "));
  return text;
}

// A name and its meaning in two columns.
std::string entry(const std::string& name, const std::string& meaning, size_t column,
                  size_t width) {
  std::string text = "  " + name;
  const size_t used = text_width(text);
  const std::string margin(column, ' ');
  text += used + 2 > column ? "\n" + margin : std::string(column - used, ' ');
  // Wrapped as if it stood at the margin; the first line stands there already.
  const std::string wrapped_meaning = wrapped(meaning, width - column, 0);
  for (size_t i = 0; i < wrapped_meaning.size(); ++i) {
    text += wrapped_meaning[i];
    if (wrapped_meaning[i] == '\n' && i + 1 < wrapped_meaning.size()) text += margin;
  }
  if (meaning.empty()) {
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

std::string usage(const CommandDescription& command) {
  std::string text = "Usage: " + command.path;
  if (std::ranges::any_of(command.options,
                          [](const auto& option) { return !option.names.empty(); }))
    text += " [OPTIONS]";
  for (const OptionDescription& option : command.options) {
    if (!option.names.empty()) continue;
    const std::string name = option.positional + (option.repeats ? "…" : "");
    text += option.required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty()) text += command.needs_command ? " COMMAND" : " [COMMAND]";
  return text + "\n";
}

std::string arguments_part(const CommandDescription& command, size_t width) {
  std::string text;
  for (const OptionDescription& option : command.options) {
    if (option.names.empty())
      text += entry(shown_names(option), full_meaning(option), kOptionColumn, width);
  }
  return text.empty() ? "" : "\nArguments:\n" + text;
}

// One heading per group, in the order in which the groups were declared.
std::string options_part(const CommandDescription& command, size_t width) {
  std::vector<std::string> groups;
  for (const OptionDescription& option : command.options) {
    if (!option.names.empty() && std::ranges::find(groups, option.group) == groups.end())
      groups.push_back(option.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    std::string entries;
    bool one_of = false;
    for (const OptionDescription& option : command.options) {
      if (option.names.empty() || option.group != group || option.meaning.empty()) continue;
      entries += entry(shown_names(option), full_meaning(option), kOptionColumn, width);
      one_of = one_of || option.one_of_group;
    }
    if (entries.empty()) continue;
    text += fmt::format("\n{}{}:\n{}", group, one_of ? " (exactly one of these)" : "", entries);
  }
  return text;
}

std::string commands_part(const CommandDescription& command, size_t width) {
  if (command.commands.empty()) return "";
  std::string text = "\nCommands:\n";
  for (const CommandDescription& one : command.commands)
    text += entry(one.name, one.meaning, kCommandColumn, width);
  return text;
}

}  // namespace

const CommandDescription* CommandDescription::command(std::string_view wanted) const {
  const auto found = std::ranges::find(commands, wanted, &CommandDescription::name);
  return found == commands.end() ? nullptr : &*found;
}

const OptionDescription* CommandDescription::option(std::string_view wanted) const {
  const auto found = std::ranges::find_if(options, [&](const OptionDescription& option) {
    return std::ranges::find(option.names, wanted) != option.names.end();
  });
  return found == options.end() ? nullptr : &*found;
}

std::string help_text(const CommandDescription& command, size_t width, const std::string& ending) {
  std::string text = wrapped(command.meaning, width, 0) + "\n" + usage(command);
  text +=
      commands_part(command, width) + arguments_part(command, width) + options_part(command, width);
  return ending.empty() ? text : text + "\n" + ending;
}

}  // namespace palimpsest::cli
