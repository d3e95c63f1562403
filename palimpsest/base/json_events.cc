#include "palimpsest/base/internal/json_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest {

void JsonEvents::read(std::string_view text, const std::string& where) {
  where_ = where;
  require_no_zero_byte(text, where);
  Json::sax_parse(text, static_cast<nlohmann::json_sax<Json>*>(this));
}

bool JsonEvents::skips_scalar() {
  if (!skipping_) return false;
  skipping_ = skipped_depth_ > 0;
  return true;
}

bool JsonEvents::null() {
  if (!skips_scalar()) other("null");
  return true;
}

bool JsonEvents::boolean(bool value) {
  if (!skips_scalar()) other(value ? "true" : "false");
  return true;
}

bool JsonEvents::number_integer(int64_t value) {
  if (!skips_scalar()) whole_number(value);
  return true;
}

bool JsonEvents::number_unsigned(uint64_t value) {
  constexpr auto kLargest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (skips_scalar()) return true;
  if (value > kLargest) {
    other(fmt::format("{}", value));
  } else {
    whole_number(static_cast<int64_t>(value));
  }
  return true;
}

bool JsonEvents::number_float(double value, const std::string&) {
  if (!skips_scalar()) other(fmt::format("{}", value));
  return true;
}

bool JsonEvents::string(std::string& value) {
  if (!skips_scalar()) text(std::move(value));
  return true;
}

bool JsonEvents::binary(Json::binary_t&) {
  if (!skips_scalar()) other("binary data");
  return true;
}

bool JsonEvents::open(Kind kind) {
  if (skipping_) {
    ++skipped_depth_;
  } else {
    opened(kind);
  }
  return true;
}

bool JsonEvents::close() {
  if (skipping_) {
    --skipped_depth_;
    skipping_ = skipped_depth_ > 0;
  } else {
    closed();
  }
  return true;
}

bool JsonEvents::key(std::string& name) {
  if (!skipping_) named(std::move(name));
  return true;
}

bool JsonEvents::parse_error(size_t position, const std::string&,
                             const nlohmann::detail::exception&) {
  throw Error({.what = fmt::format("this is not valid JSON (byte {})", position),
               .where = where_,
               .hint = "the file is damaged: download it again"});
}

bool is_printable_name(std::string_view name) {
  constexpr size_t kLongest = 1024;
  return name.size() <= kLongest && std::none_of(name.begin(), name.end(), [](char c) {
           return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
         });
}

}  // namespace palimpsest
