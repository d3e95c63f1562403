#include "palimpsest/config/internal/default_element.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::config {
namespace {

constexpr std::string_view kGlobal = "_global_";

bool is_absolute(std::string_view path) {
  return path.starts_with('/');
}

std::string_view relative_part(std::string_view path) {
  return is_absolute(path) ? path.substr(1) : path;
}

// "a/b" below "base", unless it is absolute.
std::string below(const std::string& base, std::string_view path) {
  const std::string_view part = relative_part(path);
  if (is_absolute(path) || base.empty()) return std::string(part);
  return part.empty() ? base : fmt::format("{}/{}", base, part);
}

std::string folder_of(std::string_view path) {
  const std::string_view part = relative_part(path);
  const size_t slash = part.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(part.substr(0, slash));
}

std::string dotted(std::string_view path) {
  return text::replace_all(path, "/", ".");
}

std::string join_packages(const std::string& parent, const std::string& package) {
  if (parent.empty()) return package;
  return package.empty() ? parent : parent + "." + package;
}

// Splits "group@package"; the rename form group@old:new keeps the old one, as in Hydra.
void split_package(std::string_view text, std::string& name, std::optional<std::string>& package) {
  const size_t at = text.find('@');
  name = text.substr(0, at);
  if (at == std::string_view::npos) return;
  std::string_view behind = text.substr(at + 1);
  behind = behind.substr(0, behind.find(':'));
  package = behind == "_here_" ? "" : std::string(behind);
}

// Takes the keywords off a group: "override /model".
void take_keywords(DefaultElement& element) {
  const size_t space = element.group.rfind(' ');
  if (space == std::string::npos) return;
  std::string_view words = std::string_view(element.group).substr(0, space);
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    if (word == "optional") {
      element.optional = true;
    } else if (word == "override") {
      element.override_keyword = true;
    } else {
      break;
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  element.group = element.group.substr(space + 1);
}

[[noreturn]] void refuse(const Value& value, const char* what) {
  throw Error({.what = what,
               .where = value.where(),
               .expected = "group: option, group: [options], group: null, path/of/config or _self_",
               .found = std::string(value.kind())});
}

DefaultElement parse_group(const Value& item) {
  const Value::Map& map = item.as_map();
  if (map.size() != 1) refuse(item, "an entry of the defaults list must have one key");
  const auto& [key, value] = map[0];
  DefaultElement element{.location = item.location()};
  split_package(key, element.group, element.package);
  take_keywords(element);
  if (element.group.empty()) refuse(item, "an entry of the defaults list names no group");
  if (const std::string* text = value.text_if()) {
    element.option = *text;
  } else if (value.is_list()) {
    element.options.emplace();
    for (const Value& option : value.as_list()) {
      if (option.text_if() == nullptr) refuse(option, "an option is not a text");
      element.options->push_back(*option.text_if());
    }
  } else if (!value.is_null()) {
    refuse(value, "the option is not a text, a list of texts or null");
  }
  return element;
}

}  // namespace

std::vector<DefaultElement> parse_defaults(const Value& list) {
  if (!list.is_list()) refuse(list, "'defaults' is not a list");
  std::vector<DefaultElement> elements;
  for (const Value& item : list.as_list()) {
    if (item.is_map()) {
      elements.push_back(parse_group(item));
    } else if (const std::string* text = item.text_if()) {
      DefaultElement element{.location = item.location()};
      split_package(*text, element.path, element.package);
      if (element.path.empty() || (element.is_self() && element.package)) {
        refuse(item, "an entry of the defaults list is empty or not valid");
      }
      elements.push_back(std::move(element));
    } else {
      refuse(item, "an entry of the defaults list is neither a text nor a map");
    }
  }
  return elements;
}

bool DefaultElement::is_interpolation() const {
  if (options) return false;
  const std::string text = is_group() ? option.value_or("") : path;
  return text.find("${") != std::string::npos;
}

void DefaultElement::set_parent(const std::string& group_path_of_parent,
                                const std::string& package_of_parent) {
  parent_group = group_path_of_parent;
  parent_package = package_of_parent;
  if (package && package->find("_group_") != std::string::npos) {
    package =
        fmt::format("{}.{}", kGlobal, text::replace_all(*package, "_group_", dotted(group_path())));
  }
}

void DefaultElement::set_package_header(const std::optional<std::string>& header) {
  if (!header) return;
  // A header is always absolute.
  const bool global = *header == kGlobal || header->starts_with(std::string(kGlobal) + ".");
  package_header = global ? *header : fmt::format("{}.{}", kGlobal, *header);
}

std::string DefaultElement::group_path() const {
  return is_group()
             ? below(parent_group, group)
             : below(parent_group, is_absolute(path) ? "/" + folder_of(path) : folder_of(path));
}

std::optional<std::string> DefaultElement::name() const {
  if (is_group()) return option;
  return path.substr(path.rfind('/') + 1);
}

std::string DefaultElement::config_path() const {
  if (!is_group()) return below(parent_group, path);
  return fmt::format("{}/{}", group_path(), option.value_or("null"));
}

std::string DefaultElement::final_package(bool use_header) const {
  std::string own = is_group() ? dotted(relative_part(group)) : dotted(folder_of(path));
  if (package) {
    own = *package;
  } else if (use_header && package_header) {
    own = *package_header;
  }
  std::string full = join_packages(parent_package, own);
  const size_t global = full.rfind(kGlobal);
  if (global == std::string::npos) return full;
  const size_t behind = global + kGlobal.size() + 1;
  return behind >= full.size() ? "" : full.substr(behind);
}

std::string DefaultElement::override_key() const {
  const std::string where = final_package(false);
  std::string key = group_path();
  if (dotted(key) == where) return key;
  return fmt::format("{}@{}", key, where.empty() ? std::string(kGlobal) : where);
}

}  // namespace palimpsest::config
