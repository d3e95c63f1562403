// One entry of a defaults list, and the names that follow from it and from the config that it
// stands in: which file it means, which group, which package, which key an override calls it by.
//
//   - model: Llama                 group model, option Llama
//   - optional db@store: [a, b]    group db in package store, two options
//   - override /model: Phi         another choice for an entry elsewhere
//   - paths/default                a config by its path
//   - _self_                       the config itself
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

struct DefaultElement {
  // A group entry has `group`, the others have `path`.
  std::string group = {};
  std::string path = {};
  // The chosen option; nothing for null. A list of options stands in `options`.
  std::optional<std::string> option = std::nullopt;
  std::optional<std::vector<std::string>> options = std::nullopt;
  std::optional<std::string> package = std::nullopt;         // behind the @
  std::optional<std::string> package_header = std::nullopt;  // of the config that it means
  bool optional = false;
  bool override_keyword = false;
  bool from_command_line = false;
  bool primary = false;
  std::string location = {};  // file and line

  // Of the config that it stands in.
  std::string parent_group = {};
  std::string parent_package = {};

  bool is_group() const { return !group.empty(); }
  bool is_self() const { return path == "_self_"; }
  bool is_missing() const { return !options && name() == "???"; }
  bool is_interpolation() const;

  // Sets what it stands in, which the package keyword _group_ needs.
  void set_parent(const std::string& group_path, const std::string& package_of_parent);
  void set_package_header(const std::optional<std::string>& header);

  // "db/mysql": where its config lies. Must have an option, if it is a group.
  std::string config_path() const;
  // The folder of the config: "db".
  std::string group_path() const;
  // The option or the last part of the path; nothing for null.
  std::optional<std::string> name() const;
  // Where its content goes: "a.b", empty for the root.
  std::string final_package(bool use_header = true) const;
  // What an override calls it: "db" or, in another package than its own, "db@store".
  std::string override_key() const;
};

// The entries of a defaults list. Throws Error with file and line for an entry that is none.
std::vector<DefaultElement> parse_defaults(const Value& list);

}  // namespace palimpsest::config
