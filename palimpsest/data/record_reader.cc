#include "palimpsest/data/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/data/csv_reader.h"
#include "palimpsest/data/internal/json_array_splitter.h"

namespace palimpsest::data {
namespace {

class JsonLinesReader : public RecordReader {
 public:
  explicit JsonLinesReader(const std::filesystem::path& path) : lines_(path) {}

  bool next(Record& record) override {
    std::string line;
    while (lines_.next(line)) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      record = Record::from_json(line, lines_.where());
      return true;
    }
    return false;
  }

 private:
  LineReader lines_;
};

class JsonArrayReader : public RecordReader {
 public:
  explicit JsonArrayReader(const std::filesystem::path& path) : elements_(path), path_(path) {}

  bool next(Record& record) override {
    std::string element;
    if (!elements_.next(element)) return false;
    record = Record::from_json(element, fmt::format("{}, record {}", path_.string(), number_++));
    return true;
  }

 private:
  JsonArraySplitter elements_;
  std::filesystem::path path_;
  int64_t number_ = 0;
};

class CsvRecordReader : public RecordReader {
 public:
  explicit CsvRecordReader(const std::filesystem::path& path) : csv_(path) {
    if (!csv_.next(names_)) {
      throw Error(
          {.what = "the file is empty", .where = path.string(), .expected = "a line of names"});
    }
    std::vector<std::string> sorted = names_;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) {
      throw Error(
          {.what = fmt::format("two columns are called '{}'", *twice), .where = csv_.where()});
    }
  }

  bool next(Record& record) override {
    std::vector<std::string> cells;
    if (!csv_.next(cells)) return false;
    if (cells.size() != names_.size()) {
      throw Error({.what = "the line has another number of cells than the first",
                   .where = csv_.where(),
                   .expected = fmt::format("{}", names_.size()),
                   .found = fmt::format("{}", cells.size())});
    }
    std::vector<std::pair<std::string, std::string>> columns;
    for (size_t i = 0; i < cells.size(); ++i) columns.emplace_back(names_[i], std::move(cells[i]));
    record = Record::from_columns(columns, csv_.where());
    return true;
  }

 private:
  CsvReader csv_;
  std::vector<std::string> names_;
};

// The first byte that is no white space (after a byte order mark); 0 for an empty file.
char first_byte(const std::filesystem::path& path) {
  require_plain_file(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error({.what = "the file cannot be read", .where = path.string()});
  char byte = 0;
  while (file.get(byte)) {
    const bool is_mark = byte == '\xEF' || byte == '\xBB' || byte == '\xBF';
    if (!is_mark && byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n') return byte;
  }
  return 0;
}

}  // namespace

std::unique_ptr<RecordReader> RecordReader::open(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".csv") return std::make_unique<CsvRecordReader>(path);
  if (ending == ".jsonl") return std::make_unique<JsonLinesReader>(path);
  if (ending == ".json") {
    if (first_byte(path) == '[') return std::make_unique<JsonArrayReader>(path);
    return std::make_unique<JsonLinesReader>(path);
  }
  throw Error({.what = "the kind of data file is not known",
               .where = path.string(),
               .expected = "a name that ends in .json, .jsonl or .csv"});
}

std::vector<Record> read_records(const std::filesystem::path& path) {
  const std::unique_ptr<RecordReader> reader = RecordReader::open(path);
  std::vector<Record> records;
  Record record;
  while (reader->next(record)) records.push_back(record);
  if (records.empty()) {
    throw Error({.what = "the file holds no record", .where = path.string()});
  }
  return records;
}

}  // namespace palimpsest::data
