#include "palimpsest/cli/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "palimpsest/base/csv.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"

namespace palimpsest::cli {
namespace {

constexpr const char* kBlank = " \t\r\n";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kBlank) == std::string_view::npos;
}

// Passes a record on once it is known to be an object, and counts.
class Visitor {
 public:
  explicit Visitor(const VisitRecord& visit) : visit_(visit) {}

  void operator()(const Json& record, const std::string& where) {
    if (!record.is_object()) {
      throw Error(
          {.what = "the record is not a JSON object", .where = where, .found = describe(record)});
    }
    visit_(record, where);
    ++count_;
  }
  int64_t count() const { return count_; }

 private:
  const VisitRecord& visit_;
  int64_t count_ = 0;
};

void visit_array(const std::filesystem::path& path, Visitor& visitor) {
  const Json array = parse_json(read_file(path), path.string());
  for (size_t i = 0; i < array.size(); ++i) {
    visitor(array[i], fmt::format("{}, record {}", path.string(), i));
  }
}

void visit_json(const std::filesystem::path& path, Visitor& visitor) {
  LineReader reader(path);
  std::string line;
  while (reader.next(line)) {
    if (is_blank(line)) continue;
    if (visitor.count() == 0 && line[line.find_first_not_of(kBlank)] == '[') {
      return visit_array(path, visitor);
    }
    visitor(parse_json(line, reader.where()), reader.where());
  }
}

void check_heading(std::vector<std::string> heading, const std::string& where) {
  std::sort(heading.begin(), heading.end());
  const auto twice = std::adjacent_find(heading.begin(), heading.end());
  if (twice == heading.end()) return;
  throw Error({.what = fmt::format("two columns are called '{}'", *twice), .where = where});
}

void visit_csv(const std::filesystem::path& path, Visitor& visitor) {
  const std::string text = read_file(path);
  CsvReader reader(text, path.string());
  std::vector<std::string> heading;
  std::vector<std::string> row;
  if (!reader.next(heading)) return;
  check_heading(heading, reader.where());
  while (reader.next(row)) {
    if (row.size() != heading.size()) {
      throw Error({.what = "the row has another number of cells than the heading",
                   .where = reader.where(),
                   .expected = fmt::format("{}", heading.size()),
                   .found = fmt::format("{}", row.size())});
    }
    Json record = Json::object();
    for (size_t i = 0; i < row.size(); ++i) record[heading[i]] = row[i];
    visitor(record, reader.where());
  }
}

}  // namespace

void for_each_record(const std::filesystem::path& path, const VisitRecord& visit) {
  Visitor visitor(visit);
  (path.extension() == ".csv" ? visit_csv : visit_json)(path, visitor);
  if (visitor.count() > 0) return;
  throw Error({.what = "the file holds no record",
               .where = path.string(),
               .hint = "write one JSON object a line, a JSON array of objects, or a .csv with a "
                       "heading"});
}

std::string require_text(const Json& record, const std::string& key, const std::string& where) {
  const Json& value = require(record, key, where);
  if (!value.is_string()) {
    throw Error({.what = fmt::format("'{}' is not a text", key),
                 .where = where,
                 .expected = "a string",
                 .found = describe(value)});
  }
  return value.get<std::string>();
}

}  // namespace palimpsest::cli
