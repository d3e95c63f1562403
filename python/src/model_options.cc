#include "python/src/model_options.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/chat.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/engine/internal/backend.h"
#include "python/src/python_model.h"

namespace palimpsest::python {
namespace {

kernels::DType dtype_named(const std::string& name) {
  for (const kernels::DType dtype :
       {kernels::DType::kFloat32, kernels::DType::kFloat16, kernels::DType::kBFloat16}) {
    if (name == kernels::name_of(dtype)) return dtype;
  }
  throw Error({.what = "there is no such type of numbers",
               .expected = "auto, float32, float16 or bfloat16",
               .found = name});
}

}  // namespace

model::ModelOptions model_options_of(const Keywords& keywords) {
  model::ModelOptions options;
  keywords.read("device", options.device);
  std::string dtype = "float32";  // as on the command line
  keywords.read("dtype", dtype);
  if (dtype != "auto") options.dtype = dtype_named(dtype);
  keywords.read("threads", options.threads);
  keywords.read("memory_limit", options.memory_limit);
  return options;
}

data::PreparationOptions preparation_of(const Keywords& keywords) {
  data::PreparationOptions options;
  keywords.read_named("dataset", data::dataset_kind_named, options.kind);
  keywords.read("question_key", options.question_key);
  keywords.read("answer_key", options.answer_key);
  keywords.read("text_key", options.text_key);
  keywords.read("prefix_key", options.prefix_key);
  keywords.read("few_shot", options.few_shot);
  keywords.read_named("template", data::template_kind_named, options.prompt_template);
  keywords.read("user_start_tag", options.tags.user_start_tag);
  keywords.read("user_end_tag", options.tags.user_end_tag);
  keywords.read("asst_start_tag", options.tags.asst_start_tag);
  keywords.read("asst_end_tag", options.tags.asst_end_tag);
  keywords.read("system_prompt", options.system_prompt);
  keywords.read("max_length", options.max_length);
  keywords.read("insert_space", options.insert_space);
  keywords.read_named("attention_mask", data::attention_mask_named, options.attention_mask);
  keywords.read_named("labels", data::label_start_named, options.labels);
  if (options.max_length && *options.max_length < 1) {
    throw Error({.what = "the maximum length is less than one token", .where = "max_length"});
  }
  std::map<std::string, std::string> variables;
  keywords.read("template_variables", variables);
  std::vector<std::string> settings;
  for (const auto& [name, value] : variables) settings.push_back(fmt::format("{}={}", name, value));
  options.chat = cli::chat_options(settings);
  return options;
}

std::unique_ptr<model::ModelLoader> loader_of(const nanobind::dict& objects) {
  auto engine = cli::engine_loader_on(engine::make_cpu_backend)(cli::hub_environment());
  std::map<std::filesystem::path, Held> models;
  for (const auto& [folder, object] : objects)
    models.emplace(nanobind::cast<std::filesystem::path>(folder), Held(nanobind::borrow(object)));
  if (models.empty()) return engine;
  return std::make_unique<PythonLoader>(std::move(models), std::move(engine));
}

}  // namespace palimpsest::python
