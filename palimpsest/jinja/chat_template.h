// Chat templates: from a list of messages to the text that a model was trained on, as transformers'
// apply_chat_template renders it. The language is Jinja2 in its immutable sandbox with trim_blocks,
// lstrip_blocks, loop controls, {% generation %}, raise_exception, strftime_now and its tojson.
//
//   const ChatTemplate chat = load_chat_template("models/a");
//   chat.render_text({{"user", "Hello"}}, {.add_generation_prompt = true});
//
// A template is code from a file, so a render has limits: steps, memory, and the depth of calls. A
// template that goes beyond them is stopped with an Error. Nothing here reads a clock; a template
// that asks for the time gets the one in the options.
//
// Other than in Python, integers have 64 bits, and what would print a memory address is an Error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/python_text/time.h"

namespace palimpsest::jinja {

struct ChatMessage {
  std::string role;
  std::string content;
};

struct ChatLimits {
  int64_t max_steps = 50'000'000;          // evaluated pieces of the template
  int64_t max_bytes = int64_t{256} << 20;  // of values and output alive at once
};

struct ChatOptions {
  bool add_generation_prompt = false;
  std::optional<std::string> tools = {};      // a JSON array of tool descriptions; absent: none
  std::optional<std::string> documents = {};  // a JSON array; absent: none
  // bos_token, eos_token …: what the tokenizer calls its special tokens.
  std::map<std::string, std::string> special_tokens = {};
  // Further variables by name, each a JSON value: {"date_string", "\"26 Jul 2024\""}. They
  // override special tokens.
  std::map<std::string, std::string> variables = {};
  std::optional<python_text::CivilTime> now =
      {};  // absent: a template that calls strftime_now is an Error
  ChatLimits limits = {};
};

// A part of the text that the assistant wrote ({% generation %}), in bytes.
struct ChatSpan {
  size_t begin = 0;
  size_t end = 0;
  friend bool operator==(const ChatSpan&, const ChatSpan&) = default;
};

struct RenderedChat {
  std::string text;
  std::vector<ChatSpan> generations;  // in the order of the text
};

// A parsed template. Immutable; copies share it, and threads may render with it at the same time.
class ChatTemplate {
 public:
  // `where` names the template in messages: a file, perhaps with the template's name. Throws Error
  // (with the line) if the text is no template or uses what is not supported (include …).
  static ChatTemplate parse(std::string_view text, std::string where);

  // `messages` is a JSON array of objects with role, content and whatever else the template reads.
  RenderedChat render(std::string_view messages, const ChatOptions& options) const;
  RenderedChat render(const std::vector<ChatMessage>& messages, const ChatOptions& options) const;
  std::string render_text(const std::vector<ChatMessage>& messages,
                          const ChatOptions& options) const;

  const std::string& where() const;

 private:
  struct Parsed;
  explicit ChatTemplate(std::shared_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}

  std::shared_ptr<const Parsed> parsed_;
};

// The template of a checkpoint folder: chat_template.jinja if it is there, else the key
// chat_template of tokenizer_config.json, which is a text or a list of named texts. Of a list it
// takes `name`; without a name "tool_use" if `with_tools` is set and it is there, else "default".
// Throws Error if the folder has no template, or none of that name.
ChatTemplate load_chat_template(const std::filesystem::path& folder,
                                const std::optional<std::string>& name = std::nullopt,
                                bool with_tools = false);

// Whether the folder has a template at all.
bool has_chat_template(const std::filesystem::path& folder);

}  // namespace palimpsest::jinja
