#include "palimpsest/base/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool starts_line_break(std::string_view text) {
  return text.starts_with('\n') || text.starts_with("\r\n");
}

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + "\"";
}

CsvReader::CsvReader(std::string_view text, std::string where)
    : rest_(text), where_(std::move(where)) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

std::string CsvReader::where() const {
  return fmt::format("{}:{}", where_, row_line_);
}

bool CsvReader::next(std::vector<std::string>& row) {
  row.clear();
  while (starts_line_break(rest_)) {
    rest_.remove_prefix(rest_[0] == '\r' ? 2 : 1);
    ++line_;
  }
  row_line_ = line_;
  if (rest_.empty()) return false;
  do {
    if (row.size() == kMaxCells) {
      throw Error({.what = fmt::format("the row has more than {} cells", kMaxCells),
                   .where = where(),
                   .hint = "is this a file of comma-separated values?"});
    }
    row.push_back(rest_.starts_with('"') ? quoted_cell() : plain_cell());
  } while (skip_comma());
  return true;
}

std::string CsvReader::quoted_cell() {
  const int64_t opened = line_;
  std::string cell;
  rest_.remove_prefix(1);
  while (true) {
    const size_t quote = rest_.find('"');
    if (quote == std::string_view::npos) {
      throw Error({.what = "a quote is not closed",
                   .where = fmt::format("{}:{}", where_, opened),
                   .hint = "a quote inside a quoted cell is written twice"});
    }
    line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(quote), '\n');
    cell += rest_.substr(0, quote);
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) break;
    cell += '"';
    rest_.remove_prefix(1);
  }
  if (!rest_.empty() && rest_[0] != ',' && !starts_line_break(rest_)) {
    throw Error({.what = "a quoted cell goes on after its closing quote",
                 .where = fmt::format("{}:{}", where_, line_),
                 .hint = "a quote inside a quoted cell is written twice"});
  }
  return cell;
}

std::string CsvReader::plain_cell() {
  const size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
  const size_t length = end > 0 && starts_line_break(rest_.substr(end - 1)) ? end - 1 : end;
  std::string cell(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return cell;
}

bool CsvReader::skip_comma() {
  if (!rest_.starts_with(',')) return false;
  rest_.remove_prefix(1);
  return true;
}

}  // namespace palimpsest
