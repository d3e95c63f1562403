#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/service/internal/logged_response.h"

namespace palimpsest::service {
namespace {

std::string name_in_entry(const Json& entry) {
  for (const char* key : {"id", "index", "custom_id"}) {
    const auto found = entry.find(key);
    if (found == entry.end() || found->is_null()) continue;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_number_integer()) return found->dump();
    throw Error({.what = fmt::format("'{}' is neither a text nor a whole number", key),
                 .found = shown(*found)});
  }
  return "";
}

void read_groups(const Json& entry, std::map<std::string, std::string>& groups) {
  const auto found = entry.find("groups");
  if (found == entry.end() || found->is_null()) return;
  if (!found->is_object())
    throw Error({.what = "'groups' is not an object", .found = describe(*found)});
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string() && !value.is_number_integer()) {
      throw Error({.what = fmt::format("the group '{}' is neither a text nor a whole number", key),
                   .found = shown(value)});
    }
    groups[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
}

// OpenAI's batch files hold the response in a member "body" of "response".
Json inner_response(Json response) {
  const auto body = response.is_object() ? response.find("body") : response.end();
  if (!response.is_object() || body == response.end() || !body->is_object()) return response;
  Json inner = std::move(*body);
  return inner;
}

LoggedResponse read_entry(Json entry, std::string where) {
  LoggedResponse logged{.response = nullptr, .where = std::move(where)};
  try {
    const bool holds_response = entry.is_object() && entry.contains("response");
    if (!holds_response) {
      // text-generation-inference returns an array of one response from some of its endpoints.
      logged.response = std::move(entry);
      return logged;
    }
    logged.id = name_in_entry(entry);
    read_groups(entry, logged.groups);
    if (const auto prompt = entry.find("prompt"); prompt != entry.end() && !prompt->is_null()) {
      if (!prompt->is_string())
        throw Error({.what = "'prompt' is not a text", .found = describe(*prompt)});
      logged.prompt = prompt->get<std::string>();
    }
    if (const auto request = entry.find("request"); request != entry.end())
      logged.request = inner_response(std::move(*request));
    logged.response = inner_response(std::move(entry["response"]));
  } catch (const Error& error) {
    throw error.located(logged.where);
  }
  return logged;
}

bool is_white_space(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Whether the first line is a document of its own, and others follow.
bool is_json_lines(std::string_view content) {
  const size_t end = content.find('\n');
  if (end == std::string_view::npos || is_white_space(content.substr(end))) return false;
  try {
    return parse_json(content.substr(0, end), "").is_structured();
  } catch (const Error&) {
    return false;
  }
}

void read_lines(std::string_view content, const std::string& name, const std::stop_token& stop,
                std::vector<LoggedResponse>& entries) {
  int64_t number = 0;
  for (size_t begin = 0; begin < content.size();) {
    const size_t end = std::min(content.find('\n', begin), content.size());
    const std::string_view line = content.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (is_white_space(line)) continue;
    if (stop.stop_requested()) throw Stopped();
    const std::string where = fmt::format("{}:{}", name, number);
    entries.push_back(read_entry(parse_json(line, where), where));
  }
}

}  // namespace

std::vector<LoggedResponse> read_log(const std::string& content, const std::string& name,
                                     const std::stop_token& stop) {
  std::string_view text = content;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) throw Error({.what = "the file is empty", .where = name});
  text.remove_prefix(first);
  if (text.starts_with("data:")) {
    throw Error({.what = "this is a stream of events, in which a response comes in parts",
                 .where = name,
                 .hint = "ask without \"stream\" and log whole responses"});
  }
  std::vector<LoggedResponse> entries;
  if (is_json_lines(text)) {
    read_lines(text, name, stop, entries);
    return entries;
  }
  Json document = parse_json(text, name);
  if (!document.is_array()) {
    entries.push_back(read_entry(std::move(document), name));
    return entries;
  }
  for (size_t i = 0; i < document.size(); ++i) {
    entries.push_back(read_entry(std::move(document[i]), fmt::format("{}, entry {}", name, i + 1)));
  }
  if (entries.empty()) throw Error({.what = "the file holds no response", .where = name});
  return entries;
}

}  // namespace palimpsest::service
