// Keeps track of the option of each group while defaults lists are expanded: the choices that the
// command line and override entries make, the entries that the command line adds and deletes, and
// the options that were finally chosen.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "palimpsest/config/internal/config_source.h"
#include "palimpsest/config/internal/default_element.h"
#include "palimpsest/config/override.h"

namespace palimpsest::config {

class GroupChoices {
 public:
  // Separates the overrides of groups from the overrides of values. Throws Error for a group
  // override that makes no sense.
  GroupChoices(const ConfigSource& source, const std::vector<Override>& overrides);

  // The entries that +group=option adds to the primary config's list.
  const std::vector<DefaultElement>& additions() const { return additions_; }
  const std::vector<Override>& config_overrides() const { return config_overrides_; }
  // The final option of every group; a null Value if the option is null.
  const std::map<std::string, Value>& known() const { return known_; }

  // Adds an override entry of a defaults list. The first entry for a group counts; the command line
  // takes precedence over all.
  void add_override(const DefaultElement& element);
  // Gives the element the option that an override chose for it.
  void apply(DefaultElement& element);
  // Whether ~group on the command line deletes it.
  bool is_deleted(const DefaultElement& element);
  // Records the element's option as final. Throws Error if the group already has another option.
  void remember(const DefaultElement& element);
  // Resolves an interpolation in the element's option, using the options that are already final.
  void resolve(DefaultElement& element) const;
  // Throws Error for an override or a deletion that matched no entry.
  void require_all_used() const;

 private:
  struct Choice {
    std::optional<std::string> option;
    std::optional<std::vector<std::string>> options;
    std::string location;  // the file and line of the entry, or the override's text
    bool from_command_line = false;
    bool used = false;
  };
  struct Deletion {
    std::optional<std::string> option;
    std::string line;
    bool used = false;
  };

  void add_group_override(const Override& override);

  std::map<std::string, Choice> choices_;
  std::map<std::string, Deletion> deletions_;
  std::vector<DefaultElement> additions_;
  std::vector<Override> config_overrides_;
  std::map<std::string, Value> known_;
  std::map<std::string, std::set<std::string>> keys_of_group_;  // for messages
};

}  // namespace palimpsest::config
