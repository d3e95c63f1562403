#include "palimpsest/base/internal/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

// Deeper nesting than any file of ours has.
constexpr int64_t kMaxArrayRank = 32;
constexpr int64_t kMaxDepth = 256;

struct PythonNumber {
  std::string_view spelling;
  std::string_view
      placeholder;  // a JSON string that no program writes: it opens with a NUL character
  double value;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr PythonNumber kPythonNumbers[] = {
    {"-Infinity", R"("\u0000-Infinity")", -kInfinity},
    {"Infinity", R"("\u0000Infinity")", kInfinity},
    {"NaN", R"("\u0000NaN")", std::numeric_limits<double>::quiet_NaN()},
};

// Writes stand-ins for Python's numbers wherever they stand outside a string; nullopt if there are
// none.
std::optional<std::string> with_placeholders(std::string_view text) {
  std::string replaced;
  bool found = false;
  bool in_string = false;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const PythonNumber* number = nullptr;
    if (!in_string) {
      for (const PythonNumber& candidate : kPythonNumbers) {
        if (rest.starts_with(candidate.spelling)) number = &candidate;
        if (number != nullptr) break;
      }
    }
    if (number != nullptr) {
      replaced += number->placeholder;
      i += number->spelling.size();
      found = true;
      continue;
    }
    if (in_string && rest[0] == '\\' && rest.size() > 1) replaced += text[i++];
    if (rest[0] == '"') in_string = !in_string;
    replaced += text[i++];
  }
  if (!found) return std::nullopt;
  return replaced;
}

void restore_numbers(Json& root) {
  std::vector<Json*> pending = {&root};
  while (!pending.empty()) {
    Json& value = *pending.back();
    pending.pop_back();
    if (value.is_structured()) {
      for (Json& child : value) pending.push_back(&child);
    } else if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      if (text.empty() || text[0] != '\0') continue;
      for (const PythonNumber& number : kPythonNumbers) {
        if (std::string_view(text).substr(1) == number.spelling) {
          value = number.value;
          break;
        }
      }
    }
  }
}

// Parsing does not recurse, but copying, comparing and printing do: a hostile file must not nest
// without end.
void require_shallow(std::string_view text, const std::string& where) {
  int64_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) {
        throw Error({.what = fmt::format("the JSON is nested more than {} deep", kMaxDepth),
                     .where = where});
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

// Builds a document from the events of nlohmann's parser. Its own builder compares each new member
// of an object with all that are there, which takes a hostile file (or a long log) quadratic time.
class Builder {
 public:
  Json take() { return std::move(root_); }
  const std::string& failure() const { return failure_; }
  // A key that stands twice in one object.
  const std::optional<std::string>& repeated() const { return repeated_; }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }  // JSON has none
  bool start_object(size_t) { return open(Json::object()); }
  bool key(std::string& key) {
    slot_ = &member(open_.back(), std::move(key));
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(size_t) { return open(Json::array()); }
  bool end_array() { return close(); }
  bool parse_error(size_t, const std::string&, const Json::exception& failure) {
    failure_ = reason_of(failure);
    return false;
  }

 private:
  struct Open {
    Json* value;
    std::unordered_map<std::string, size_t> index_of;  // of the members, once there are many
  };

  // The member of that name; of two members of one name the first gets the last value.
  Json& member(Open& open, std::string&& key) {
    constexpr size_t kMany = 32;
    auto& members = open.value->get_ref<Json::object_t&>();
    const size_t before = members.size();
    if (before < kMany) {
      Json& found = members[key];
      if (members.size() == before) repeated_ = std::move(key);
      return found;
    }
    if (open.index_of.empty()) {
      for (const auto& [name, value] : members) open.index_of.emplace(name, open.index_of.size());
    }
    const auto [index, is_new] = open.index_of.emplace(key, before);
    if (is_new) {
      members.push_back({std::move(key), Json()});
    } else {
      repeated_ = std::move(key);
    }
    return (members.begin() + static_cast<std::ptrdiff_t>(index->second))->second;
  }

  Json& put(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    Json& parent = *open_.back().value;
    if (parent.is_object()) return *slot_ = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }
  bool add(Json value) {
    put(std::move(value));
    return true;
  }
  bool open(Json value) {
    Json& opened = put(std::move(value));
    open_.push_back({&opened, {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Open> open_;
  Json* slot_ = nullptr;  // of the key that was read last
  std::optional<std::string> repeated_;
  std::string failure_;
};

void collect(const Json& value, const Shape& shape, size_t depth, const std::string& where,
             std::vector<double>& values) {
  if (depth < shape.size()) {
    if (!value.is_array() || static_cast<int64_t>(value.size()) != shape[depth]) {
      throw Error({.what = "the nested arrays are not all of one length", .where = where});
    }
    for (const Json& child : value) collect(child, shape, depth + 1, where, values);
    return;
  }
  if (value.is_boolean()) {
    values.push_back(value.get<bool>() ? 1 : 0);
  } else if (const auto number = number_from_json(value)) {
    values.push_back(*number);
  } else if (value.is_null() || value.is_number()) {
    values.push_back(std::numeric_limits<double>::quiet_NaN());
  } else {
    throw Error({.what = "this is not a number",
                 .where = where,
                 .expected = "numbers or nested arrays of numbers of one shape",
                 .found = describe(value)});
  }
}

Json nested(const double*& next, const Shape& shape, size_t depth) {
  if (depth == shape.size()) return number_to_json(*next++);
  Json array = Json::array();
  for (int64_t i = 0; i < shape[depth]; ++i) array.push_back(nested(next, shape, depth + 1));
  return array;
}

std::string inline_text(const Json& value) {
  if (!value.is_structured()) return to_line(value);
  std::string text;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (item != value.begin()) text += ", ";
    if (value.is_object()) text += to_line(item.key()) + ": ";
    text += inline_text(*item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

// An object that holds a few plain values reads best on one line.
bool is_small(const Json& object) {
  constexpr size_t kFew = 4;
  if (object.size() > kFew) return false;
  return std::none_of(object.begin(), object.end(),
                      [](const Json& v) { return v.is_structured(); });
}

std::string indented(const Json& value, size_t depth) {
  if (!value.is_object() || is_small(value)) return inline_text(value);
  std::string text = "{\n";
  const std::string margin(2 * (depth + 1), ' ');
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (item != value.begin()) text += ",\n";
    text += margin + to_line(item.key()) + ": " + indented(*item, depth + 1);
  }
  return text + "\n" + std::string(2 * depth, ' ') + "}";
}

}  // namespace

void require_no_zero_byte(std::string_view text, const std::string& where) {
  const size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return;
  throw Error({.what = fmt::format("this is not valid JSON: byte {} is 0", zero + 1),
               .where = where,
               .hint = "the file is damaged: make it or copy it again"});
}

Json parse_json(std::string_view text, const std::string& where, RepeatedKeys repeated) {
  require_shallow(text, where);
  require_no_zero_byte(text, where);
  const auto build = [&](std::string_view document, Builder& builder) {
    if (!Json::sax_parse(document, &builder)) return false;
    if (repeated == RepeatedKeys::kRefused && builder.repeated()) {
      throw Error({.what = fmt::format("the key {} occurs twice in one object",
                                       shown(Json(*builder.repeated()))),
                   .where = where,
                   .hint = "remove one of the two"});
    }
    return true;
  };
  Builder builder;
  if (build(text, builder)) return builder.take();
  if (const auto replaced = with_placeholders(text)) {
    Builder again;
    if (build(*replaced, again)) {
      Json value = again.take();
      restore_numbers(value);
      return value;
    }
  }
  // The first reason speaks of the text as it is.
  throw Error({.what = "this is not valid JSON: " + builder.failure(), .where = where});
}

std::string reason_of(const Json::exception& failure) {
  std::string message = failure.what();
  const size_t prefix = message.find("] ");
  if (prefix != std::string::npos) message.erase(0, prefix + 2);
  std::replace_if(
      message.begin(), message.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return message;
}

const Json& require(const Json& object, std::string_view key, const std::string& where) {
  if (!object.is_object()) {
    throw Error({.what = "this is not a JSON object", .where = where, .found = describe(object)});
  }
  const auto found = object.find(key);
  if (found != object.end()) return *found;
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  throw Error(
      {.what = fmt::format("the key '{}' is missing", key),
       .where = where,
       .found = keys.empty() ? "no keys" : fmt::format("the keys {}", fmt::join(keys, ", "))});
}

std::string describe(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return "a string";
  if (value.is_boolean()) return "true or false";
  if (value.is_number()) return "a number";
  return "null";
}

template <typename Integer>
Integer whole_number(const Json& value, const std::string& where) {
  if (value.is_number_unsigned() && std::in_range<Integer>(value.get<uint64_t>()))
    return static_cast<Integer>(value.get<uint64_t>());
  if (value.is_number_integer() && !value.is_number_unsigned() &&
      std::in_range<Integer>(value.get<int64_t>()))
    return static_cast<Integer>(value.get<int64_t>());
  throw Error({.what = "this is not a whole number of at most 64 bits",
               .where = where,
               .found = shown(value)});
}
template int64_t whole_number<int64_t>(const Json& value, const std::string& where);
template uint64_t whole_number<uint64_t>(const Json& value, const std::string& where);

int64_t require_version(const Json& version, int64_t newest, std::string_view format,
                        const std::string& where) {
  const auto wrong = [&](const char* what, const char* hint) {
    return Error({.what = fmt::format("this {} is of {} version", format, what),
                  .where = where,
                  .expected = fmt::format("{}version {}", newest > 1 ? "at most " : "", newest),
                  .found = shown(version),
                  .hint = hint});
  };
  if (!version.is_number_integer() || version < 1) throw wrong("an unknown", "");
  if (version > newest)
    throw wrong("a newer", "read it with the version of palimpsest that wrote it, or a later one");
  return version.get<int64_t>();
}

std::string shown(const Json& value) {
  constexpr size_t kLongest = 60;
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
  return text;
}

Array array_from_json(const Json& value, const std::string& where) {
  Shape shape;
  for (const Json* level = &value; level->is_array(); level = &(*level)[0]) {
    shape.push_back(static_cast<int64_t>(level->size()));
    if (static_cast<int64_t>(shape.size()) > kMaxArrayRank) {
      throw Error({.what = fmt::format("the arrays are nested more than {} deep", kMaxArrayRank),
                   .where = where});
    }
    if (level->empty()) break;
  }
  std::vector<double> values;
  collect(value, shape, 0, where, values);
  return Array(std::move(shape), std::move(values));
}

std::string to_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(const Json& value) {
  return indented(value, 0) + "\n";
}

Json number_to_json(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

std::optional<double> number_from_json(const Json& value) {
  if (value == "Infinity") return kInfinity;
  if (value == "-Infinity") return -kInfinity;
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  return std::isnan(number) ? std::nullopt : std::optional(number);
}

Json array_to_json(const Array& array) {
  const double* next = array.values().data();
  return nested(next, array.shape(), 0);
}

}  // namespace palimpsest
