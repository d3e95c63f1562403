#include "palimpsest/data/internal/csv_reader.h"

#include "palimpsest/base/error.h"

namespace palimpsest::data {

CsvReader::CsvReader(const std::filesystem::path& path) : lines_(path) {}

bool CsvReader::next(std::vector<std::string>& cells) {
  std::string line;
  do {
    if (!lines_.next(line)) return false;
  } while (line.empty());
  where_ = lines_.where();
  cells.assign(1, "");
  bool quoted = false;
  for (size_t i = 0;; ++i) {
    if (i == line.size()) {
      if (!quoted) return true;
      // The cell goes on in the next line.
      cells.back() += '\n';
      if (!lines_.next(line)) {
        throw Error({.what = "a quote is not closed",
                     .where = where_,
                     .hint = "write \" inside a cell as \"\""});
      }
      i = static_cast<size_t>(-1);
    } else if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (quoted && line[i] == '"') {
      quoted = false;
      if (i + 1 < line.size() && line[i + 1] != ',') {
        throw Error({.what = "there is text after a closing quote",
                     .where = where_,
                     .hint = "write \" inside a cell as \"\""});
      }
    } else if (!quoted && line[i] == '"' && cells.back().empty() &&
               (i == 0 || line[i - 1] == ',')) {
      quoted = true;
    } else if (!quoted && line[i] == ',') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
}

}  // namespace palimpsest::data
