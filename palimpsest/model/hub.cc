#include "palimpsest/model/hub.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/strings.h"

namespace palimpsest::model {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHashLength = 40;
constexpr uintmax_t kLongestRef = 100;  // a hash and a line break

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_commit(std::string_view text) {
  return text.size() == kHashLength && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// A part of an id or a revision that is safe as the name of a file: no '..', not hidden.
bool is_name(std::string_view text) {
  constexpr size_t kLongest = 96;
  return !text.empty() && text.size() <= kLongest && text.front() != '.' && text.front() != '-' &&
         text.find("..") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '.' || c == '_' || c == '-';
         });
}

bool are_names(const std::vector<std::string_view>& parts) {
  return std::all_of(parts.begin(), parts.end(), is_name);
}

struct HubId {
  std::string_view kind;                // "model" or "data set", for messages
  std::string id;                       // "org/name" or "name"
  std::optional<std::string> revision;  // a branch, a tag or a commit
  std::string folder;                   // of the cache: "models--org--name"

  bool is_model() const { return kind == "model"; }
  // The command that brings it into the cache.
  std::string download() const {
    return fmt::format("huggingface-cli download {}{}{}", is_model() ? "" : "--repo-type dataset ",
                       id, revision ? " --revision " + *revision : "");
  }
};

// Nothing where the text cannot be an id.
std::optional<HubId> parse_id(std::string_view text, std::string_view kind) {
  HubId result{.kind = kind};
  const size_t at = text.find('@');
  const std::string_view id = text.substr(0, at);
  const std::vector<std::string_view> parts = split(id, '/');
  if (parts.size() > 2 || !are_names(parts) || id.find("--") != std::string_view::npos) {
    return std::nullopt;
  }
  result.id = id;
  result.folder =
      fmt::format("{}--{}", result.is_model() ? "models" : "datasets", fmt::join(parts, "--"));
  if (at != std::string_view::npos) {
    result.revision = text.substr(at + 1);
    if (!are_names(split(*result.revision, '/'))) return std::nullopt;
  }
  return result;
}

std::vector<std::string> snapshots_in(const fs::path& repository) {
  std::vector<std::string> found;
  std::error_code code;
  fs::directory_iterator entries(repository / "snapshots", code);
  for (; !code && entries != fs::directory_iterator(); entries.increment(code)) {
    const std::string name = entries->path().filename().string();
    if (is_commit(name)) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

[[noreturn]] void fail_no_revision(const HubId& id, const fs::path& repository) {
  const std::vector<std::string> there = snapshots_in(repository);
  std::string hint = "download it with: " + id.download();
  if (!there.empty()) hint += fmt::format(", or ask for {}@{}", id.id, there.front());
  throw Error({.what = fmt::format("the cache does not hold the revision {} of this {}",
                                   id.revision.value_or("main"), id.kind),
               .where = repository.string(),
               .found = there.empty() ? "no revision" : fmt::format("{}", fmt::join(there, ", ")),
               .hint = std::move(hint)});
}

// The commit that a branch, a tag or a commit stands for.
std::string commit_of(const HubId& id, const fs::path& repository) {
  std::string revision = id.revision.value_or("main");
  if (is_commit(revision)) return revision;
  const fs::path ref = repository / "refs" / revision;
  if (!is_there(ref) || is_folder(ref)) fail_no_revision(id, repository);
  std::error_code ignored;
  std::string commit = fs::file_size(ref, ignored) <= kLongestRef ? read_file(ref) : "";
  while (!commit.empty() && (commit.back() == '\n' || commit.back() == '\r')) commit.pop_back();
  if (!is_commit(commit)) {
    throw Error({.what = "this file of the cache does not hold a commit hash",
                 .where = ref.string(),
                 .hint = fmt::format("delete it, then: {}", id.download())});
  }
  return commit;
}

fs::path find_in_cache(const HubId& id, const HubEnvironment& environment) {
  const fs::path cache = hub_cache(environment);
  const fs::path repository = cache / id.folder;
  if (!is_folder(repository)) {
    throw Error({.what = fmt::format("there is no such folder, and the Hugging Face cache {} does "
                                     "not hold such a {}",
                                     cache.string(), id.kind),
                 .where = id.id,
                 .hint = "download it with: " + id.download()});
  }
  fs::path snapshot = repository / "snapshots" / commit_of(id, repository);
  if (!is_folder(snapshot)) fail_no_revision(id, repository);
  if (id.is_model() && !is_there(snapshot / "config.json") &&
      !is_there(snapshot / "adapter_config.json")) {
    throw Error({.what = "the cache holds this model only in part: there is no config.json",
                 .where = snapshot.string(),
                 .hint = "download the rest with: " + id.download()});
  }
  return snapshot;
}

// A path with a leading ~ written out, as the Python library does for these variables.
fs::path expand(const std::string& path, const HubEnvironment& environment) {
  if (path != "~" && !path.starts_with("~/")) return path;
  if (!environment.home) return path;
  return path == "~" ? fs::path(*environment.home) : fs::path(*environment.home) / path.substr(2);
}

bool is_given(const std::optional<std::string>& variable) {
  return variable && !variable->empty();
}

}  // namespace

fs::path hub_cache(const HubEnvironment& environment) {
  if (is_given(environment.hf_hub_cache)) return expand(*environment.hf_hub_cache, environment);
  if (is_given(environment.hf_home)) return expand(*environment.hf_home, environment) / "hub";
  if (is_given(environment.xdg_cache_home)) {
    return expand(*environment.xdg_cache_home, environment) / "huggingface" / "hub";
  }
  if (is_given(environment.home)) {
    return fs::path(*environment.home) / ".cache" / "huggingface" / "hub";
  }
  throw Error({.what = "the place of the Hugging Face cache is unknown",
               .hint = "set HF_HOME, or give the folder of the model"});
}

fs::path find_model(const std::string& model, const HubEnvironment& environment) {
  if (is_folder(model)) return model;
  if (is_there(model)) {
    throw Error({.what = "this is a file, not a folder",
                 .where = model,
                 .hint = "give the folder that holds config.json and the weights"});
  }
  const std::optional<HubId> id = parse_id(model, "model");
  if (!id) {
    throw Error({.what = "there is no such folder",
                 .where = model.empty() ? "the model" : model,
                 .hint = "give the folder of a checkpoint, or a hub id such as org/name or "
                         "org/name@revision"});
  }
  return find_in_cache(*id, environment);
}

fs::path find_dataset(const std::string& dataset, const HubEnvironment& environment) {
  const std::optional<HubId> id = parse_id(dataset, "data set");
  if (!id) {
    throw Error({.what = "there is no such folder",
                 .where = dataset.empty() ? "the data set" : dataset,
                 .hint = "give a folder of data files, or a hub id such as org/name"});
  }
  return find_in_cache(*id, environment);
}

}  // namespace palimpsest::model
