#include "palimpsest/run/internal/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/input_stream.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest::run {
namespace {

namespace fs = std::filesystem;

Json to_json(const Properties& properties) {
  Json object = Json::object();
  for (const auto& [name, value] : properties) object[name] = value;
  return object;
}

Properties properties_of(const Json& object) {
  Properties properties;
  for (const auto& item : object.items())
    properties.emplace_back(item.key(), item.value().get<std::string>());
  return properties;
}

std::optional<PartDescription> description_of(const std::string& text) {
  try {
    const Json json = parse_json(text, "");
    return PartDescription{.made_with = properties_of(json.at("made_with")),
                           .model = properties_of(json.at("model"))};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// Reads "{before}{number}" from the front of the text.
std::optional<int64_t> take_number(std::string_view& text, std::string_view before) {
  if (!text.starts_with(before)) return std::nullopt;
  text.remove_prefix(before.size());
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || number < 1) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::string value_of(const Properties& properties, const std::string& name) {
  const auto found = std::ranges::find(properties, name, &Properties::value_type::first);
  return found != properties.end() ? found->second : "";
}

// Of a source, with the folder that the parts' paths are relative to.
std::vector<fs::path> parts_below(const fs::path& source) {
  std::error_code failed;
  if (fs::is_regular_file(source, failed)) {
    if (part_name(source)) return {source};
    throw Error({.what = "this is not a part of a run", .where = source.string()});
  }
  std::vector<fs::path> files;
  std::error_code ignored;
  fs::recursive_directory_iterator entries(source, failed);
  for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
    if (entries->is_regular_file(ignored) && part_name(entries->path()))
      files.push_back(entries->path());
  }
  // Of the folder, or of one in it: its parts must not be forgotten.
  if (failed) fail_to_open_folder(source, failed.value());
  std::ranges::sort(files);
  if (files.empty()) {
    throw Error(
        {.what = "the folder holds no part of a run",
         .where = source.string(),
         .hint = "give what a run with --shard wrote: its output folder, or the folder OUT.run"});
  }
  return files;
}

}  // namespace

std::string to_json_text(const PartDescription& description) {
  return to_line(
      {{"made_with", to_json(description.made_with)}, {"model", to_json(description.model)}});
}

fs::path part_file(const fs::path& folder, int64_t pass, const Shard& shard) {
  return folder / fmt::format("pass-{}.{}.journal", pass, shard.part());
}

std::optional<PartName> part_name(const fs::path& file) {
  const std::string name = file.filename().string();
  std::string_view text = name;
  const std::optional<int64_t> pass = take_number(text, "pass-");
  const std::optional<int64_t> number = take_number(text, ".shard-");
  const std::optional<int64_t> count = take_number(text, "-of-");
  if (!pass || !number || !count || *number > *count || text != ".journal") return std::nullopt;
  return PartName{.pass = *pass, .shard = {.number = *number, .count = *count}};
}

std::optional<Part> open_part(const fs::path& file) {
  Part part{.file = file, .name = part_name(file).value_or(PartName{})};
  part.journal = Journal::open_to_read(file);
  if (part.journal == nullptr || !part.journal->has(kDescription)) return std::nullopt;
  std::optional<PartDescription> description = description_of(part.journal->read(kDescription));
  if (!description) return std::nullopt;
  part.description = std::move(*description);
  return part;
}

void require_made_with(const Part& part, const PartRequirement& wanted) {
  for (const auto& [name, value] : wanted.made_with) {
    const std::string found = value_of(part.description.made_with, name);
    if (found == value) continue;
    throw Error({.what = fmt::format("this part of the run was made with a different {}", name),
                 .where = part.file.string(),
                 .expected = value.empty() ? "none" : value,
                 .found = found.empty() ? "none" : found,
                 .hint = name == kInstructionSet
                             ? "run all shards with the same --isa, or remove the part"
                             : "run the same command with the same program, model and data "
                               "everywhere, or remove the part"});
  }
  if (part.journal->fingerprint() == wanted.fingerprint) return;
  throw Error({.what = "this part is of a run that divides its work differently",
               .where = part.file.string(),
               .hint = "remove the part"});
}

std::vector<Part> find_parts(const fs::path& folder, int64_t pass, const PartRequirement& wanted) {
  std::vector<fs::path> files;
  std::error_code ignored;
  fs::directory_iterator entries(folder, ignored);
  for (; entries != fs::directory_iterator(); entries.increment(ignored)) {
    const std::optional<PartName> name = part_name(entries->path());
    if (name && name->pass == pass) files.push_back(entries->path());
  }
  std::ranges::sort(files);
  std::vector<Part> parts;
  for (const fs::path& file : files) {
    std::optional<Part> part = open_part(file);
    if (!part) continue;
    require_made_with(*part, wanted);
    parts.push_back(std::move(*part));
  }
  return parts;
}

GatheredParts gather_parts(const std::vector<fs::path>& sources, const fs::path& out) {
  // Every part with the file that it goes to.
  std::vector<std::pair<Part, fs::path>> moves;
  // What each pass, in each folder, was made with: as the first part says.
  std::map<std::pair<fs::path, int64_t>, PartRequirement> wanted;
  const auto check = [&](const Part& part, const fs::path& target) {
    const auto [found, is_first] =
        wanted.try_emplace({target.parent_path(), part.name.pass},
                           PartRequirement{.fingerprint = part.journal->fingerprint(),
                                           .made_with = part.description.made_with});
    if (!is_first) require_made_with(part, found->second);
  };
  std::error_code ignored;
  if (fs::is_directory(out, ignored)) {
    for (const auto& entry : fs::recursive_directory_iterator(out, ignored)) {
      if (!entry.is_regular_file(ignored) || !part_name(entry.path())) continue;
      if (const std::optional<Part> part = open_part(entry.path()))
        check(*part, out / entry.path().lexically_relative(out));
    }
  }
  for (const fs::path& source : sources) {
    for (const fs::path& file : parts_below(source)) {
      std::optional<Part> part = open_part(file);
      if (!part) continue;  // killed before its first batch was finished
      const fs::path path =
          fs::is_directory(source, ignored) ? file.lexically_relative(source) : file.filename();
      check(*part, out / path);
      moves.emplace_back(std::move(*part), out / path);
    }
  }
  GatheredParts gathered;
  for (const auto& [part, target] : moves) {
    ++gathered.parts;
    if (fs::equivalent(part.file, target, ignored)) continue;
    make_folder(target.parent_path());
    Journal journal(target, part.journal->fingerprint());
    // The description is the entry with the lowest number, and so the first.
    for (const int64_t batch : part.journal->batches()) {
      if (journal.has(batch)) continue;
      journal.commit(batch, part.journal->read(batch));
      if (batch != kDescription) ++gathered.batches;
    }
  }
  return gathered;
}

}  // namespace palimpsest::run
