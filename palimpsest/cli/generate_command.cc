#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/short_name.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/chat.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/results.h"
#include "palimpsest/data/internal/record_reader.h"
#include "palimpsest/model/internal/adapter_base.h"
#include "palimpsest/model/internal/stop_strings.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::cli {
namespace {

struct GenerateCommand {
  ModelArguments model;
  std::vector<std::string> prompts;
  std::string data;
  std::string prompt_key = "prompt";
  std::string draft_key;  // empty: no drafts
  bool chat = false;
  std::optional<std::string> system_prompt;
  std::vector<std::string> variables;  // NAME=VALUE
  std::vector<std::string> stop;
  std::optional<double> repetition_penalty;
  model::GenerateOptions generate;
  bool json = false;
  std::string out;
};

struct Request {
  std::string prompt;
  std::optional<std::string> draft = std::nullopt;
  std::string where;  // for messages: "data.jsonl:17"
};

std::vector<Request> gather_requests(const GenerateCommand& command) {
  std::vector<Request> requests;
  for (const std::string& prompt : command.prompts) {
    requests.push_back({.prompt = prompt, .where = fmt::format("--prompt {}", requests.size())});
  }
  if (command.data.empty()) return requests;
  for (const data::Record& record : data::read_records(command.data)) {
    Request request{.prompt = record.text(command.prompt_key), .where = record.where()};
    if (!command.draft_key.empty()) request.draft = record.text(command.draft_key);
    requests.push_back(std::move(request));
  }
  return requests;
}

// From texts to token ids: as they are, or as the user's turn of a chat.
class PromptEncoder {
 public:
  PromptEncoder(const GenerateCommand& command, const std::filesystem::path& folder,
                const tokenizer::Tokenizer& tokenizer)
      : tokenizer_(tokenizer), system_prompt_(command.system_prompt) {
    if (!command.chat) return;
    options_ = chat_options(tokenizer, command.variables);
    options_.add_generation_prompt = true;
    template_ = jinja::load_chat_template(folder, std::nullopt, options_.tools.has_value());
  }

  model::Prompt encode(const Request& request) const {
    const std::string text = template_ ? chat_text(request.prompt) : request.prompt;
    model::Prompt prompt{.ids = ids_of(text)};
    if (request.draft) prompt.draft = draft_ids(prompt.ids, text, *request.draft);
    return prompt;
  }

 private:
  std::string chat_text(const std::string& prompt) const {
    std::vector<jinja::ChatMessage> messages;
    if (system_prompt_) messages.push_back({.role = "system", .content = *system_prompt_});
    messages.push_back({.role = "user", .content = prompt});
    return template_->render_text(messages, options_);
  }

  // A template writes the special tokens itself.
  std::vector<int64_t> ids_of(const std::string& text) const {
    return tokenizer_.encode(text, {.add_special_tokens = !template_.has_value()}).ids;
  }

  // The tokens of the draft as they follow the prompt, where the prompt keeps its own tokens then.
  std::vector<int64_t> draft_ids(const std::vector<int64_t>& prompt, const std::string& text,
                                 const std::string& draft) const {
    const std::vector<int64_t> whole = ids_of(text + draft);
    const auto parted = std::mismatch(prompt.begin(), prompt.end(), whole.begin(), whole.end());
    if (parted.first == prompt.end()) return {parted.second, whole.end()};
    return tokenizer_.encode(draft, {.add_special_tokens = false}).ids;
  }

  const tokenizer::Tokenizer& tokenizer_;
  std::optional<std::string> system_prompt_;
  jinja::ChatOptions options_;
  std::optional<jinja::ChatTemplate> template_;
};

// Drafts are guesses: one that the model cannot read, or that is longer than what may be generated,
// only loses its use.
std::vector<model::Prompt> encode_requests(const std::vector<Request>& requests,
                                           const PromptEncoder& encoder,
                                           const model::ModelInfo& model) {
  std::vector<model::Prompt> prompts;
  for (const Request& request : requests) {
    try {
      prompts.push_back(encoder.encode(request));
      if (prompts.back().ids.empty()) {
        throw Error({.what = "the prompt has no tokens", .hint = "write some text"});
      }
    } catch (const Error& error) {
      throw error.located(request.where);
    }
    std::vector<int64_t>& draft = prompts.back().draft;
    draft.erase(std::find_if(draft.begin(), draft.end(),
                             [&](int64_t id) { return id < 0 || id >= model.vocab_size; }),
                draft.end());
  }
  return prompts;
}

model::GenerateOptions generate_options(const GenerateCommand& command,
                                        const model::ModelInfo& model,
                                        const tokenizer::Tokenizer& tokenizer) {
  model::GenerateOptions options = command.generate;
  options.eos_ids = model.generation.eos_ids;
  if (options.eos_ids.empty() && tokenizer.eos_id()) options.eos_ids = {*tokenizer.eos_id()};
  options.repetition_penalty =
      command.repetition_penalty.value_or(model.generation.repetition_penalty);
  if (!command.stop.empty()) {
    options.should_stop = model::stop_at(command.stop, [&tokenizer](std::span<const int64_t> ids) {
      return tokenizer.decode(ids, {.skip_special_tokens = true});
    });
  }
  return options;
}

struct Answer {
  std::string text;
  model::Generation generation;
};

std::string to_json_lines(const std::vector<Request>& requests,
                          const std::vector<Answer>& answers) {
  std::string lines;
  for (size_t i = 0; i < answers.size(); ++i) {
    const model::Generation& generation = answers[i].generation;
    lines += to_line({{"index", i},
                      {"prompt", requests[i].prompt},
                      {"text", answers[i].text},
                      {"ids", generation.ids},
                      {"stopped", generation.stopped}}) +
             "\n";
  }
  return lines;
}

// The continuation alone; numbered where there are several.
void print_texts(const std::vector<Answer>& answers) {
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers.size() > 1) fmt::print("[{}] ", i);
    print_text(answers[i].text + "\n");
  }
}

std::vector<Answer> run(const GenerateCommand& command, const model::ModelOptions& how,
                        const std::vector<Request>& requests, const ProgramContext& context,
                        std::stop_token stop) {
  const model::HubEnvironment environment = hub_environment();
  const std::unique_ptr<model::ModelLoader> loader = context.make_loader(environment);
  const std::filesystem::path folder = model::find_model(command.model.model, environment);
  const std::filesystem::path text_folder = model::find_tokenizer(folder, environment);
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(text_folder);
  const PromptEncoder encoder(command, text_folder, tokenizer);
  const std::unique_ptr<model::LanguageModel> model = loader->load(folder, how);
  const std::vector<model::Prompt> prompts = encode_requests(requests, encoder, model->info());
  model::GenerateOptions options = generate_options(command, model->info(), tokenizer);
  const auto display = progress_on(stderr);
  Progress progress(display.get(), "generating with " + short_name(command.model.model),
                    static_cast<int64_t>(prompts.size()));
  options.on_finished = [&](int64_t more) { progress.advance(more); };
  options.stop = std::move(stop);
  std::vector<Answer> answers;
  for (model::Generation& generation : model->generate(prompts, options)) {
    std::string text = tokenizer.decode(generation.ids, {.skip_special_tokens = true});
    answers.push_back({.text = std::move(text), .generation = std::move(generation)});
  }
  return answers;
}

void generate(const GenerateCommand& command, const ProgramContext& context, std::stop_token stop) {
  const model::ModelOptions how = model_options(command.model, context);
  std::vector<std::filesystem::path> inputs = model_folders(command.model.model, hub_environment());
  inputs.emplace_back(command.data);
  const auto lock = lock_output_file(command.out, "palimpsest generate", inputs);
  const std::vector<Request> requests = gather_requests(command);
  const std::vector<Answer> answers = run(command, how, requests, context, std::move(stop));
  if (!command.out.empty()) write_file(command.out, to_json_lines(requests, answers));
  if (command.json) {
    print_json(to_json_lines(requests, answers));
  } else {
    print_texts(answers);
  }
  if (!command.out.empty()) log_info("the generations are in {}", command.out);
}

void add_prompt_options(Command& generate, GenerateCommand& command) {
  Command source = generate.exactly_one_of("Prompts");
  Command app = generate.group("How prompts are read");
  source.option("--prompt", command.prompts, "A text to continue; may be repeated")
      .one_value_per_use();
  Option data = source.option("--data", command.data,
                              "File of records: JSON lines, a JSON array, or .csv with a header "
                              "line");
  app.option("--prompt-key", command.prompt_key, "Key of the prompt in a record")
      .show_default()
      .needs(data);
  app.option("--draft-key", command.draft_key,
             "Key of a guess at the answer: decoding is faster where the guess is right; the "
             "result never changes")
      .needs(data);
  Option chat = app.flag("--chat", command.chat,
                         "Each prompt is a user's message, put into the chat template");
  app.option("--system-prompt", command.system_prompt, "System message before each prompt")
      .needs(chat);
  app.option("--var", command.variables,
             "NAME=VALUE, a variable of the chat template; may be repeated")
      .one_value_per_use()
      .needs(chat);
}

void add_decoding_options(Command app, GenerateCommand& command) {
  model::GenerateOptions& options = command.generate;
  app.option("--max-new-tokens", options.max_new_tokens, "Maximum number of new tokens")
      .show_default();
  app.option("--stop", command.stop, "Stop after this text; may be repeated").one_value_per_use();
  app.option("--repetition-penalty", command.repetition_penalty,
             "Makes tokens that occurred before less likely; 1: no penalty (default: as in the "
             "model's generation_config.json)");
  Option sample =
      app.flag("--sample", options.sample, "Sample tokens instead of taking the most likely one");
  app.option("--temperature", options.temperature, "Higher is more random")
      .show_default()
      .needs(sample);
  app.option("--top-k", options.top_k, "Sample from the k most likely tokens; 0: from all")
      .show_default()
      .needs(sample);
  app.option("--top-p", options.top_p,
             "Sample from the most likely tokens that together have this probability")
      .show_default()
      .needs(sample);
  app.option("--seed", options.seed, "Seed of the sampling").show_default().needs(sample);
  app.option("--batch", options.max_batch, "Number of prompts that are decoded at the same time")
      .show_default();
}

}  // namespace

void add_generate_command(Command& program, const ProgramContext& context) {
  Command app = program.subcommand("generate", "Continue texts with a model");
  auto command = std::make_shared<GenerateCommand>();
  add_model_options(app, command->model);
  add_prompt_options(app, *command);
  add_decoding_options(app.group("Decoding"), *command);
  Command output = app.group("Output");
  output.flag("--json", command->json, "Print JSON lines: index, prompt, text, ids, stopped");
  output.option("--out", command->out, "Write the JSON lines to this file");
  app.action([command, &context] {
    interruptible(AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { generate(*command, context, stop); });
  });
}

}  // namespace palimpsest::cli
