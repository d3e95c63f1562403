#include "palimpsest/eval/data_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/data/internal/record_reader.h"

namespace palimpsest::eval {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kEndings = {".jsonl",     ".json",     ".csv",
                                                      ".jsonl.gz",  ".json.gz",  ".csv.gz",
                                                      ".jsonl.zst", ".json.zst", ".csv.zst"};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// What is asked for, with the split's slice taken off.
struct Wanted {
  std::string path;
  std::string name;   // may be empty
  std::string split;  // may be empty
  std::string slice;
  std::string where;  // for messages

  std::string display_name() const {
    std::string text = path;
    if (!name.empty()) text += fmt::format(" ({})", name);
    if (!split.empty()) text += fmt::format(", split {}", split);
    return text;
  }
};

// A part of a file's name, not a way out of the folder.
void require_plain(const std::string& part, const Parameter& value) {
  if (part.find("..") == std::string::npos && !part.starts_with('/')) return;
  throw Error({.what = fmt::format("'{}' is not a name", part), .where = value.where()});
}

Wanted read_wanted(const Parameter& hf_args) {
  Wanted wanted{.path = hf_args.at("path").as_text(), .where = hf_args.where()};
  if (const Parameter* name = hf_args.find_set("name")) {
    wanted.name = name->as_text();
    require_plain(wanted.name, *name);
  }
  if (const Parameter* split = hf_args.find_set("split")) {
    wanted.split = split->as_text();
    const size_t bracket = wanted.split.find('[');
    if (bracket != std::string::npos) {
      wanted.slice = wanted.split.substr(bracket);
      wanted.split.resize(bracket);
    }
    require_plain(wanted.split, *split);
  }
  return wanted;
}

// Names without their ending, the likeliest first.
std::vector<std::string> stems(const Wanted& wanted) {
  std::vector<std::string> plain;
  const auto& [path, name, split, slice, where] = wanted;
  if (!name.empty() && !split.empty()) {
    plain = {name + "/" + split, name + "_" + split, name, split};
  } else if (!name.empty()) {
    plain = {name, name + "/train", name + "/" + name};
  } else {
    plain = {split.empty() ? "train" : split};
  }
  std::vector<std::string> all = plain;
  for (const std::string& stem : plain) all.push_back("data/" + stem);
  return all;
}

std::optional<fs::path> find_in_folder(const fs::path& folder, const Wanted& wanted) {
  for (const std::string& stem : stems(wanted)) {
    for (const std::string_view ending : kEndings) {
      const fs::path file = folder / (stem + std::string(ending));
      if (is_file(file)) return file;
    }
  }
  return std::nullopt;
}

// A file of the right name in the format that is not read here.
std::optional<fs::path> find_parquet(const fs::path& folder, const Wanted& wanted) {
  for (const std::string& stem : stems(wanted)) {
    const fs::path whole = folder / stem;
    std::error_code code;
    fs::directory_iterator entries(whole.parent_path(), code);
    for (; !code && entries != fs::directory_iterator(); entries.increment(code)) {
      const std::string file = entries->path().filename().string();
      const std::string start = whole.filename().string();
      if (file == start + ".parquet" ||
          (file.starts_with(start + "-") && file.ends_with(".parquet"))) {
        return entries->path();
      }
    }
  }
  return std::nullopt;
}

[[noreturn]] void fail_parquet(const fs::path& file, const Wanted& wanted,
                               const DataLocations& locations) {
  const fs::path base = locations.data_dir.empty() ? fs::path("data") : locations.data_dir;
  const fs::path out = base / wanted.path / wanted.name / (wanted.split + ".jsonl");
  throw Error({.what = "the data are in a Parquet file, which cannot be read",
               .where = file.string(),
               .expected = ".jsonl, .json or .csv",
               .hint = fmt::format(
                   "convert them with: mkdir -p '{}' && python3 -c \"import pandas; "
                   "pandas.read_parquet('{}').to_json('{}', orient='records', lines=True)\"",
                   out.parent_path().string(), file.string(), out.string())});
}

// Folders that may hold it; the cache's error, if it has none, says how to get it.
std::vector<fs::path> folders_of(const Wanted& wanted, const DataLocations& locations) {
  std::vector<fs::path> folders = {wanted.path};
  if (!locations.data_dir.empty()) {
    folders.push_back(locations.data_dir / wanted.path);
    folders.push_back(locations.data_dir / fs::path(wanted.path).filename());
  }
  std::erase_if(folders, [](const fs::path& folder) { return !is_folder(folder); });
  return folders;
}

// path: json with data_files.
DataFile named_file(const Parameter& hf_args, const Wanted& wanted,
                    const DataLocations& locations) {
  const Parameter* files = &hf_args.at("data_files");
  if (files->is_map()) files = &files->at(wanted.split);
  if (files->is_list() && files->as_list().size() == 1) files = &files->as_list().front();
  const fs::path named = files->as_text();
  for (const fs::path& file : {named, locations.data_dir / named}) {
    if (is_file(file)) return {.path = file, .slice = wanted.slice};
  }
  throw Error(
      {.what = fmt::format("there is no file '{}'", named.string()), .where = files->where()});
}

// The bounds of "[a:b]", as Python takes them; "10%" is a share.
int64_t bound_of(std::string_view text, int64_t count, int64_t otherwise,
                 const std::string& where) {
  if (text.empty()) return otherwise;
  const bool share = text.ends_with('%');
  if (share) text.remove_suffix(1);
  int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const int64_t most = share ? 100 : int64_t{1} << 40;
  if (code != std::errc() || end != text.data() + text.size() || value > most || value < -most) {
    throw Error({.what = "the slice of the split is not understood",
                 .where = where,
                 .expected = "[:100], [100:200] or [:10%]"});
  }
  // Halves go to the even neighbour, as Python rounds.
  if (share) value = std::llrint(static_cast<double>(value) * static_cast<double>(count) / 100.0);
  if (value < 0) value += count;
  return std::clamp<int64_t>(value, 0, count);
}

}  // namespace

DataFile find_data_file(const Parameter& hf_args, const DataLocations& locations) {
  const Wanted wanted = read_wanted(hf_args);
  const bool is_builder = wanted.path == "json" || wanted.path == "csv";
  if (is_builder) return named_file(hf_args, wanted, locations);
  if (is_file(wanted.path)) return {.path = wanted.path, .slice = wanted.slice};
  std::vector<fs::path> folders = folders_of(wanted, locations);
  std::string why;  // the cache does not have it
  const Parameter* revision = hf_args.find_set("revision");
  try {
    folders.push_back(model::find_dataset(
        wanted.path + (revision != nullptr ? "@" + revision->as_text() : ""), locations.hub));
  } catch (const Error& error) {
    why = error.what();
  }
  for (const fs::path& folder : folders) {
    if (auto file = find_in_folder(folder, wanted)) {
      return {.path = std::move(*file), .slice = wanted.slice};
    }
  }
  for (const fs::path& folder : folders) {
    if (const auto file = find_parquet(folder, wanted)) fail_parquet(*file, wanted, locations);
  }
  if (folders.empty()) {
    throw Error({.what = fmt::format("the data set {} is not here: {}", wanted.display_name(), why),
                 .where = wanted.where});
  }
  std::vector<std::string> looked;
  for (const fs::path& folder : folders) looked.push_back(folder.string());
  throw Error({.what = fmt::format("there is no file for the data set {}", wanted.display_name()),
               .where = wanted.where,
               .expected = fmt::format(
                   "one of {} with .jsonl, .json or .csv (or these with .gz or .zst) in {}",
                   fmt::join(stems(wanted), ", "), fmt::join(looked, " or ")),
               .hint = why.empty() ? "check name and split" : why});
}

std::vector<data::Record> read_data_file(const DataFile& file) {
  std::vector<data::Record> records = data::read_records(file.path);
  if (file.slice.empty()) return records;
  const std::string where = fmt::format("{}{}", file.path.string(), file.slice);
  const auto count = static_cast<int64_t>(records.size());
  const size_t colon = file.slice.find(':');
  const bool closed = file.slice.size() >= 3 && file.slice.ends_with(']');
  const std::string_view inside =
      closed ? std::string_view(file.slice).substr(1, file.slice.size() - 2) : "?";
  const bool both = colon != std::string::npos && closed;
  const int64_t begin = bound_of(both ? inside.substr(0, colon - 1) : "?", count, 0, where);
  const int64_t end = bound_of(both ? inside.substr(colon) : "?", count, count, where);
  if (begin >= end) throw Error({.what = "the slice holds no record", .where = where});
  return {records.begin() + begin, records.begin() + end};
}

}  // namespace palimpsest::eval
