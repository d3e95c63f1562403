// Which option each group has: the choices that the command line and the override entries of
// defaults lists make for entries elsewhere, what the command line adds and deletes, and what was
// chosen in the end.
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
  // Sorts the overrides into those about groups and those about values. Throws Error for one about
  // a group that makes no sense.
  GroupChoices(const ConfigSource& source, const std::vector<Override>& overrides);

  // What +group=option adds to the primary config's list.
  const std::vector<DefaultElement>& additions() const { return additions_; }
  const std::vector<Override>& config_overrides() const { return config_overrides_; }
  // The option of every group; null where it is null.
  const std::map<std::string, Value>& known() const { return known_; }

  // An override entry of a defaults list; the first one counts, the command line before all.
  void add_override(const DefaultElement& element);
  // Gives the element the option that was chosen for it elsewhere.
  void apply(DefaultElement& element);
  // Whether ~group deletes it.
  bool is_deleted(const DefaultElement& element);
  // Throws Error if the same group has another option already.
  void remember(const DefaultElement& element);
  // Replaces the interpolation of an option by what the other choices make of it.
  void resolve(DefaultElement& element) const;
  // Throws Error for an override or a deletion that fitted no entry.
  void require_all_used() const;

 private:
  struct Choice {
    std::optional<std::string> option;
    std::optional<std::vector<std::string>> options;
    std::string location;  // of the entry that made it; of the command line: the override
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
