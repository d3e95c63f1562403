#include "palimpsest/lab/internal/own_files.h"

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/hash.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest::lab {
namespace {

constexpr const char* kRecordFile = ".palimpsest-lab.json";
constexpr const char* kFilesKey = "files";  // name -> fingerprint of the contents

std::string contents_hash(const std::string& bytes) {
  return Fingerprint().add(bytes).hex();
}

Json read_record(const std::filesystem::path& file) {
  if (!is_listed(file)) return Json::object();
  const Json record = parse_json(read_file(file), file.string());
  const Json files = record.is_object() ? record.value(kFilesKey, Json()) : Json();
  return files.is_object() ? files : Json::object();
}

}  // namespace

void write_own_files(const std::filesystem::path& folder,
                     const std::map<std::string, std::string>& files) {
  Json written = read_record(folder / kRecordFile);
  for (const auto& [name, bytes] : files) {
    const std::filesystem::path file = folder / name;
    if (!is_listed(file)) continue;
    const std::string found = read_file(file);
    if (found == bytes || written.value(name, Json()) == Json(contents_hash(found))) continue;
    throw Error({.what = "the lab would replace this file, which it did not write or which was "
                         "changed since",
                 .where = file.string(),
                 .hint = "move it elsewhere, or name another folder"});
  }
  make_folder(folder);
  for (const auto& [name, bytes] : files) {
    write_file(folder / name, bytes);
    written[name] = contents_hash(bytes);
  }
  write_file(folder / kRecordFile, to_text({{kFilesKey, written}}));
}

}  // namespace palimpsest::lab
