// Chat templates turn a list of messages into the text format that a model was trained on, as
// apply_chat_template() of transformers does. The language is Jinja2 as transformers configures it:
// the immutable sandbox with trim_blocks, lstrip_blocks, loop controls, {% generation %},
// raise_exception, strftime_now and the tojson of transformers.
//
//   const ChatTemplate chat = load_chat_template("models/a");
//   chat.render_text({{"user", "Hello"}}, {.add_generation_prompt = true});
//
// A template is code from a file, so rendering limits its steps, its memory and its call depth. A
// template that exceeds a limit is stopped with an Error. Nothing here reads a clock: a template
// that asks for the time gets the one in the options.
//
// There are two differences from Python: integers have 64 bits, and printing a value that Python
// would show with its memory address throws Error.
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
  // A step is one evaluated node, one list item or 64 bytes of text.
  int64_t max_steps = 50'000'000;
  int64_t max_bytes = int64_t{256} << 20;  // memory of the values and the output at one time
};

struct ChatOptions {
  bool add_generation_prompt = false;
  std::optional<std::string> tools = {};      // a JSON array of tool descriptions
  std::optional<std::string> documents = {};  // a JSON array of documents
  // Special tokens under the names that templates use: bos_token, eos_token and so on.
  std::map<std::string, std::string> special_tokens = {};
  // Further variables by name, each a JSON value: {"date_string", "\"26 Jul 2024\""}. They
  // override special tokens.
  std::map<std::string, std::string> variables = {};
  // The time that strftime_now returns. If absent, a template that calls strftime_now throws Error.
  std::optional<python_text::CivilTime> now = {};
  ChatLimits limits = {};
};

// A part of the text that the assistant wrote, marked by {% generation %}. The positions count
// bytes.
struct ChatSpan {
  size_t begin = 0;
  size_t end = 0;
  friend bool operator==(const ChatSpan&, const ChatSpan&) = default;
};

struct RenderedChat {
  std::string text;
  std::vector<ChatSpan> generations;  // in the order in which they occur in the text
};

// A parsed template. It is immutable: copies share it, and threads may render with it at the same
// time.
class ChatTemplate {
 public:
  // `where` names the template in messages: a file, possibly with the template's name. Throws
  // Error, with the line, if the text is not a valid template or uses an unsupported feature such
  // as include.
  static ChatTemplate parse(std::string_view text, std::string where);

  // `messages` is a JSON array of objects with a role, a content and any other keys that the
  // template reads.
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

// Loads the template of a checkpoint folder. That is the file chat_template.jinja if it exists,
// else the key chat_template of tokenizer_config.json. The key holds a text or a list of named
// texts. From a list, the text called `name` is taken. If `name` is absent, "tool_use" is taken if
// `with_tools` is set and the list has it, else "default". Throws Error if the folder has no
// template, or none with that name.
ChatTemplate load_chat_template(const std::filesystem::path& folder,
                                const std::optional<std::string>& name = std::nullopt,
                                bool with_tools = false);

// Whether the folder has a chat template.
bool has_chat_template(const std::filesystem::path& folder);

}  // namespace palimpsest::jinja
