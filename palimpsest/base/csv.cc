#include "palimpsest/base/internal/csv.h"

#include <charconv>
#include <system_error>

namespace palimpsest {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + "\"";
}

std::string csv_safe_cell(std::string_view text) {
  if (text.empty() || std::string_view("=+-@\t").find(text[0]) == std::string_view::npos) {
    return csv_cell(text);
  }
  std::string_view digits = text;
  if (digits[0] == '+') digits.remove_prefix(1);  // which from_chars does not take
  double number = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, code] = std::from_chars(digits.data(), end, number);
  const bool is_number = code == std::errc() && rest == end && !digits.empty();
  return csv_cell(is_number ? std::string(text) : "'" + std::string(text));
}

}  // namespace palimpsest
