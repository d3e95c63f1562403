#include "python/src/python_model.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/model/request_check.h"
#include "palimpsest/run/trace_run.h"
#include "python/src/arguments.h"

namespace palimpsest::python {
namespace {

// The file in the folder of a Python model whose content identifies the model.
constexpr const char* kIdentity = "model.identity";

nb::module_ protocol() {
  return nb::module_::import_("palimpsest.model");
}

// The value of an attribute that the object need not have.
template <class T>
void read_attribute(nb::handle object, const char* name, T& value) {
  if (!nb::hasattr(object, name)) return;
  const nb::object found = object.attr(name);
  if (found.is_none()) return;
  if (!nb::try_cast(found, value))
    throw Error(
        {.what = "the attribute has the wrong type", .where = fmt::format("model.{}", name)});
}

// What the methods of a model get to ask whether they should stop.
nb::object stop_function(const std::stop_token& stop) {
  return nb::cast(std::function<bool()>([stop] { return stop.stop_requested(); }));
}

int64_t scored_positions(const model::Sequence& sequence) {
  int64_t count = 0;
  for (size_t t = 1; t < sequence.labels.size(); ++t)
    count += sequence.labels[t] != kIgnoredLabel ? 1 : 0;
  return count;
}

std::vector<double> numbers_of(nb::handle scores, const char* name, size_t expected) {
  std::vector<double> values = Numbers<double>(scores.attr(name), name).to_vector();
  if (values.size() != expected) {
    throw Error({.what = "the model returned an array of the wrong length",
                 .where = name,
                 .expected = fmt::format("one number per labelled position: {}", expected),
                 .found = fmt::format("{}", values.size())});
  }
  for (const double value : values) {
    if (!std::isfinite(value))
      throw Error({.what = "the model returned a number that is not finite", .where = name});
  }
  return values;
}

model::SequenceScores scores_of(nb::handle result, const model::Sequence& sequence,
                                size_t num_norms) {
  const auto count = static_cast<size_t>(scored_positions(sequence));
  model::SequenceScores scores;
  scores.logprob = numbers_of(result, "logprob", count);
  scores.mean = numbers_of(result, "mean", count);
  scores.var = numbers_of(result, "var", count);
  scores.argmax = Numbers<int64_t>(result.attr("argmax"), "argmax").to_vector();
  if (scores.argmax.size() != count) {
    throw Error({.what = "the model returned an array of the wrong length",
                 .where = "argmax",
                 .expected = fmt::format("{}", count),
                 .found = fmt::format("{}", scores.argmax.size())});
  }
  // Without a token left, there is no loss and no gradient.
  if (num_norms > 0 && count > 1)
    scores.gradient_norms = numbers_of(result, "gradient_norms", num_norms);
  return scores;
}

// The results of a method, one per argument.
nb::list results_of(const nb::object& returned, size_t expected, const char* method) {
  nb::list results(returned);
  if (results.size() != expected) {
    throw Error({.what = "the model returned the wrong number of results",
                 .where = fmt::format("model.{}", method),
                 .expected = fmt::format("{}", expected),
                 .found = fmt::format("{}", results.size())});
  }
  return results;
}

}  // namespace

PythonModel::PythonModel(Held object) : object_(std::move(object)) {
  const nb::gil_scoped_acquire acquired;
  const nb::object& model = object_.get();
  info_.source = "the Python model";
  info_.device = "python";
  read_attribute(model, "name", info_.source);
  read_attribute(model, "vocab_size", info_.vocab_size);
  read_attribute(model, "max_positions", info_.max_positions);
  read_attribute(model, "eos_ids", info_.generation.eos_ids);
  read_attribute(model, "device", info_.device);
  read_attribute(model, "dtype", info_.dtype);
  read_attribute(model, "num_parameters", info_.num_parameters);
  info_.stored_dtype = info_.dtype;
  if (info_.vocab_size < 1) {
    throw Error({.what = "the model does not say how many tokens its vocabulary has",
                 .where = "model.vocab_size"});
  }
}

std::vector<model::SequenceScores> PythonModel::score(std::span<const model::Sequence> sequences,
                                                      const model::ScoreOptions& options) {
  model::check_sequences(sequences, info_);
  const nb::gil_scoped_acquire acquired;
  const nb::module_ types = protocol();
  nb::list arguments;
  for (const model::Sequence& sequence : sequences)
    arguments.append(types.attr("Sequence")(to_numpy(sequence.ids), to_numpy(sequence.labels)));
  nb::list norms;
  for (const model::NormOrder order : options.gradient_norms)
    norms.append(nb::cast(run::order_name(order)));
  const nb::object request = types.attr("ScoreOptions")(nb::cast(options.masked_token), norms,
                                                        stop_function(options.stop));
  const nb::list results =
      results_of(object_.get().attr("score")(arguments, request), sequences.size(), "score");
  std::vector<model::SequenceScores> scores;
  scores.reserve(sequences.size());
  for (size_t i = 0; i < sequences.size(); ++i)
    scores.push_back(scores_of(results[i], sequences[i], options.gradient_norms.size()));
  return scores;
}

std::vector<model::Generation> PythonModel::generate(std::span<const model::Prompt> prompts,
                                                     const model::GenerateOptions& options) {
  model::check_prompts(prompts, options, info_);
  const nb::gil_scoped_acquire acquired;
  const nb::module_ types = protocol();
  nb::list arguments;
  for (const model::Prompt& prompt : prompts)
    arguments.append(types.attr("Prompt")(to_numpy(prompt.ids), to_numpy(prompt.known)));
  nb::dict fields;
  fields["max_new_tokens"] = options.max_new_tokens;
  fields["eos_ids"] = options.eos_ids;
  fields["repetition_penalty"] = options.repetition_penalty;
  fields["masked_token"] = options.masked_token;
  fields["sample"] = options.sample;
  fields["temperature"] = options.temperature;
  fields["top_k"] = options.top_k;
  fields["top_p"] = options.top_p;
  fields["seed"] = options.seed;
  fields["max_batch"] = options.max_batch;
  fields["stop_requested"] = stop_function(options.stop);
  if (options.should_stop) {
    fields["should_stop"] = nb::cast(std::function<bool(const std::vector<int64_t>&)>(
        [stop = options.should_stop](const std::vector<int64_t>& ids) { return stop(ids); }));
  }
  if (options.on_finished) fields["on_finished"] = nb::cast(options.on_finished);
  const nb::object request = types.attr("GenerateOptions")(**fields);
  const nb::list results =
      results_of(object_.get().attr("generate")(arguments, request), prompts.size(), "generate");
  std::vector<model::Generation> generations;
  for (nb::handle result : results) {
    model::Generation generation;
    generation.ids = Numbers<int64_t>(result.attr("ids"), "ids").to_vector();
    read_attribute(result, "stopped", generation.stopped);
    read_attribute(result, "forward_tokens", generation.forward_tokens);
    generations.push_back(std::move(generation));
  }
  return generations;
}

PythonLoader::PythonLoader(std::map<std::filesystem::path, Held> models,
                           std::unique_ptr<model::ModelLoader> others)
    : models_(std::move(models)), others_(std::move(others)) {}

std::unique_ptr<model::LanguageModel> PythonLoader::load(const std::filesystem::path& folder,
                                                         const model::ModelOptions& options) {
  const auto found = models_.find(folder);
  if (found == models_.end()) return others_->load(folder, options);
  return std::make_unique<PythonModel>(found->second);
}

std::vector<std::filesystem::path> PythonLoader::files(const std::filesystem::path& folder) {
  if (!models_.contains(folder)) return others_->files(folder);
  return {folder / kIdentity};
}

std::vector<std::string> PythonLoader::notes(const std::filesystem::path& folder,
                                             const model::ModelOptions& options) {
  if (models_.contains(folder)) return {};
  return others_->notes(folder, options);
}

void PythonLoader::check(const model::ModelOptions& options, bool gradients) const {
  others_->check(options, gradients);
  if (!gradients) return;
  const nb::gil_scoped_acquire acquired;
  for (const auto& [folder, object] : models_) {
    bool computes = false;
    read_attribute(object.get(), "has_gradients", computes);
    if (!computes) throw Error("the Python model computes no gradient norms (has_gradients)");
  }
}

namespace {

// Calls a function of the package. What it finds wrong with the call is an Error here, too, so that
// the program reports it as one sentence.
template <class... Args>
nb::object call_package(const Held& module, const char* function, const Args&... arguments) {
  try {
    return module.get().attr(function)(nb::cast(arguments)...);
  } catch (const nb::python_error& error) {
    const nb::object type = nb::module_::import_("palimpsest._core").attr("Error");
    if (!error.matches(type)) throw;
    throw Error(std::string(nb::str(error.value()).c_str()));
  }
}

}  // namespace

DeviceLoader::DeviceLoader(std::unique_ptr<model::ModelLoader> engine, Held devices)
    : engine_(std::move(engine)), devices_(std::move(devices)) {}

std::unique_ptr<model::LanguageModel> DeviceLoader::load(const std::filesystem::path& folder,
                                                         const model::ModelOptions& options) {
  if (options.device == "cpu") return engine_->load(folder, options);
  const nb::gil_scoped_acquire acquired;
  const std::string dtype = options.dtype ? std::string(kernels::name_of(*options.dtype)) : "auto";
  return std::make_unique<PythonModel>(
      Held(call_package(devices_, "load", folder, options.device, dtype)));
}

std::vector<std::filesystem::path> DeviceLoader::files(const std::filesystem::path& folder) {
  try {
    return engine_->files(folder);
  } catch (const Error&) {  // a family that the engine does not know
    const nb::gil_scoped_acquire acquired;
    return nb::cast<std::vector<std::filesystem::path>>(call_package(devices_, "files", folder));
  }
}

std::vector<std::string> DeviceLoader::notes(const std::filesystem::path& folder,
                                             const model::ModelOptions& options) {
  if (options.device != "cpu") return {};  // transformers loads it in its own way
  return engine_->notes(folder, options);
}

void DeviceLoader::check(const model::ModelOptions& options, bool gradients) const {
  if (options.device == "cpu") return engine_->check(options, gradients);
  const nb::gil_scoped_acquire acquired;
  call_package(devices_, "check", options.device);
}

bool DeviceLoader::has_cuda() const {
  const nb::gil_scoped_acquire acquired;
  return nb::cast<bool>(call_package(devices_, "has_cuda"));
}

}  // namespace palimpsest::python
