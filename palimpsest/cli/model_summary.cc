#include "palimpsest/cli/model_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/json_events.h"
#include "palimpsest/model/internal/adapter.h"
#include "palimpsest/model/internal/adapter_base.h"
#include "palimpsest/model/internal/checkpoint.h"
#include "palimpsest/model/internal/generation_config.h"
#include "palimpsest/model/internal/parameter_check.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::cli {
namespace {

namespace fs = std::filesystem;

bool has(const fs::path& folder, const char* name) {
  return is_listed(folder / name);
}

// Does a step of the description. What it refuses is kept, unless a step before it was refused: the
// first reason is the one to mend.
template <class Step>
void attempt(ModelSummary& summary, const Step& step) {
  try {
    step();
  } catch (const Error& error) {
    if (summary.problem.empty()) summary.problem = error.what();
  }
}

AdapterSummary describe_adapter(const model::Adapter& adapter) {
  AdapterSummary summary{.modules = static_cast<int64_t>(adapter.updates().size()),
                         .base = adapter.base()};
  for (const model::LowRankUpdate& update : adapter.updates()) {
    const int64_t rank = update.a->shape[0];
    summary.lowest_rank = summary.lowest_rank == 0 ? rank : std::min(summary.lowest_rank, rank);
    summary.highest_rank = std::max(summary.highest_rank, rank);
  }
  return summary;
}

std::string join_types(const std::vector<kernels::DType>& types) {
  std::vector<std::string_view> names;
  for (const kernels::DType type : types) names.push_back(kernels::name_of(type));
  return fmt::format("{}", fmt::join(names, " and "));
}

// A tokenizer that cannot be used does not keep the model from running on token ids.
TokenizerSummary describe_tokenizer(const fs::path& folder, int64_t vocab_size) {
  try {
    const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(folder);
    const int64_t tokens = tokenizer.vocab_size();
    int64_t within = 0;
    for (int64_t id = 0; id < vocab_size && within < tokens; ++id) {
      if (tokenizer.id_to_token(id)) ++within;
    }
    return {.tokens = tokens, .beyond = tokens - within};
  } catch (const Error& error) {
    return {.problem = error.what()};
  }
}

// From config.json; the family is known even where it is not supported.
void read_config(const fs::path& folder, ModelSummary& summary) {
  const fs::path path = folder / "config.json";
  const std::string text = read_file(path);
  const Json config = parse_json(text, path.string());
  if (config.is_object() && config.contains("model_type") && config["model_type"].is_string()) {
    const std::string family = config["model_type"].get<std::string>();
    if (is_printable_name(family)) summary.family = family;
  }
  attempt(summary, [&] {
    const model::Architecture architecture = model::read_architecture(text, path.string());
    summary.parameters = model::num_parameters(architecture);
    summary.need = model::memory_need(architecture);
    summary.architecture = architecture;
  });
  attempt(summary, [&] { summary.generation = model::read_generation_config(folder); });
}

void read_weights(const fs::path& folder, const std::optional<model::Adapter>& adapter,
                  ModelSummary& summary) {
  attempt(summary, [&] {
    const model::Checkpoint checkpoint = model::Checkpoint::open(folder);
    summary.files = {.count = static_cast<int64_t>(checkpoint.files().size()),
                     .bytes = checkpoint.file_bytes()};
    if (!summary.architecture) return;
    const std::vector<kernels::DType> types =
        model::stored_types(checkpoint, *summary.architecture);
    summary.files->types = join_types(types);
    const bool is_short = !types.empty() && types.front() != kernels::DType::kFloat32;
    summary.need = model::memory_need(*summary.architecture,
                                      kernels::byte_size(kernels::DType::kFloat32), is_short);
    model::check_parameters(checkpoint, *summary.architecture);
    summary.surplus = model::surplus_tensors(checkpoint, *summary.architecture);
    summary.missing = model::missing_biases(checkpoint, *summary.architecture);
    if (adapter) model::check_adapter(*adapter, *summary.architecture);
  });
}

}  // namespace

ModelSummary summarize_model(const fs::path& folder, const model::HubEnvironment& environment) {
  ModelSummary summary{.folder = folder, .free_memory = model::free_memory()};
  if (!has(folder, "config.json") && !has(folder, "adapter_config.json")) {
    throw Error({.what = "there is no config.json, so this is not the folder of a model",
                 .where = folder.string(),
                 .hint = "give the folder that holds config.json and the weights"});
  }
  std::optional<model::Adapter> adapter;
  attempt(summary, [&] { adapter = model::Adapter::open(folder); });
  if (adapter) summary.adapter = describe_adapter(*adapter);
  fs::path base = folder;
  if (!has(folder, "config.json")) {
    base.clear();
    if (adapter) attempt(summary, [&] { base = model::find_base(*adapter, folder, environment); });
  }
  if (!base.empty()) {
    read_config(base, summary);
    read_weights(base, adapter, summary);
  }
  fs::path tokenizer = folder;
  attempt(summary, [&] { tokenizer = model::find_tokenizer(folder, environment); });
  if (has(tokenizer, "tokenizer.json")) {
    summary.tokenizer =
        describe_tokenizer(tokenizer, summary.architecture ? summary.architecture->vocab_size : 0);
  }
  return summary;
}

}  // namespace palimpsest::cli
