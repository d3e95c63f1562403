#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/run/trace_run.h"
#include "python/src/arguments.h"
#include "python/src/bindings.h"
#include "python/src/interruptible.h"
#include "python/src/model_options.h"

namespace palimpsest::python {
namespace {

using model::LanguageModel;

// A model of the library for Python. It must be used by one thread at a time.
struct LoadedModel {
  std::unique_ptr<LanguageModel> model;

  LanguageModel& get() const {
    if (model == nullptr) throw Error("the model was closed");
    return *model;
  }
};

std::unique_ptr<LoadedModel> load(const std::string& name, const nb::dict& arguments) {
  const model::ModelOptions options = model_options_of(Keywords(arguments));
  const std::unique_ptr<model::ModelLoader> loader = loader_of({});
  const nb::gil_scoped_release released;
  const std::filesystem::path folder = model::find_model(name, cli::hub_environment());
  return std::make_unique<LoadedModel>(LoadedModel{loader->load(folder, options)});
}

nb::list score(const LoadedModel& self, const nb::list& ids, const nb::list& labels,
               std::optional<int64_t> masked_token, const std::vector<std::string>& norms) {
  model::ScoreOptions options{.masked_token = masked_token};
  for (const std::string& name : norms) {
    const std::optional<model::NormOrder> order = run::find_order(name);
    if (!order) throw Error({.what = "there is no such norm", .where = "norms", .found = name});
    options.gradient_norms.push_back(*order);
  }
  if (ids.size() != labels.size()) throw Error("there are not as many labels as sequences");
  std::vector<model::Sequence> sequences;
  for (size_t i = 0; i < ids.size(); ++i) {
    sequences.push_back({.ids = Numbers<int64_t>(ids[i], "ids").to_vector(),
                         .labels = Numbers<int64_t>(labels[i], "labels").to_vector()});
  }
  std::vector<model::SequenceScores> scores = run_interruptible([&](std::stop_token stop) {
    options.stop = std::move(stop);
    return self.get().score(sequences, options);
  });
  const nb::object type = nb::module_::import_("palimpsest.model").attr("SequenceScores");
  nb::list results;
  for (model::SequenceScores& one : scores) {
    results.append(type(to_numpy(std::move(one.logprob)), to_numpy(std::move(one.mean)),
                        to_numpy(std::move(one.var)), to_numpy(std::move(one.argmax)),
                        to_numpy(std::move(one.gradient_norms))));
  }
  return results;
}

nb::list generate(const LoadedModel& self, const nb::list& prompts, const nb::dict& arguments) {
  const Keywords keywords(arguments);
  model::GenerateOptions options;
  keywords.read("max_new_tokens", options.max_new_tokens);
  keywords.read("eos_ids", options.eos_ids);
  keywords.read("repetition_penalty", options.repetition_penalty);
  keywords.read("masked_token", options.masked_token);
  keywords.read("sample", options.sample);
  keywords.read("temperature", options.temperature);
  keywords.read("top_k", options.top_k);
  keywords.read("top_p", options.top_p);
  keywords.read("seed", options.seed);
  std::vector<model::Prompt> requests;
  for (nb::handle prompt : prompts)
    requests.push_back({.ids = Numbers<int64_t>(prompt, "prompts").to_vector()});
  std::vector<model::Generation> generations = run_interruptible([&](std::stop_token stop) {
    options.stop = std::move(stop);
    return self.get().generate(requests, options);
  });
  nb::list results;
  for (model::Generation& one : generations) results.append(to_numpy(std::move(one.ids)));
  return results;
}

}  // namespace

void add_engine(nb::module_& module) {
  nb::class_<LoadedModel>(module, "LoadedModel")
      .def_prop_ro("name", [](const LoadedModel& self) { return self.get().info().source; })
      .def_prop_ro("vocab_size",
                   [](const LoadedModel& self) { return self.get().info().vocab_size; })
      .def_prop_ro("max_positions",
                   [](const LoadedModel& self) { return self.get().info().max_positions; })
      .def_prop_ro("eos_ids",
                   [](const LoadedModel& self) { return self.get().info().generation.eos_ids; })
      .def_prop_ro("dtype", [](const LoadedModel& self) { return self.get().info().dtype; })
      .def_prop_ro("num_parameters",
                   [](const LoadedModel& self) { return self.get().info().num_parameters; })
      .def("score", score, nb::arg("ids"), nb::arg("labels"), nb::arg("masked_token").none(),
           nb::arg("norms"))
      .def("generate", generate, nb::arg("prompts"), nb::arg("arguments"))
      .def("close", [](LoadedModel& self) { self.model.reset(); });
  module.def("load_model", load, nb::arg("name"), nb::arg("arguments"));
}

}  // namespace palimpsest::python
