#include "palimpsest/model/internal/checkpoint_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/input_stream.h"
#include "palimpsest/base/internal/json_events.h"
#include "palimpsest/base/internal/mapped_file.h"
#include "palimpsest/base/internal/strings.h"

namespace palimpsest::model {
namespace {

constexpr const char* kWeights = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr size_t kMaxIndex = 100'000'000;  // as for a file's own header

class IndexReader final : public JsonEvents {
 public:
  explicit IndexReader(const std::string& where) : where_(where) {}

  bool has_map() const { return has_map_; }
  std::map<std::string, std::string> take() { return std::move(map_); }

 private:
  void opened(Kind kind) override {
    if (kind == Kind::kArray) fail("an array");
    if (depth_ == 2) fail("an object");
    ++depth_;
  }
  void closed() override { --depth_; }
  void named(std::string name) override {
    if (depth_ == 2) {
      if (!is_printable_name(name)) fail("a name that is too long or holds a control character");
      tensor_ = std::move(name);
    } else if (name == "weight_map" && !has_map_) {
      has_map_ = true;
    } else {
      skip_value();
    }
  }
  void text(std::string value) override {
    if (depth_ != 2) fail("a text");
    if (!map_.emplace(tensor_, std::move(value)).second) {
      throw Error(
          {.what = fmt::format("the tensor '{}' is named twice", tensor_), .where = where_});
    }
  }
  void whole_number(int64_t) override { fail("a number"); }
  void other(std::string_view what) override { fail(what); }

  [[noreturn]] void fail(std::string_view found) const {
    throw Error({.what = "the index is malformed",
                 .where = where_,
                 .expected = R"({"weight_map": {"tensor": "file", …}})",
                 .found = std::string(found)});
  }

  const std::string& where_;
  int depth_ = 0;  // 1: in the document, 2: in weight_map
  bool has_map_ = false;
  std::string tensor_;
  std::map<std::string, std::string> map_;
};

// A shard lies in the folder itself: a name that leads elsewhere would map any file of the machine.
void check_shard_name(const std::string& name, const std::string& where) {
  if (!is_printable_name(name)) {
    throw Error(
        {.what = "the name of a shard is too long or holds a control character", .where = where});
  }
  if (name.find_first_of("/\\") != std::string::npos || name.starts_with("..")) {
    throw Error(
        {.what = fmt::format("the shard '{}' is not a file of this folder", name), .where = where});
  }
  if (!name.ends_with(".safetensors")) {
    throw Error(
        {.what = fmt::format("the shard '{}' is not a safetensors file", name), .where = where});
  }
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::error_code code;
  std::vector<std::string> names;
  std::filesystem::directory_iterator entries(folder, code);
  for (; !code && entries != std::filesystem::directory_iterator(); entries.increment(code)) {
    names.push_back(entries->path().filename().string());
  }
  if (code) fail_to_open_folder(folder, code.value());
  std::sort(names.begin(), names.end());
  return names;
}

std::string shard_name(int64_t number, int64_t count) {
  return fmt::format("model-{:05}-of-{:05}.safetensors", number, count);
}

bool is_transformers_pickle(const std::string& name) {
  return name.starts_with("pytorch_model") && name.ends_with(".bin");
}

// Weights as a publisher's own code pickles them; what a trainer leaves behind is not meant.
bool is_other_pickle(const std::string& name) {
  for (const char* part : {"optimizer", "scheduler", "rng_state", "scaler"}) {
    if (name.starts_with(part)) return false;
  }
  return name.ends_with(".pt") || name.ends_with(".pth");
}

template <class Predicate>
std::vector<std::string> select(const std::vector<std::string>& names, Predicate predicate) {
  std::vector<std::string> selected;
  std::copy_if(names.begin(), names.end(), std::back_inserter(selected), predicate);
  return selected;
}

[[noreturn]] void fail_pickle(const std::filesystem::path& folder,
                              const std::vector<std::string>& names, std::string hint) {
  throw Error({.what = "the weights are pickle files, which are never read since they can run code",
               .where = folder.string(),
               .expected = kWeights,
               .found = first_few(names),
               .hint = std::move(hint)});
}

// The number and the count of "model-00002-of-00003.safetensors"; nothing for another name.
std::optional<std::pair<int64_t, int64_t>> shard_numbers(const std::string& name) {
  int number = 0;
  int count = 0;
  int end = 0;
  if (std::sscanf(name.c_str(), "model-%5d-of-%5d.safetensors%n", &number, &count, &end) != 2 ||
      end != static_cast<int>(name.size()) || name != shard_name(number, count)) {
    return std::nullopt;
  }
  return std::pair<int64_t, int64_t>(number, count);
}

// The shards of a folder that has no index, if their names say that all of them are there. Throws
// Error if one is missing, or if they are of several checkpoints.
std::vector<std::filesystem::path> shards_without_index(const std::filesystem::path& folder) {
  std::set<int64_t> numbers;
  std::optional<int64_t> count;
  for (const std::string& name : names_in(folder)) {
    const auto found = shard_numbers(name);
    if (!found) continue;
    if (count && *count != found->second) {
      throw Error({.what = "there are shards of several checkpoints, and no index says which",
                   .where = folder.string(),
                   .hint = fmt::format("download {} too", kIndex)});
    }
    count = found->second;
    numbers.insert(found->first);
  }
  std::vector<std::filesystem::path> shards;
  for (int64_t number = 1; count && number <= *count; ++number) {
    if (!numbers.contains(number)) {
      throw Error({.what = fmt::format("the shard {} is missing", shard_name(number, *count)),
                   .where = folder.string(),
                   .hint = "download the checkpoint again"});
    }
    shards.push_back(folder / shard_name(number, *count));
  }
  return shards;
}

[[noreturn]] void fail_no_weights(const std::filesystem::path& folder) {
  const std::vector<std::string> names = names_in(folder);
  if (const auto pickles = select(names, is_transformers_pickle); !pickles.empty()) {
    fail_pickle(folder, pickles,
                fmt::format("if you trust them, convert them with: python3 -c \"import sys; from "
                            "transformers import AutoModelForCausalLM as M; "
                            "M.from_pretrained(sys.argv[1], torch_dtype='auto')"
                            ".save_pretrained(sys.argv[1], safe_serialization=True)\" {}",
                            shell_word(folder.string())));
  }
  if (const auto pickles = select(names, is_other_pickle); !pickles.empty()) {
    fail_pickle(folder, pickles,
                "get the same model in Hugging Face's layout (config.json and model.safetensors)");
  }
  const auto shards =
      select(names, [](const auto& name) { return name.ends_with(".safetensors"); });
  throw Error({.what = "the folder holds no weights",
               .where = folder.string(),
               .expected = fmt::format("{} or {}", kWeights, kIndex),
               .found = first_few(shards.empty() ? names : shards),
               .hint = shards.empty() ? "give the folder of a Hugging Face checkpoint"
                                      : "download the missing file too"});
}

std::map<std::string, std::string> read_weight_map(const std::filesystem::path& path) {
  const MappedFile file(path);
  if (file.bytes().size() > kMaxIndex) {
    throw Error({.what = fmt::format("the index is longer than {} bytes", kMaxIndex),
                 .where = path.string()});
  }
  return parse_weight_map({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()},
                          path.string());
}

}  // namespace

std::string first_few(const std::vector<std::string>& names) {
  constexpr size_t kFew = 8;
  const size_t count = std::min(kFew, names.size());
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + count, ", "));
  if (names.size() > count) text += fmt::format(" and {} more", names.size() - count);
  return text.empty() ? "nothing" : text;
}

std::map<std::string, std::string> parse_weight_map(std::string_view index_json,
                                                    const std::string& where) {
  IndexReader reader(where);
  reader.read(index_json, where);
  if (!reader.has_map()) throw Error({.what = "the key 'weight_map' is missing", .where = where});
  std::map<std::string, std::string> map = reader.take();
  if (map.empty()) throw Error({.what = "'weight_map' names no tensor", .where = where});
  for (const auto& [tensor, shard] : map) check_shard_name(shard, where);
  return map;
}

CheckpointFiles find_checkpoint_files(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw Error({.what = "there is no such folder", .where = folder.string()});
  }
  CheckpointFiles found;
  if (is_listed(folder / kWeights)) {
    found.files.push_back(folder / kWeights);
    return found;
  }
  if (!is_listed(folder / kIndex)) {
    found.files = shards_without_index(folder);
    if (found.files.empty()) fail_no_weights(folder);
    return found;
  }
  found.index = folder / kIndex;
  found.weight_map = read_weight_map(found.index);
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : found.weight_map) shards.insert(shard);
  for (const std::string& shard : shards) {
    if (!is_listed(folder / shard)) {
      throw Error({.what = fmt::format("the shard {} is missing", shard),
                   .where = found.index.string(),
                   .hint = "download the checkpoint again"});
    }
    found.files.push_back(folder / shard);
  }
  return found;
}

}  // namespace palimpsest::model
