#include "palimpsest/evidence/inputs.h"

#include <algorithm>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/sha256.h"
#include "palimpsest/data/internal/record_reader.h"
#include "palimpsest/model/internal/adapter_base.h"

namespace palimpsest::evidence {
namespace {

namespace fs = std::filesystem;

// What is still to be hashed.
struct PendingInput {
  std::string role;
  std::string path;
  fs::path folder;  // names of files are relative to it; empty: a single file
  std::vector<fs::path> files;
};

std::string name_in(const fs::path& folder, const fs::path& file) {
  if (!folder.empty()) {
    const fs::path relative = file.lexically_relative(folder);
    if (!relative.empty() && *relative.begin() != "..") return relative.generic_string();
  }
  return file.filename().string();  // the base of an adapter lies elsewhere
}

int64_t size_of(const fs::path& file) {
  std::error_code failed;
  const auto size = fs::file_size(file, failed);
  return failed ? 0 : static_cast<int64_t>(size);
}

std::string hash_of_files(const std::vector<HashedFile>& files) {
  if (files.size() == 1) return files[0].sha256;
  Sha256 hash;
  for (const HashedFile& file : files) hash.add(file.sha256).add("  ").add(file.name).add("\n");
  return hash.hex();
}

std::vector<Input> hashed(const std::vector<PendingInput>& pending, const HashingContext& context) {
  int64_t total = 0;
  for (const PendingInput& input : pending) {
    for (const fs::path& file : input.files) total += size_of(file);
  }
  Progress progress(context.display, "hashing, in bytes", total);
  FileHashes hashes(context.cache);
  std::vector<Input> inputs;
  for (const PendingInput& one : pending) {
    Input input{.role = one.role, .path = one.path};
    for (const fs::path& file : one.files) {
      const int64_t bytes = size_of(file);
      input.files.push_back(
          {.name = name_in(one.folder, file),
           .bytes = bytes,
           .sha256 = hashes.sha256(file, {.stop = context.stop, .progress = &progress})});
    }
    input.sha256 = hash_of_files(input.files);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

PendingInput pending_file(std::string role, const fs::path& file) {
  return {.role = std::move(role), .path = file.string(), .folder = {}, .files = {file}};
}

// A file, or a folder of files that is one data set.
PendingInput pending_data(std::string role, const fs::path& data) {
  std::error_code ignored;
  if (!fs::is_directory(data, ignored)) return pending_file(std::move(role), data);
  return {.role = std::move(role),
          .path = data.string(),
          .folder = data,
          .files = data::files_of_data_set(data)};
}

PendingInput pending_model(std::string role, const std::string& given, const fs::path& folder,
                           model::ModelLoader& loader) {
  return {.role = std::move(role), .path = given, .folder = folder, .files = loader.files(folder)};
}

// The tokenizer, and where the chat template is: in a file of its own or in the configuration.
PendingInput pending_tokenizer(const fs::path& model, const model::HubEnvironment& hub) {
  const fs::path folder = model::find_tokenizer(model, hub);
  PendingInput input{.role = "tokenizer and chat template",
                     .path = {},
                     .folder = folder,
                     .files = model::tokenizer_files(folder)};
  if (folder != model) input.path = folder.string();
  return input;
}

void add_models(const audit::AuditModels& models, model::ModelLoader& loader,
                const model::HubEnvironment& hub, std::vector<PendingInput>& pending) {
  for (const audit::AuditModel& model : models.models) {
    const bool by_name = model.folder.empty();
    const fs::path folder = by_name ? model::find_model(model.name, hub) : model.folder;
    const std::string role = audit::role_name(model.role);
    pending.push_back(pending_model(role.empty() ? "model" : role + " model",
                                    by_name ? model.name : model.folder.string(), folder, loader));
    if (model.role == audit::ModelRole::kAudited) pending.push_back(pending_tokenizer(folder, hub));
  }
  if (models.data.forget.examples.empty())
    pending.push_back(pending_data("forget data", models.data.forget.path()));
  if (models.data.holdout.examples.empty())
    pending.push_back(pending_data("holdout data", models.data.holdout.path()));
  if (!models.preparation.few_shot.empty())
    pending.push_back(pending_data("few-shot data", models.preparation.few_shot));
}

void add_traces(audit::AuditTraces traces, std::vector<PendingInput>& pending) {
  for (const auto role :
       {audit::ModelRole::kAudited, audit::ModelRole::kReference, audit::ModelRole::kBaseline}) {
    const trace::BothSets<trace::TraceInput>& sets = traces.of(role);
    const fs::path forget = trace::file_of(sets.forget);
    const fs::path holdout = trace::file_of(sets.holdout);
    if (!forget.empty())
      pending.push_back(pending_file(audit::trace_title(role, "forget"), forget));
    if (!holdout.empty())
      pending.push_back(pending_file(audit::trace_title(role, "holdout"), holdout));
  }
}

}  // namespace

std::vector<Input> audit_inputs(const audit::AuditSpec& spec, model::ModelLoader* loader,
                                const HashingContext& context) {
  std::vector<PendingInput> pending;
  if (const auto* models = std::get_if<audit::AuditModels>(&spec.source)) {
    if (loader == nullptr)
      throw Error("the hashes of models need a loader, which knows their files");
    add_models(*models, *loader, context.hub, pending);
  } else if (const auto* traces = std::get_if<audit::AuditTraces>(&spec.source)) {
    add_traces(*traces, pending);
  }
  return hashed(pending, context);
}

std::vector<Input> model_inputs(const std::string& model, model::ModelLoader& loader,
                                const HashingContext& context) {
  const fs::path folder = model::find_model(model, context.hub);
  return hashed(
      {pending_model("model", model, folder, loader), pending_tokenizer(folder, context.hub)},
      context);
}

std::vector<Input> report_inputs(const std::vector<std::string>& given,
                                 const HashingContext& context) {
  std::vector<PendingInput> pending;
  for (const std::string& path : given) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      pending.push_back(pending_file("scores", path));
      continue;
    }
    PendingInput input{.role = "run", .path = path, .folder = path};
    for (const auto& entry : fs::directory_iterator(path, ignored)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file(ignored) && name.ends_with(".json") && !name.starts_with("."))
        input.files.push_back(entry.path());
    }
    std::ranges::sort(input.files);
    pending.push_back(std::move(input));
  }
  return hashed(pending, context);
}

std::vector<Input> file_inputs(const std::vector<InputFile>& files, const HashingContext& context) {
  std::vector<PendingInput> pending;
  for (const auto& [role, path] : files) pending.push_back(pending_data(role, path));
  return hashed(pending, context);
}

}  // namespace palimpsest::evidence
