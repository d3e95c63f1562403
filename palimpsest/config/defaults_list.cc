#include "palimpsest/config/internal/defaults_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/group_choices.h"
#include "palimpsest/config/internal/resolver.h"

namespace palimpsest::config {
namespace {

constexpr int kMaxDefaultsDepth = 64;
constexpr size_t kMaxParts = 10'000;

// Hydra's own groups are not ours; only a config of the user's that has such a name counts.
bool is_hydras(const std::string& group) {
  return group == "hydra" || group.starts_with("hydra/");
}

using Parts = std::vector<ConfigPart>;

class DefaultsListBuilder {
 public:
  DefaultsListBuilder(ConfigSource& source, GroupChoices& choices)
      : source_(source), choices_(choices) {}

  Parts build(const std::string& config_name) {
    DefaultElement primary{.path = config_name, .primary = true};
    if (!source_.has_config(config_name)) {
      throw Error({.what = fmt::format("there is no config '{}'", config_name),
                   .where = source_.describe(),
                   .found = fmt::format("{}", fmt::join(source_.options(""), ", ")),
                   .hint = "--config-name names it, --config-dir the folder"});
    }
    return expand(std::move(primary), nullptr, false);
  }

 private:
  // The parts that the element stands for. `interpolated`: whether it was chosen by an
  // interpolation, in or above it.
  Parts expand(DefaultElement element, const DefaultElement* parent, bool interpolated) {
    if (depth_ >= kMaxDefaultsDepth) {
      throw Error(
          {.what = fmt::format("defaults lists are nested deeper than {}", kMaxDefaultsDepth),
           .where = element.location,
           .hint = "does a config include itself?"});
    }
    ++depth_;
    Parts parts = expand_at_depth(std::move(element), parent, interpolated);
    --depth_;
    return parts;
  }

  Parts expand_at_depth(DefaultElement element, const DefaultElement* parent, bool interpolated) {
    const bool named = element.name().has_value();
    if (named && !element.is_missing()) {
      const ConfigFile* file = source_.load(element.config_path());
      if (file != nullptr) element.set_package_header(file->package);
    }
    if (choices_.is_deleted(element)) return {};
    choices_.remember(element);
    if (!named) return {};
    if (element.is_missing()) refuse_missing(element);
    const ConfigFile* file = source_.load(element.config_path());
    if (file == nullptr) {
      if (element.optional || is_hydras(element.group_path())) return {};
      refuse_absent(element, parent);
    }
    if (++count_ > kMaxParts) throw Error(fmt::format("more than {} configs", kMaxParts));
    std::vector<DefaultElement> defaults = file->defaults;
    prepare(defaults, element, interpolated);
    return expand_children(defaults, element, interpolated).value_or(Parts{part_of(element)});
  }

  static ConfigPart part_of(const DefaultElement& element) {
    ConfigPart part{.config = element.config_path(),
                    .package = element.final_package(),
                    .location = element.location};
    if (element.is_group()) part.override_key = element.override_key();
    return part;
  }

  // Adds _self_ where it is not said, and what the command line adds; notes the overrides.
  void prepare(std::vector<DefaultElement>& defaults, const DefaultElement& parent,
               bool interpolated) {
    const bool adds = parent.primary && !choices_.additions().empty();
    if (!defaults.empty() || adds) {
      const auto selves = std::ranges::count_if(defaults, &DefaultElement::is_self);
      if (selves > 1) {
        throw Error(
            {.what = "_self_ occurs twice in the defaults list", .where = parent.config_path()});
      }
      const bool others = std::ranges::any_of(
          defaults, [](const DefaultElement& d) { return !d.override_keyword; });
      if (defaults.empty() || (selves == 0 && others)) defaults.push_back({.path = "_self_"});
    }
    if (parent.primary) {
      defaults.insert(defaults.end(), choices_.additions().begin(), choices_.additions().end());
    }
    const DefaultElement* last_override = nullptr;
    for (DefaultElement& element : defaults) {
      if (element.is_self()) continue;
      element.set_parent(parent.group_path(), parent.final_package());
      if (element.override_keyword) {
        last_override = &element;
        if (is_hydras(element.group_path())) continue;
        if (interpolated) {
          throw Error({.what = "a config that an interpolation chose cannot override others",
                       .where = element.location});
        }
        choices_.add_override(element);
      } else if (last_override != nullptr && !element.from_command_line) {
        throw Error({.what = "overrides must be at the end of the defaults list",
                     .where = last_override->location});
      }
    }
  }

  // What the entries of its list stand for; nothing if there are none (overrides do not count).
  // Last entry first, so that an override is known before the entry that it is about.
  std::optional<Parts> expand_children(std::vector<DefaultElement>& defaults,
                                       const DefaultElement& parent, bool interpolated) {
    std::vector<Parts> children(defaults.size());
    std::vector<size_t> later;  // those chosen by an interpolation of other choices
    bool any = false;
    for (size_t i = defaults.size(); i > 0; --i) {
      DefaultElement& element = defaults[i - 1];
      if (element.override_keyword) continue;
      any = true;
      if (element.is_self()) {
        children[i - 1] = {{.config = parent.config_path(), .package = parent.final_package()}};
        continue;
      }
      choices_.apply(element);
      if (element.options) {
        children[i - 1] = expand_options(element, parent, interpolated);
      } else if (element.is_interpolation()) {
        later.push_back(i - 1);
      } else {
        children[i - 1] = expand(element, &parent, interpolated);
      }
    }
    for (const size_t i : later) {
      choices_.resolve(defaults[i]);
      children[i] = expand(defaults[i], &parent, true);
    }
    Parts parts;
    for (Parts& child : children) {
      std::ranges::move(child, std::back_inserter(parts));
    }
    return any ? std::optional(std::move(parts)) : std::nullopt;
  }

  Parts expand_options(const DefaultElement& element, const DefaultElement& parent,
                       bool interpolated) {
    std::vector<Parts> parts;
    for (auto option = element.options->rbegin(); option != element.options->rend(); ++option) {
      if (option->find("${") != std::string::npos) {
        throw Error({.what = "an option in a list of options cannot be an interpolation",
                     .where = element.location,
                     .found = *option});
      }
      DefaultElement single{.path = element.group + "/" + *option,
                            .package = element.package,
                            .optional = element.optional,
                            .location = element.location};
      single.set_parent(element.parent_group, element.parent_package);
      parts.push_back(expand(std::move(single), &parent, interpolated));
    }
    Parts all;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      std::ranges::move(*part, std::back_inserter(all));
    }
    return all;
  }

  std::string listed(const std::string& group) const {
    const std::vector<std::string> options = source_.options(group);
    return options.empty() ? "none" : fmt::format("{}", fmt::join(options, ", "));
  }

  [[noreturn]] void refuse_missing(const DefaultElement& element) const {
    throw Error({.what = fmt::format("an option of '{}' must be chosen", element.override_key()),
                 .where = element.location,
                 .expected = "one of " + listed(element.group_path()),
                 .hint = fmt::format("add {}=… to the command line", element.override_key())});
  }

  [[noreturn]] void refuse_absent(const DefaultElement& element,
                                  const DefaultElement* parent) const {
    const std::string group = element.group_path();
    const std::string name = element.name().value_or("");
    // An option may lie in a folder of its group: "eval/tofu/default" of experiment.
    const size_t slash = name.rfind('/');
    const std::string below = slash == std::string::npos ? "" : name.substr(0, slash);
    throw Error({.what = element.is_group() || !group.empty()
                             ? fmt::format("the group '{}' has no option '{}'", group, name)
                             : fmt::format("there is no config '{}'", element.config_path()),
                 .where = element.location.empty() && parent != nullptr ? parent->config_path()
                                                                        : element.location,
                 .expected = below.empty()
                                 ? "one of " + listed(group)
                                 : fmt::format("in {}: {}", below, listed(group + "/" + below)),
                 .hint = "the configs are looked for in " + source_.describe()});
  }

  ConfigSource& source_;
  GroupChoices& choices_;
  int depth_ = 0;
  size_t count_ = 0;
};

void require_unique(const Parts& parts) {
  std::set<std::string> keys;
  for (const ConfigPart& part : parts) {
    if (part.override_key && !keys.insert(*part.override_key).second) {
      throw Error({.what = fmt::format("'{}' occurs more than once in the defaults lists",
                                       *part.override_key),
                   .where = part.location});
    }
  }
}

}  // namespace

DefaultsList make_defaults_list(ConfigSource& source, const std::string& config_name,
                                const std::vector<Override>& overrides) {
  GroupChoices choices(source, overrides);
  Parts parts = DefaultsListBuilder(source, choices).build(config_name);
  require_unique(parts);
  choices.require_all_used();
  return {.parts = std::move(parts),
          .config_overrides = choices.config_overrides(),
          .choices = choices.known()};
}

}  // namespace palimpsest::config
