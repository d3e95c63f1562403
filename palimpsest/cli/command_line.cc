#include "palimpsest/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <type_traits>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::cli {

Option Option::required() {
  return Option(option_->required());
}

Option Option::show_default() {
  return Option(option_->capture_default_str());
}

Option Option::one_value_per_use() {
  return Option(option_->allow_extra_args(false));
}

Option Option::separated_by(char separator) {
  return Option(option_->delimiter(separator));
}

Option Option::values(int count, const std::string& names) {
  return Option(option_->expected(count)->type_name(names));
}

Option Option::one_of(const std::vector<std::string>& choices) {
  return Option(option_->check(CLI::IsMember(choices)));
}

Option Option::needs(const Option& other) {
  return Option(option_->needs(other.option_));
}

Option Option::excludes(const Option& other) {
  return Option(option_->excludes(other.option_));
}

Command Command::subcommand(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description));
}

Command Command::exactly_one_of(const std::string& heading) {
  return Command(app_->add_option_group(heading)->require_option(1));
}

namespace {

// CLI11 makes a large number of -1 and the largest one of any that is larger.
std::string check_unsigned(const std::string& text) {
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code == std::errc() && end == text.data() + text.size()) return "";
  return fmt::format("'{}' is not a whole number from 0 to {}", text, UINT64_MAX);
}

}  // namespace

Option Command::option(const std::string& name, OptionValue value, const std::string& description) {
  return std::visit(
      [&](auto variable) {
        CLI::Option* option = app_->add_option(name, variable.get(), description);
        if constexpr (std::is_same_v<decltype(variable), std::reference_wrapper<uint64_t>>) {
          option->check(check_unsigned);
        }
        return Option(option);
      },
      value);
}

bool Command::given(const std::string& name) const {
  const CLI::Option* option = app_->get_option_no_throw(name);
  return option != nullptr && option->count() > 0;
}

Option Command::option(const std::string& name, std::function<void(double)> use,
                       const std::string& description) {
  return Option(app_->add_option_function<double>(name, use, description));
}

Option Command::option(const std::string& name,
                       std::function<void(const std::vector<std::string>&)> use,
                       const std::string& description) {
  return Option(app_->add_option_function<std::vector<std::string>>(name, use, description));
}

Option Command::flag(const std::string& name, bool& value, const std::string& description) {
  return Option(app_->add_flag(name, value, description));
}

void Command::require_subcommand() {
  app_->require_subcommand(1);
}

void Command::action(std::function<void()> action) {
  app_->callback(std::move(action));
}

Program::Program(const std::string& name, const std::string& description)
    : Program(std::make_unique<CLI::App>(description, name), name) {}

Program::Program(std::unique_ptr<CLI::App> app, std::string name)
    : Command(app.get()), owned_(std::move(app)), name_(std::move(name)) {}

Program::~Program() = default;

void Program::version(std::function<std::string()> text) {
  app_->set_version_flag("--version", std::move(text));
}

void Program::after_parsing(std::function<void()> action) {
  app_->parse_complete_callback(std::move(action));
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
    throw Error(fmt::format("{0}; `{1} --help` and `{1} COMMAND --help` list the options",
                            error.what(), name_));
  }
}

}  // namespace palimpsest::cli
