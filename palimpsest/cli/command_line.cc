#include "palimpsest/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <type_traits>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/terminal.h"

namespace palimpsest::cli {

struct Declarations {
  std::map<const CLI::Option*, std::vector<std::string>> choices = {};
  std::string ending = {};  // of the program's help
};

Option Option::required() {
  return Option(option_->required(), declared_);
}

Option Option::show_default() {
  return Option(option_->capture_default_str(), declared_);
}

Option Option::one_value_per_use() {
  return Option(option_->allow_extra_args(false), declared_);
}

Option Option::separated_by(char separator) {
  return Option(option_->delimiter(separator), declared_);
}

Option Option::values(int count, const std::string& names) {
  return Option(option_->expected(count)->type_name(names), declared_);
}

Option Option::one_of(const std::vector<std::string>& choices) {
  completes(choices);
  return Option(option_->check([choices](const std::string& value) -> std::string {
    if (std::ranges::find(choices, value) != choices.end()) return "";
    const std::vector<std::string> near = nearest_words(value, choices);
    return fmt::format("'{}' is not one of {}{}", value, fmt::join(choices, ", "),
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near[0]));
  }),
                declared_);
}

Option Option::completes(const std::vector<std::string>& choices) {
  declared_->choices[option_] = choices;
  return *this;
}

Option Option::needs(const Option& other) {
  return Option(option_->needs(other.option_), declared_);
}

Option Option::excludes(const Option& other) {
  return Option(option_->excludes(other.option_), declared_);
}

Command Command::subcommand(const std::string& name, const std::string& description) {
  CLI::App* command = app_->add_subcommand(name, description);
  command->get_help_ptr()->group(kGeneralOptions);
  return Command(command, declared_);
}

Command Command::group(const std::string& heading) const {
  return Command(app_, declared_, heading);
}

Command Command::exactly_one_of(const std::string& heading) {
  return Command(app_->add_option_group(heading)->require_option(1), declared_, heading);
}

namespace {

// CLI11 makes a large number of -1 and the largest one of any that is larger.
std::string check_unsigned(const std::string& text) {
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code == std::errc() && end == text.data() + text.size()) return "";
  return fmt::format("'{}' is not a whole number from 0 to {}", text, UINT64_MAX);
}

// An empty path is mostly a variable of the shell that is not set. Nothing would be written then.
std::string check_output_path(const std::string& path) {
  return path.empty() ? "the path is empty, so there is nothing to write to" : "";
}

bool is_output_option(const std::string& name) {
  return name == "--out" || name == "OUT" || name == "--random-init";
}

// What CLI11 calls the kinds of values, in words for people.
std::string value_name(const CLI::Option& option) {
  if (option.get_expected_max() == 0 || option.get_type_size_max() == 0) return "";  // a flag
  std::string name = option.get_type_name();
  name = name.substr(0, name.find(':'));  // what follows is CLI11's list of checks
  if (name == "INT" || name == "UINT") return "N";
  if (name == "FLOAT") return "NUMBER";
  return name.empty() ? "VALUE" : name;
}

// A list stands without CLI11's brackets, as it is given on the command line.
std::string default_of(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.size() > 1 && text.front() == '[' && text.back() == ']')
    text = text.substr(1, text.size() - 2);
  return text;
}

std::vector<std::string> names_in(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::sort(names.begin(), names.end());  // CLI11 orders them by address
  return names;
}

OptionDescription describe_option(const CLI::Option& option, const Declarations& declared) {
  OptionDescription result{.value = value_name(option),
                           .default_value = default_of(option),
                           .meaning = option.get_description(),
                           .group = option.get_group(),
                           .needs = names_in(option.get_needs()),
                           .excludes = names_in(option.get_excludes()),
                           .required = option.get_required(),
                           .repeats = option.get_items_expected_max() > 1};
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  if (result.names.empty()) result.positional = option.get_name(true, false);
  if (!result.value.empty()) result.least_values = option.get_items_expected_min();
  // Each use of such an option takes one value.
  if (result.value.empty() || !option.get_allow_extra_args())
    result.least_values = std::min(result.least_values, 1);
  if (const auto found = declared.choices.find(&option); found != declared.choices.end())
    result.choices = found->second;
  return result;
}

CommandDescription describe_command(const CLI::App& app, const CommandDescription* above,
                                    const Declarations& declared) {
  CommandDescription result{
      .name = app.get_name(),
      .path = above == nullptr ? app.get_name() : above->path + " " + app.get_name(),
      .depth = above == nullptr ? 0 : above->depth + 1,
      .meaning = app.get_description(),
      .needs_command = app.get_require_subcommand_min() > 0};
  for (const CLI::Option* option : app.get_options())
    result.options.push_back(describe_option(*option, declared));
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!below->get_name().empty()) {
      result.commands.push_back(describe_command(*below, &result, declared));
      continue;
    }
    for (const CLI::Option* option : below->get_options()) {  // of exactly_one_of()
      if (option == below->get_help_ptr()) continue;
      result.options.push_back(describe_option(*option, declared));
      result.options.back().one_of_group = true;
    }
  }
  // Every command has the general ones: they stand last.
  std::stable_partition(
      result.options.begin(), result.options.end(),
      [](const OptionDescription& option) { return option.group != kGeneralOptions; });
  return result;
}

void visit_apps(CLI::App* app, const std::function<void(CLI::App*)>& use) {
  use(app);
  for (CLI::App* below : app->get_subcommands([](const CLI::App*) { return true; })) {
    if (!below->get_name().empty()) visit_apps(below, use);
  }
}

}  // namespace

Option Command::option(const std::string& name, OptionValue value, const std::string& description) {
  return std::visit(
      [&](auto variable) {
        CLI::Option* option = app_->add_option(name, variable.get(), description);
        option->group(heading_);
        if constexpr (std::is_same_v<decltype(variable), std::reference_wrapper<uint64_t>>) {
          option->check(check_unsigned);
        }
        if (is_output_option(name)) option->check(check_output_path);
        return Option(option, declared_);
      },
      value);
}

bool Command::given(const std::string& name) const {
  const CLI::Option* option = app_->get_option_no_throw(name);
  return option != nullptr && option->count() > 0;
}

std::vector<std::string> Command::given_options() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->get_group() == heading_ && option->count() > 0) names.push_back(option->get_name());
  }
  return names;
}

Option Command::flag(const std::string& name, bool& value, const std::string& description) {
  CLI::Option* option = app_->add_flag(name, value, description);
  option->group(heading_);
  return Option(option, declared_);
}

void Command::require_subcommand() {
  app_->require_subcommand(1);
}

void Command::action(std::function<void()> action) {
  app_->callback(std::move(action));
}

Program::Program(const std::string& name, const std::string& description)
    : Program(std::make_unique<CLI::App>(description, name), std::make_unique<Declarations>()) {}

Program::Program(std::unique_ptr<CLI::App> app, std::unique_ptr<Declarations> declared)
    : Command(app.get(), declared.get()),
      owned_(std::move(app)),
      owned_declarations_(std::move(declared)) {
  // Commands inherit both.
  app_->set_help_flag("-h,--help", "Print this help")->group(kGeneralOptions);
  app_->formatter_fn([this](const CLI::App* asked, const std::string&, CLI::AppFormatMode) {
    std::vector<std::string> names;
    for (; asked->get_parent() != nullptr; asked = asked->get_parent())
      names.insert(names.begin(), asked->get_name());
    return help_on(names);
  });
}

Program::~Program() = default;

void Program::version(std::function<std::string()> text) {
  app_->set_version_flag("--version", std::move(text), "Print version, commit and build")
      ->group(kGeneralOptions);
}

void Program::after_parsing(std::function<void()> action) {
  app_->parse_complete_callback(std::move(action));
}

void Program::on_all_commands(const std::function<void(Command&)>& declare) {
  visit_apps(app_, [&](CLI::App* app) {
    Command command(app, declared_, kGeneralOptions);
    declare(command);
  });
}

void Program::help_ending(std::string text) {
  declared_->ending = std::move(text);
}

CommandDescription Program::describe() const {
  return describe_command(*app_, nullptr, *declared_);
}

std::string Program::help_on(const std::vector<std::string>& names) const {
  const CommandDescription program = describe();
  const CommandDescription* command = &program;
  for (const std::string& name : names) {
    const CommandDescription* below = command->command(name);
    if (below == nullptr) throw Error(unknown_command(*command, name));
    command = below;
  }
  return help_text(*command, text_columns(), names.empty() ? declared_->ending : "");
}

void Program::run(const std::vector<std::string>& arguments) {
  try {
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // last one first
  } catch (const CLI::Success& help_or_version) {
    // Printed like every other result: a failure to write it then names its reason.
    std::ostringstream text;
    app_->exit(help_or_version, text, text);
    fmt::print("{}", text.str());
  } catch (const CLI::ParseError& error) {
    const CommandDescription program = describe();
    const auto [called, wrong] = called_names(program, arguments);
    const std::string command = called->path.substr(program.name.size());
    std::string sentence = wrong.empty() ? error.what() : wrong;
    if (!sentence.ends_with("?")) sentence += ";";
    throw Error(fmt::format("{} `{} help{}` lists {}", sentence, program.name, command,
                            called->commands.empty() ? "the options" : "the commands"));
  }
}

}  // namespace palimpsest::cli
