#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/cli/chat.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/jinja/chat_template.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::cli {
namespace {

struct TokenizeOptions {
  std::string model;
  std::string file = "-";
  bool no_special = false;
  bool decode = false;
  bool json = false;
  bool offsets = false;
  bool chat = false;
  bool add_generation_prompt = false;
  std::vector<std::string> variables;  // NAME=VALUE
  std::vector<std::string> pair;
};

// What lines are answered with: the tokenizer and, for chats, the template with its options.
struct Model {
  tokenizer::Tokenizer tokenizer;
  std::optional<jinja::ChatTemplate> chat_template = std::nullopt;
  jinja::ChatOptions chat = {};
};

std::vector<int64_t> parse_ids(const Json& json) {
  if (!json.is_array()) {
    throw Error({.what = "the line is not a JSON array of ids", .found = describe(json)});
  }
  std::vector<int64_t> ids;
  for (const Json& id : json) {
    if (!id.is_number_integer()) {
      throw Error({.what = "an id is not a whole number", .found = describe(id)});
    }
    ids.push_back(id.get<int64_t>());
  }
  return ids;
}

std::string parse_text(const Json& json) {
  if (!json.is_string()) {
    throw Error({.what = "the line is not a JSON string",
                 .found = describe(json),
                 .hint = "leave --json out for plain text"});
  }
  return json.get<std::string>();
}

Json to_json(const tokenizer::Encoding& encoding) {
  Json json;
  json["ids"] = encoding.ids;
  json["tokens"] = encoding.tokens;
  if (encoding.with_offsets) {
    json["offsets"] = Json::array();
    for (const tokenizer::TextOffset& offset : encoding.offsets) {
      json["offsets"].push_back({offset.begin, offset.end});
    }
  }
  return json;
}

tokenizer::EncodeOptions encode_options(const TokenizeOptions& options) {
  return {.add_special_tokens = !options.no_special,
          .with_tokens = true,
          .with_offsets = options.offsets};
}

Model load_model(const TokenizeOptions& options) {
  const std::filesystem::path folder = model::find_model(options.model, hub_environment());
  Model model{.tokenizer = tokenizer::Tokenizer::load(folder)};
  if (options.chat) {
    model.chat = chat_options(model.tokenizer, options.variables);
    model.chat.add_generation_prompt = options.add_generation_prompt;
    model.chat_template =
        jinja::load_chat_template(folder, std::nullopt, model.chat.tools.has_value());
  }
  return model;
}

// The rendered text and its ids. The template writes the special tokens itself, so none are added.
Json answer_chat(const Model& model, const TokenizeOptions& options, const std::string& messages) {
  const std::string text = model.chat_template->render(messages, model.chat).text;
  tokenizer::EncodeOptions encode = encode_options(options);
  encode.add_special_tokens = false;
  Json json = {{"text", text}};
  json.update(to_json(model.tokenizer.encode(text, encode)));
  return json;
}

// What one line of input becomes.
Json answer(const Model& model, const TokenizeOptions& options, const std::string& line,
            const std::string& where) {
  const tokenizer::Tokenizer& tokenizer = model.tokenizer;
  if (options.chat) return answer_chat(model, options, line);
  if (options.decode) {
    const std::vector<int64_t> ids = parse_ids(parse_json(line, where));
    return {{"text", tokenizer.decode(ids, {.skip_special_tokens = options.no_special})}};
  }
  const std::string text = options.json ? parse_text(parse_json(line, where)) : line;
  return to_json(tokenizer.encode(text, encode_options(options)));
}

// Both id lists and the first index where they part: where the label boundary of a prompt and its
// continuation lies.
void print_pair(const tokenizer::Tokenizer& tokenizer, const TokenizeOptions& options) {
  std::vector<tokenizer::Encoding> encodings;
  for (const std::string& text : options.pair) {
    encodings.push_back(tokenizer.encode(text, encode_options(options)));
  }
  const auto& prompt = encodings[0].ids;
  const auto& full = encodings[1].ids;
  const auto parted = std::mismatch(prompt.begin(), prompt.end(), full.begin(), full.end()).first;
  Json json;
  json["prompt"] = to_json(encodings[0]);
  json["full"] = to_json(encodings[1]);
  json["first_difference"] = parted - prompt.begin();
  json["prompt_is_prefix"] = parted == prompt.end();
  print_json(to_line(json) + "\n");
}

void tokenize(const TokenizeOptions& options) {
  const Model model = load_model(options);
  if (!options.pair.empty()) return print_pair(model.tokenizer, options);
  const bool standard_input = options.file == "-";
  LineReader reader(
      standard_input ? std::filesystem::path("/dev/stdin") : std::filesystem::path(options.file),
      LineReader::Source::kAny);
  std::string line;
  while (reader.next(line)) {
    const std::string where = standard_input
                                  ? fmt::format("standard input, line {}", reader.line_number())
                                  : reader.where();
    try {
      print_json(to_line(answer(model, options, line, "")) + "\n");
    } catch (const Error& error) {
      throw error.located(where);
    }
  }
}

}  // namespace

void add_tokenize_command(Command& program) {
  Command command = program.subcommand(
      "tokenize", "Print the token ids of texts, or the text of ids; one line in, one line out");
  auto options = std::make_shared<TokenizeOptions>();
  command
      .option("--model", options->model,
              "Checkpoint folder with tokenizer.json, or a hub id in the local cache")
      .required();
  command.option("FILE", options->file, "Input, one text per line; - is standard input");
  command.flag("--no-special", options->no_special,
               "Encode without special tokens; with --decode leave them out");
  Option decode = command.flag("--decode", options->decode, "Each line is a JSON array of ids");
  Option json = command.flag("--json", options->json,
                             "Each line is a JSON string, so that any text can be given");
  Option chat = command
                    .flag("--chat", options->chat,
                          "Each line is a JSON array of messages; also prints the text "
                          "that the chat template makes")
                    .excludes(decode)
                    .excludes(json);
  command
      .flag("--add-generation-prompt", options->add_generation_prompt,
            "Add the beginning of an assistant's message at the end")
      .needs(chat);
  command
      .option("--var", options->variables,
              "NAME=VALUE, a variable of the chat template; may be repeated")
      .one_value_per_use()
      .needs(chat);
  command.flag("--offsets", options->offsets, "Also print where in the text each token is");
  command
      .option("--pair", options->pair,
              "Print the ids of PROMPT and of FULL and the first index where they differ")
      .values(2, "PROMPT FULL");
  command.action([options] { tokenize(*options); });
}

}  // namespace palimpsest::cli
