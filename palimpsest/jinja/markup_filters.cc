// The filters that are about HTML and URLs.
#include <fmt/format.h>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/repr.h"

namespace palimpsest::jinja {
namespace {

Value escape(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("escape", arguments, {}, 0);
  return make_string(escape_value(value, runtime.budget), &runtime.budget, true);
}

Value forceescape(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("forceescape", arguments, {}, 0);
  return make_string(escape_html(to_text(value, runtime.budget)), &runtime.budget, true);
}

Value safe(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("safe", arguments, {}, 0);
  return make_string(to_text(value, runtime.budget), &runtime.budget, true);
}

std::string url_quote(const Value& value, bool query, Runtime& runtime) {
  const std::string text = to_text(value, runtime.budget);
  runtime.budget.require(static_cast<int64_t>(text.size()) * 3);
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '_' || c == '.' ||
                                       c == '-' || c == '~' || (c == '/' && !query));
    if (plain) {
      out += c;
    } else if (c == ' ' && query) {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

Value urlencode(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("urlencode", arguments, {}, 0);
  if (value.is_string() || !is_iterable(value)) {
    return make_string(url_quote(value, false, runtime), &runtime.budget);
  }
  std::string out;
  const auto add = [&](const Value& key, const Value& item) {
    if (!out.empty()) out += "&";
    out += url_quote(key, true, runtime) + "=" + url_quote(item, true, runtime);
    runtime.budget.require(static_cast<int64_t>(out.size()));
  };
  if (value.is_dict()) {
    for (const auto& [key, item] : value.dict().entries()) add(key, item);
  } else {
    for (const Value& pair : collect(value, runtime.budget)) {
      const Values parts = collect(pair, runtime.budget);
      if (parts.size() != 2) throw Error("urlencode needs pairs");
      add(parts[0], parts[1]);
    }
  }
  return make_string(std::move(out), &runtime.budget);
}

Value xmlattr(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("xmlattr", arguments, {"autospace"}, 0);
  require_defined(value);
  if (!value.is_dict()) throw Error("xmlattr needs a dict");
  std::string out;
  for (const auto& [key, item] : value.dict().entries()) {
    if (item.is_none() || item.is_undefined()) continue;
    if (!key.is_string() || key.text().find_first_of(" \t\n\r\f\v/>=") != std::string::npos) {
      throw Error("xmlattr: an attribute's name has a character that it may not have");
    }
    if (!out.empty()) out += " ";
    out += escape_value(key, runtime.budget) + "=\"" + escape_value(item, runtime.budget) + "\"";
  }
  if (p.flag(0, true) && !out.empty()) out.insert(0, " ");
  return make_string(std::move(out), &runtime.budget);
}

constexpr NamedMethod kMarkupFilters[] = {
    {"e", escape},  {"escape", escape},       {"forceescape", forceescape},
    {"safe", safe}, {"urlencode", urlencode}, {"xmlattr", xmlattr},
};

}  // namespace

std::span<const NamedMethod> markup_filters() {
  return kMarkupFilters;
}

}  // namespace palimpsest::jinja
