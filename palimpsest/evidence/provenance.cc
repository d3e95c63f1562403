#include "palimpsest/evidence/provenance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/sha256.h"
#include "palimpsest/base/internal/short_name.h"
#include "palimpsest/base/internal/strings.h"
#include "palimpsest/evidence/internal/evidence_json.h"
#include "palimpsest/evidence/internal/pack_listing.h"
#include "palimpsest/report/internal/written_results.h"

namespace palimpsest::evidence {
namespace {

namespace fs = std::filesystem;

using report::kProvenanceFile;
using report::kProvenanceKey;
using report::kStartNote;

Json provenance_to_json(const Provenance& provenance) {
  Json computing = Json::object();
  for (const auto& [name, value] : provenance.computing) computing[name] = value;
  Json plan;
  if (provenance.plan)
    plan = {{"planned", provenance.plan->planned}, {"sha256", provenance.plan->sha256}};
  return {{kProvenanceKey, report::kProvenanceVersion},
          {"kind", provenance.kind},
          {"started", provenance.started},
          {"command", provenance.command},
          {"version", provenance.version},
          {"commit", provenance.commit},
          {"computing", std::move(computing)},
          {"left_out", provenance.left_out},
          {"plan", std::move(plan)},
          {"settings", settings_to_json(provenance.settings)},
          {"inputs", inputs_to_json(provenance.inputs)},
          {"files", files_to_json(provenance.files)}};
}

std::vector<std::string> texts_of(const Json& list, const std::string& where) {
  std::vector<std::string> texts;
  if (!list.is_array()) throw Error({.what = "this is not a list", .where = where});
  for (const Json& text : list) {
    if (!text.is_string()) throw Error({.what = "this is not a list of texts", .where = where});
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

// One line per file of an input that has several.
std::string shown_input(const Input& input) {
  std::string text = input.path.empty() ? "" : input.path + "\n";
  text += "SHA-256 " + input.sha256;
  if (input.files.size() == 1) return text;
  for (const HashedFile& file : input.files)
    text += fmt::format("\n{}  {} ({} bytes)", file.sha256, file.name, file.bytes);
  return text;
}

// As a shell takes it, quoted only if that is needed.
std::string command_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  return shell_word(word);
}

// The note of an unfinished run, or nothing if there is none that can be read.
std::optional<std::string> noted_start(const fs::path& note, const std::string& identity) {
  std::error_code ignored;
  if (!fs::is_regular_file(note, ignored)) return std::nullopt;
  try {
    const Json json = parse_json(read_file(note), note.string());
    if (text_member(json, "identity", note.string()) != identity) return std::nullopt;
    return text_member(json, "started", note.string());
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::string> finished_start(const fs::path& file, const std::string& identity) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  try {
    const Provenance earlier = provenance_from_text(read_file(file), file.string());
    if (identity_of(earlier) == identity) return earlier.started;
  } catch (const Error&) {  // not of this run, then
  }
  return std::nullopt;
}

}  // namespace

std::string provenance_to_text(const Provenance& provenance) {
  Json json = provenance_to_json(provenance);
  json[report::kDigestKey] = report::provenance_digest(json);
  return to_text(json);
}

Provenance provenance_from_text(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  report::require_provenance_version(json, where);
  Provenance provenance{
      .kind = text_member(json, "kind", where),
      .started = text_member(json, "started", where),
      .command = texts_of(require(json, "command", where), where + ": command"),
      .version = text_member(json, "version", where),
      .commit = text_member(json, "commit", where),
      .left_out = texts_of(require(json, "left_out", where), where + ": left_out"),
      .settings = settings_from_json(require(json, "settings", where), where + ": settings"),
      .inputs = inputs_from_json(require(json, "inputs", where), where + ": inputs"),
      .files = files_from_json(require(json, "files", where), where + ": files")};
  const Json& computing = require(json, "computing", where);
  for (const auto& [name, value] : computing.items())
    provenance.computing.emplace_back(name, text_member(computing, name.c_str(), where));
  if (const Json& plan = require(json, "plan", where); !plan.is_null()) {
    provenance.plan = PlanReference{.planned = text_member(plan, "planned", where),
                                    .sha256 = text_member(plan, "sha256", where)};
  }
  if (provenance_to_text(provenance) != text) {
    throw Error({.what = "the file was changed after it was written: its digest does not match",
                 .where = where});
  }
  return provenance;
}

std::string identity_of(const Provenance& provenance) {
  Provenance part = provenance;
  part.started.clear();
  part.command.clear();
  part.files.clear();
  return sha256_of(provenance_to_text(part));
}

std::vector<report::PageEntry> provenance_entries(const Provenance& provenance) {
  std::vector<std::string> words;
  for (const std::string& word : provenance.command) words.push_back(command_word(word));
  std::vector<report::PageEntry> entries = {
      {"first started", provenance.started + " (UTC)"},
      {"command line", fmt::format("{}", fmt::join(words, " "))},
      {"program", fmt::format("palimpsest {}, commit {}", provenance.version, provenance.commit)}};
  if (provenance.plan) {
    entries.push_back({"plan", fmt::format("as planned on {}; SHA-256 of the plan {}",
                                           provenance.plan->planned, provenance.plan->sha256)});
  }
  for (const auto& [name, value] : provenance.computing) entries.push_back({name, value});
  for (const Input& input : provenance.inputs) entries.push_back({input.role, shown_input(input)});
  std::vector<std::string> settings;
  for (const Setting& setting : provenance.settings) {
    if (setting.value && !setting.value->empty())
      settings.push_back(command_word(setting.option + "=" + *setting.value));
  }
  if (!settings.empty())
    entries.push_back({"settings", fmt::format("{}", fmt::join(settings, " "))});
  if (!provenance.left_out.empty()) {
    entries.push_back({"left out", fmt::format("{}", fmt::join(provenance.left_out, ", "))});
  }
  entries.push_back({"how to check it",
                     "`palimpsest verify` compares the files of this folder with the hashes in "
                     "provenance.json and computes the results again from the traces. It finds "
                     "accidents, not forgery: whoever changes a file can change the hashes, too. "
                     "Against forgery, have the digest that it prints signed or deposited "
                     "elsewhere."});
  return entries;
}

std::vector<HashedFile> hash_results(const fs::path& folder,
                                     const std::vector<std::string>& entries,
                                     const std::stop_token& stop, ProgressDisplay* display) {
  std::vector<HashedFile> files;
  for (const std::string& name : list_files(folder)) {
    const std::string top = name.substr(0, name.find('/'));
    if (std::ranges::find(entries, top) == entries.end()) continue;
    std::error_code failed;
    if (!fs::is_regular_file(folder / name, failed)) continue;
    const auto bytes = fs::file_size(folder / name, failed);
    files.push_back({.name = name, .bytes = failed ? 0 : static_cast<int64_t>(bytes)});
  }
  int64_t total = 0;
  for (const HashedFile& file : files) total += file.bytes;
  Progress progress(display, "hashing results, in bytes", total);
  for (HashedFile& file : files)
    file.sha256 = sha256_of_file(folder / file.name, {.stop = stop, .progress = &progress});
  return files;
}

std::string first_start(const fs::path& folder, const std::string& identity, const std::string& now,
                        bool keep) {
  const fs::path note = folder / kStartNote;
  if (const auto started = noted_start(note, identity)) return *started;
  std::string started = finished_start(folder / kProvenanceFile, identity).value_or(now);
  if (keep) write_file(note, to_line({{"started", started}, {"identity", identity}}) + "\n");
  return started;
}

void require_own_folder(const fs::path& folder, const std::string& kind) {
  const fs::path file = folder / kProvenanceFile;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return;
  std::string found;
  try {
    const Json json = parse_json(read_file(file), file.string());
    if (!json.is_object() || !json.contains(kProvenanceKey)) return;
    found = text_member(json, "kind", file.string());
  } catch (const Error&) {  // it says nothing about a run
    return;
  }
  if (found == kind) return;
  throw Error({.what = fmt::format("the folder holds the results of `palimpsest {}`, whose {} and "
                                   "page would be replaced",
                                   found, kProvenanceFile),
               .where = folder.string(),
               .hint = "give another folder, or remove this one first"});
}

void begin_replacing(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / kProvenanceFile, ignored);
}

void finish_run(const fs::path& folder, const Provenance& provenance) {
  write_file(folder / kProvenanceFile, provenance_to_text(provenance));
  std::error_code ignored;
  fs::remove(folder / kStartNote, ignored);
}

Provenance without_paths(Provenance provenance) {
  for (std::string& word : provenance.command) {
    const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const size_t begin = equals == std::string::npos ? 0 : equals + 1;
    word = word.substr(0, begin) + short_name(word.substr(begin));
  }
  for (Input& input : provenance.inputs) input.path = short_name(input.path);
  for (Setting& setting : provenance.settings) {
    if (setting.option == "--few-shot" && setting.value) setting.value = short_name(*setting.value);
  }
  return provenance;
}

}  // namespace palimpsest::evidence
