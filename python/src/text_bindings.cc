#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/cli/chat.h"
#include "palimpsest/jinja/chat_template.h"
#include "palimpsest/service/import_responses.h"
#include "palimpsest/text/rouge.h"
#include "palimpsest/tokenizer/tokenizer.h"
#include "python/src/arguments.h"
#include "python/src/bindings.h"

namespace palimpsest::python {
namespace {

using jinja::ChatTemplate;
using tokenizer::Tokenizer;

nb::object encode(const Tokenizer& self, const std::string& text, bool add_special_tokens,
                  std::optional<int64_t> max_length) {
  return to_numpy(
      self.encode(text, {.add_special_tokens = add_special_tokens, .max_length = max_length}).ids);
}

nb::list encode_batch(const Tokenizer& self, const std::vector<std::string>& texts,
                      bool add_special_tokens, std::optional<int64_t> max_length, int threads) {
  std::vector<tokenizer::Encoding> encodings;
  {
    const nb::gil_scoped_release released;
    encodings = self.encode_batch(
        texts, {.add_special_tokens = add_special_tokens, .max_length = max_length}, threads);
  }
  nb::list ids;
  for (tokenizer::Encoding& encoding : encodings) ids.append(to_numpy(std::move(encoding.ids)));
  return ids;
}

std::string decode(const Tokenizer& self, nb::handle ids, bool skip_special_tokens) {
  return self.decode(Numbers<int64_t>(ids, "ids").values(),
                     {.skip_special_tokens = skip_special_tokens});
}

// `messages` and the values of `variables` are JSON.
std::string render(const ChatTemplate& self, const std::string& messages,
                   bool add_generation_prompt, const std::map<std::string, std::string>& variables,
                   const std::map<std::string, std::string>& special_tokens) {
  const jinja::ChatOptions options{.add_generation_prompt = add_generation_prompt,
                                   .special_tokens = special_tokens,
                                   .variables = variables,
                                   .now = cli::local_time()};
  return self.render(messages, options).text;
}

nb::dict rouge(const std::string& target, const std::string& prediction,
               const std::vector<std::string>& types, bool use_stemmer) {
  const text::RougeScorer scorer({.types = types, .use_stemmer = use_stemmer});
  nb::dict scores;
  for (const auto& [type, score] : scorer.score(target, prediction))
    scores[nb::cast(type)] = nb::make_tuple(score.precision, score.recall, score.fmeasure);
  return scores;
}

std::shared_ptr<trace::TraceSet> import_log(const std::string& content, const std::string& name,
                                            const std::string& format, const std::string& model,
                                            const std::string& dataset) {
  const nb::gil_scoped_release released;
  service::ImportedTraces imported = service::import_log(
      content, name,
      {.format = service::response_format_named(format), .model = model, .dataset = dataset});
  return std::make_shared<trace::TraceSet>(std::move(imported.set));
}

}  // namespace

void add_texts(nb::module_& module) {
  nb::class_<Tokenizer>(module, "Tokenizer")
      .def_prop_ro("vocab_size", &Tokenizer::vocab_size)
      .def("encode", encode, nb::arg("text"), nb::arg("add_special_tokens"),
           nb::arg("max_length").none())
      .def("encode_batch", encode_batch, nb::arg("texts"), nb::arg("add_special_tokens"),
           nb::arg("max_length").none(), nb::arg("threads"))
      .def("decode", decode, nb::arg("ids"), nb::arg("skip_special_tokens"))
      .def("token_to_id",
           [](const Tokenizer& self, const std::string& token) { return self.token_to_id(token); })
      .def("id_to_token", &Tokenizer::id_to_token)
      .def("special_token",
           [](const Tokenizer& self, const std::string& name) { return self.special_token(name); })
      .def("special_token_id", [](const Tokenizer& self, const std::string& name) {
        return self.special_token_id(name);
      });
  module.def("load_tokenizer",
             [](const std::filesystem::path& folder) { return Tokenizer::load(folder); });
  nb::class_<ChatTemplate>(module, "ChatTemplate")
      .def("render", render, nb::arg("messages"), nb::arg("add_generation_prompt"),
           nb::arg("variables"), nb::arg("special_tokens"));
  module.def("parse_chat_template", [](const std::string& text, const std::string& where) {
    return ChatTemplate::parse(text, where);
  });
  module.def("load_chat_template",
             [](const std::filesystem::path& folder) { return jinja::load_chat_template(folder); });
  module.def("rouge", rouge, nb::arg("target"), nb::arg("prediction"), nb::arg("types"),
             nb::arg("use_stemmer"));
  module.def("import_log", import_log, nb::arg("content"), nb::arg("name"), nb::arg("format"),
             nb::arg("model"), nb::arg("dataset"));
}

}  // namespace palimpsest::python
