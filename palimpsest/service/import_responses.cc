#include "palimpsest/service/import_responses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/service/internal/align_tokens.h"
#include "palimpsest/service/internal/logged_response.h"

namespace palimpsest::service {
namespace {

std::string joined(const std::vector<GivenToken>& tokens, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i) text += tokens[i].text;
  return text;
}

bool all_have_ids(const std::vector<GivenToken>& tokens, size_t begin) {
  for (size_t i = begin; i < tokens.size(); ++i) {
    if (!tokens[i].id) return false;
  }
  return true;
}

// The first token never has a log-probability and so belongs to the prompt.
size_t first_label(const LoggedResponse& logged, const GivenText& given) {
  require_spelling(given);
  const size_t prompt = logged.prompt ? count_prompt_tokens(given, *logged.prompt) : 0;
  const size_t first = std::max<size_t>(prompt, 1);
  if (first >= given.tokens.size()) {
    throw Error(
        {.what = "there is no token to score after the prompt",
         .found = fmt::format("{} tokens, {} of them of the prompt", given.tokens.size(), first)});
  }
  return first;
}

trace::Trace to_trace(const LoggedResponse& logged, const GivenText& given) {
  const std::vector<GivenToken>& tokens = given.tokens;
  const size_t first = first_label(logged, given);
  trace::Trace result{.num_labels = static_cast<int64_t>(tokens.size() - first)};
  result.prompt = joined(tokens, 0, first);
  result.text = joined(tokens, first, tokens.size());
  result.logprob.emplace();
  result.tokens.emplace();
  const bool with_ids = all_have_ids(tokens, first);
  if (with_ids) result.label.emplace();
  for (size_t i = first; i < tokens.size(); ++i) {
    if (!tokens[i].logprob) {
      throw Error({.what = fmt::format("the token '{}' has no log-probability", tokens[i].text),
                   .where = fmt::format("token {}", i),
                   .hint = "the service echoes the text but does not score it"});
    }
    result.logprob->push_back(*tokens[i].logprob);
    result.tokens->push_back(tokens[i].text);
    if (with_ids) result.label->push_back(*tokens[i].id);
  }
  result.groups = logged.groups;
  trace::round_to_float32(result);
  trace::require_consistent(result);
  return result;
}

class Importer {
 public:
  explicit Importer(const ImportOptions& options) : options_(options) {
    result_.set.header = {.model = options.model, .dataset = options.dataset};
  }

  void add_log(const std::string& content, const std::string& name) {
    for (const LoggedResponse& logged : read_log(content, name, options_.stop)) {
      if (options_.stop.stop_requested()) throw Stopped();
      try {
        add(logged);
      } catch (const Error& error) {
        throw error.located(logged.where);
      }
    }
  }

  ImportedTraces take() {
    if (result_.set.traces.empty()) throw Error("there is no response to import");
    return std::move(result_);
  }

 private:
  void add(const LoggedResponse& logged) {
    take_model(logged.response);
    const std::vector<GivenText> texts = read_texts(logged, options_.format);
    for (size_t i = 0; i < texts.size(); ++i) {
      trace::Trace trace = to_trace(logged, texts[i]);
      trace.index = name_of(logged, i, texts.size());
      const auto [known, is_new] = names_.try_emplace(trace.index, logged.where);
      if (!is_new) {
        throw Error({.what = fmt::format("the name '{}' is given to two examples", trace.index),
                     .found = fmt::format("the other one at {}", known->second)});
      }
      result_.tokens += trace.num_labels;
      result_.prompt_tokens += static_cast<int64_t>(texts[i].tokens.size()) - trace.num_labels;
      result_.generated_tokens += texts[i].generated;
      result_.set.traces.push_back(std::move(trace));
    }
  }

  // A response with several texts has one name for all of them.
  std::string name_of(const LoggedResponse& logged, size_t number, size_t count) const {
    if (logged.id.empty()) return fmt::format("{}", result_.set.traces.size());
    return count == 1 ? logged.id : fmt::format("{}/{}", logged.id, number);
  }

  void take_model(const Json& response) {
    if (!options_.model.empty() || !response.is_object()) return;
    const auto found = response.find("model");
    if (found == response.end() || !found->is_string()) return;
    const auto model = found->get<std::string>();
    std::string& known = result_.set.header.model;
    if (known.empty()) known = model;
    if (known == model) return;
    throw Error({.what = "the responses come from different models",
                 .found = fmt::format("'{}' and '{}'", known, model),
                 .hint = "import each model's responses separately, or name the model with "
                         "--model"});
  }

  ImportOptions options_;
  ImportedTraces result_;
  std::map<std::string, std::string> names_;  // where each was first seen
};

}  // namespace

ImportedTraces import_responses(const std::vector<std::filesystem::path>& files,
                                const ImportOptions& options) {
  Importer importer(options);
  for (const std::filesystem::path& file : files) importer.add_log(read_file(file), file.string());
  return importer.take();
}

ImportedTraces import_log(const std::string& content, const std::string& name,
                          const ImportOptions& options) {
  Importer importer(options);
  importer.add_log(content, name);
  return importer.take();
}

}  // namespace palimpsest::service
