#include "palimpsest/data/internal/record_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/input_stream.h"
#include "palimpsest/data/internal/csv_reader.h"
#include "palimpsest/data/internal/json_array_splitter.h"

namespace palimpsest::data {
namespace {

constexpr const char* kDataFileNames =
    "a name that ends in .json, .jsonl or .csv, with .gz or .zst after it if it is compressed";

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
          {.what = "the file is empty", .where = path.string(), .expected = "a header line"});
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
      throw Error({.what = "the number of cells differs from that of the first line",
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

// Several files as one data set, in the order of their names.
class ShardsReader : public RecordReader {
 public:
  explicit ShardsReader(std::vector<std::filesystem::path> files) : files_(std::move(files)) {}

  bool next(Record& record) override {
    while (!reader_ || !reader_->next(record)) {
      if (begun_ == files_.size()) return false;
      reader_ = RecordReader::open(files_[begun_++]);
    }
    return true;
  }

 private:
  std::vector<std::filesystem::path> files_;
  size_t begun_ = 0;
  std::unique_ptr<RecordReader> reader_;
};

// The ending that says the format: that before .gz or .zst of a compressed file.
std::string format_ending(const std::filesystem::path& path) {
  return (is_compressed_name(path) ? path.stem() : path).extension().string();
}

// What cannot be looked at is none; whoever opens it says why.
bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

bool is_data_file(const std::filesystem::directory_entry& entry) {
  const std::string ending = format_ending(entry.path());
  // One that cannot be looked at is for its reader to refuse.
  std::error_code failed;
  const std::filesystem::file_type type = entry.status(failed).type();
  const bool is_file =
      type == std::filesystem::file_type::regular || type == std::filesystem::file_type::none;
  return is_file && !entry.path().filename().string().starts_with('.') &&
         (ending == ".csv" || ending == ".jsonl" || ending == ".json");
}

// The first byte that is no white space (after a byte order mark); 0 for an empty file.
char first_byte(const std::filesystem::path& path) {
  const std::unique_ptr<InputStream> input =
      InputStream::open(path, LineReader::Source::kPlainFile);
  char byte = 0;
  while (input->read(&byte, 1) == 1) {
    const bool is_mark = byte == '\xEF' || byte == '\xBB' || byte == '\xBF';
    if (!is_mark && byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n') return byte;
  }
  return 0;
}

}  // namespace

std::vector<std::filesystem::path> files_of_data_set(const std::filesystem::path& path) {
  if (!is_folder(path)) return {path};
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  std::filesystem::directory_iterator entries(path, failed);
  for (; !failed && entries != std::filesystem::directory_iterator(); entries.increment(failed)) {
    if (is_data_file(*entries)) files.push_back(entries->path());
  }
  if (failed) fail_to_open_folder(path, failed.value());
  if (files.empty()) {
    throw Error({.what = "the folder holds no data file",
                 .where = path.string(),
                 .expected = kDataFileNames});
  }
  std::ranges::sort(files);
  return files;
}

std::unique_ptr<RecordReader> RecordReader::open(const std::filesystem::path& path) {
  if (is_folder(path)) return std::make_unique<ShardsReader>(files_of_data_set(path));
  const std::string ending = format_ending(path);
  if (ending == ".csv") return std::make_unique<CsvRecordReader>(path);
  if (ending == ".jsonl") return std::make_unique<JsonLinesReader>(path);
  if (ending == ".json") {
    if (first_byte(path) == '[') return std::make_unique<JsonArrayReader>(path);
    return std::make_unique<JsonLinesReader>(path);
  }
  throw Error({.what = "the kind of data file is not known",
               .where = path.string(),
               .expected = kDataFileNames});
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
