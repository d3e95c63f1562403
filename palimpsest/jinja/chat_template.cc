#include "palimpsest/jinja/chat_template.h"

#include <fmt/format.h>

#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/interpreter.h"
#include "palimpsest/jinja/internal/json_reader.h"
#include "palimpsest/jinja/internal/parser.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::jinja {
namespace {

using Variables = std::map<std::string, Value>;

void require_utf8(std::string_view text, const std::string& where) {
  const std::optional<size_t> invalid = text::find_invalid_utf8(text);
  if (!invalid) return;
  throw Error({.what = fmt::format("the text is not UTF-8 at byte {}", *invalid), .where = where});
}

void require_array(const Value& value, const std::string& what) {
  if (value.is(Kind::kList)) return;
  throw Error({.what = fmt::format("the {} are not a JSON array", what),
               .found = std::string(type_name(value))});
}

// A list of objects, or none.
Value objects(const std::optional<std::string>& json, const std::string& what, Budget& budget) {
  if (!json) return Value::none();
  Value value = parse_json_value(*json, what, &budget);
  if (value.is_none()) return value;
  require_array(value, what);
  for (const Value& item : value.items()) {
    if (!item.is_dict()) {
      throw Error({.what = fmt::format("one of the {} is not a JSON object", what),
                   .found = std::string(type_name(item))});
    }
  }
  return value;
}

Variables variables_of(Value messages, const ChatOptions& options, Budget& budget) {
  Variables variables;
  for (const auto& [name, token] : options.special_tokens) {
    require_utf8(token, name);
    variables[name] = make_string(token, &budget);
  }
  for (const auto& [name, json] : options.variables) {
    variables[name] = parse_json_value(json, fmt::format("the variable '{}'", name), &budget);
  }
  variables["messages"] = std::move(messages);
  variables["tools"] = objects(options.tools, "tools", budget);
  variables["documents"] = objects(options.documents, "documents", budget);
  variables["add_generation_prompt"] = Value::boolean(options.add_generation_prompt);
  return variables;
}

}  // namespace

struct ChatTemplate::Parsed {
  Program program;
  std::string where;

  template <class MakeMessages>
  RenderedChat render(const ChatOptions& options, const MakeMessages& make_messages) const {
    Runtime runtime(options.limits);
    if (options.now) runtime.now = &*options.now;
    Variables variables;
    try {
      variables = variables_of(make_messages(runtime.budget), options, runtime.budget);
    } catch (const Error& error) {
      throw error.located(where);
    }
    Interpreter interpreter(program, runtime, variables);
    try {
      std::string text = interpreter.run();
      return {.text = std::move(text), .generations = interpreter.generations()};
    } catch (const Error& error) {
      throw error.located(fmt::format("{}: line {}", where, interpreter.line()));
    }
  }
};

ChatTemplate ChatTemplate::parse(std::string_view text, std::string where) {
  require_utf8(text, where);
  auto parsed = std::make_shared<Parsed>();
  try {
    parsed->program = parse_template(text);
  } catch (const Error& error) {
    throw error.located(where);
  }
  parsed->where = std::move(where);
  return ChatTemplate(std::move(parsed));
}

RenderedChat ChatTemplate::render(std::string_view messages, const ChatOptions& options) const {
  return parsed_->render(options, [&](Budget& budget) {
    Value value = parse_json_value(messages, "the messages", &budget);
    require_array(value, "messages");
    return value;
  });
}

RenderedChat ChatTemplate::render(const std::vector<ChatMessage>& messages,
                                  const ChatOptions& options) const {
  return parsed_->render(options, [&](Budget& budget) {
    Values items;
    for (const ChatMessage& message : messages) {
      require_utf8(message.role, "the role of a message");
      require_utf8(message.content, "the content of a message");
      const auto text = [&](const std::string& content) { return make_string(content, &budget); };
      items.push_back(make_dict(
          {{text("role"), text(message.role)}, {text("content"), text(message.content)}}, &budget));
    }
    return make_list(std::move(items), &budget);
  });
}

std::string ChatTemplate::render_text(const std::vector<ChatMessage>& messages,
                                      const ChatOptions& options) const {
  return render(messages, options).text;
}

const std::string& ChatTemplate::where() const {
  return parsed_->where;
}

}  // namespace palimpsest::jinja
