#include "palimpsest/cli/chat.h"

#include <fmt/format.h>

#include <ctime>
#include <string_view>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/data/prompt_template.h"
#include "palimpsest/python_text/time.h"

namespace palimpsest::cli {
namespace {

// A value is text, unless it can only be meant as JSON: a list, an object, a quoted text, true,
// false or null.
std::string variable_value(const std::string& value) {
  const bool is_json =
      value == "true" || value == "false" || value == "null" ||
      (!value.empty() && std::string_view("[{\"").find(value[0]) != std::string_view::npos);
  return to_line(is_json ? parse_json(value, "--var") : Json(value));
}

}  // namespace

python_text::CivilTime local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  ::localtime_r(&now, &local);
  return {.year = local.tm_year + 1900,
          .month = local.tm_mon + 1,
          .day = local.tm_mday,
          .hour = local.tm_hour,
          .minute = local.tm_min,
          .second = local.tm_sec};
}

jinja::ChatOptions chat_options(const std::vector<std::string>& variables) {
  jinja::ChatOptions chat;
  chat.now = local_time();
  for (const std::string& variable : variables) {
    const size_t equals = variable.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error({.what = fmt::format("the variable '{}' has no value", variable),
                   .where = "--var",
                   .expected = "NAME=VALUE"});
    }
    const std::string name = variable.substr(0, equals);
    const std::string value = variable_value(variable.substr(equals + 1));
    if (name == "tools") {
      chat.tools = value;
    } else {
      chat.variables[name] = value;
    }
  }
  return chat;
}

jinja::ChatOptions chat_options(const tokenizer::Tokenizer& tokenizer,
                                const std::vector<std::string>& variables) {
  jinja::ChatOptions chat = chat_options(variables);
  chat.special_tokens = data::chat_options_of(tokenizer).special_tokens;
  return chat;
}

}  // namespace palimpsest::cli
