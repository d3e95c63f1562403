// An entry of a defaults list. With the config that contains the entry, it determines which file
// and group it means, into which package the content goes, and by which key an override refers to
// it.
//
//   - model: Llama                 group model, option Llama
//   - optional db@store: [a, b]    group db in package store, two options
//   - override /model: Phi         chooses another option for an entry in another list
//   - paths/default                a config, given by its path
//   - _self_                       the config that contains the list
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

struct DefaultElement {
  // A group entry has `group`, all others have `path`.
  std::string group = {};
  std::string path = {};
  // The chosen option; nullopt for null. A list of options is in `options`.
  std::optional<std::string> option = std::nullopt;
  std::optional<std::vector<std::string>> options = std::nullopt;
  std::optional<std::string> package = std::nullopt;         // the part after the @
  std::optional<std::string> package_header = std::nullopt;  // of the config that the entry means
  bool optional = false;
  bool override_keyword = false;
  bool from_command_line = false;
  bool primary = false;
  std::string location = {};  // file and line

  // The group and the package of the config that contains the entry.
  std::string parent_group = {};
  std::string parent_package = {};

  bool is_group() const { return !group.empty(); }
  bool is_self() const { return path == "_self_"; }
  bool is_missing() const { return !options && name() == "???"; }
  bool is_interpolation() const;

  // Sets these two, which the package keyword _group_ needs.
  void set_parent(const std::string& group_path, const std::string& package_of_parent);
  void set_package_header(const std::optional<std::string>& header);

  // The path of its config: "db/mysql". A group entry must have an option.
  std::string config_path() const;
  // The folder of the config: "db".
  std::string group_path() const;
  // The option, or the last part of the path; nullopt for null.
  std::optional<std::string> name() const;
  // The package into which the content goes: "a.b"; empty for the root.
  std::string final_package(bool use_header = true) const;
  // The key by which an override refers to it: "db" or, if the package is not the default one,
  // "db@store".
  std::string override_key() const;
};

// Parses the entries of a defaults list. Throws Error, with the file and line, for an invalid
// entry.
std::vector<DefaultElement> parse_defaults(const Value& list);

}  // namespace palimpsest::config
