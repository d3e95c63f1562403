#include "palimpsest/report/internal/json_members.h"

#include <fmt/format.h>

#include "palimpsest/stat/internal/optional_json.h"

namespace palimpsest::report {

const Json* find_member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<double> member_number(const Json& object, const char* key) {
  const Json* found = find_member(object, key);
  return found == nullptr ? std::nullopt : number_from_json(*found);
}

std::string member_text(const Json& object, const char* key) {
  const Json* found = find_member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

attack::MiaRecord member_texts(const Json& object, const char* key) {
  attack::MiaRecord texts;
  const Json* found = find_member(object, key);
  if (found == nullptr || !found->is_object()) return texts;
  for (const auto& [name, text] : found->items()) {
    if (text.is_string()) texts.emplace_back(name, text.get<std::string>());
  }
  return texts;
}

std::optional<stat::Interval> member_interval(const Json& object, const char* key) {
  const Json* found = find_member(object, key);
  return found == nullptr ? std::nullopt : stat::interval_from_json(*found);
}

std::optional<MetricParameters> member_parameters(const Json& object) {
  const Json* found = find_member(object, "parameters");
  if (found == nullptr || !found->is_object()) return std::nullopt;
  MetricParameters parameters;
  for (const auto& [name, value] : found->items()) {
    const std::optional<double> number = number_from_json(value);
    parameters[name] = number              ? fmt::format("{}", *number)
                       : value.is_string() ? value.get<std::string>()
                                           : to_line(value);
  }
  return parameters;
}

std::optional<attack::Answer> member_answer(const Json& object, const std::string& where) {
  const Json* found = find_member(object, "answer");
  if (found == nullptr) return std::nullopt;
  return attack::answer_from_json(to_text(*found), where);
}

std::vector<attack::RedFlag> member_flags(const Json& object, const std::string& where) {
  const Json* found = find_member(object, "flags");
  if (found == nullptr) return {};
  return attack::flags_from_json(to_text(*found), where);
}

}  // namespace palimpsest::report
