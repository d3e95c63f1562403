#include "palimpsest/config/internal/group_choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/resolver.h"

namespace palimpsest::config {
namespace {

std::vector<std::string> texts_of(const Value& list, const std::string& line) {
  std::vector<std::string> texts;
  for (const Value& item : list.as_list()) {
    if (item.text_if() == nullptr) {
      throw Error({.what = "an option is not a text",
                   .where = fmt::format("override '{}'", line),
                   .found = std::string(item.kind())});
    }
    texts.push_back(*item.text_if());
  }
  return texts;
}

}  // namespace

GroupChoices::GroupChoices(const ConfigSource& source, const std::vector<Override>& overrides) {
  for (const Override& override : overrides) {
    if (override.is_sweep()) continue;
    const bool for_hydra = override.key.starts_with("hydra/");
    const bool group = source.has_group(override.key) && !override.single().is_map();
    if (group && !for_hydra) {
      add_group_override(override);
    } else if (!for_hydra) {
      config_overrides_.push_back(override);
    }
  }
}

void GroupChoices::add_group_override(const Override& override) {
  const Value& value = override.single();
  const std::string key = override.key + (override.package ? "@" + *override.package : "");
  const auto refuse = [&](const char* what) {
    throw Error({.what = what, .where = fmt::format("override '{}'", override.line)});
  };
  if (override.kind == OverrideKind::kForce) {
    refuse("a group takes no ++: use group=option, or +group=option to add it");
  }
  if (override.kind == OverrideKind::kDelete) {
    if (!value.is_null() && value.text_if() == nullptr) refuse("the option is not a text");
    Deletion deletion{.option = std::nullopt, .line = override.line};
    if (value.text_if() != nullptr) deletion.option = *value.text_if();
    deletions_[key] = std::move(deletion);
    return;
  }
  if (value.text_if() == nullptr && !value.is_list()) {
    refuse("the option of a group must be a text or a list of texts");
  }
  Choice choice{.location = fmt::format("override '{}'", override.line), .from_command_line = true};
  if (value.is_list()) {
    choice.options = texts_of(value, override.line);
  } else {
    choice.option = *value.text_if();
  }
  if (override.kind == OverrideKind::kAdd) {
    additions_.push_back({.group = override.key,
                          .option = choice.option,
                          .options = choice.options,
                          .package = override.package,
                          .from_command_line = true,
                          .location = choice.location});
  } else {
    choices_[key] = std::move(choice);
  }
}

void GroupChoices::add_override(const DefaultElement& element) {
  choices_.try_emplace(
      element.override_key(),
      Choice{.option = element.option, .options = element.options, .location = element.location});
}

void GroupChoices::apply(DefaultElement& element) {
  if (!element.is_group()) return;
  const auto found = choices_.find(element.override_key());
  if (found == choices_.end()) return;
  element.option = found->second.option;
  element.options = found->second.options;
  element.location = found->second.location;
  found->second.used = true;
}

bool GroupChoices::is_deleted(const DefaultElement& element) {
  if (!element.is_group()) return false;
  const auto found = deletions_.find(element.override_key());
  if (found == deletions_.end()) return false;
  Deletion& deletion = found->second;
  if (deletion.option && deletion.option != element.name()) return false;
  deletion.used = true;
  return true;
}

void GroupChoices::remember(const DefaultElement& element) {
  if (!element.is_group()) return;
  const std::string key = element.override_key();
  const Value name = element.option ? Value(*element.option) : Value();
  const auto [known, is_new] = known_.emplace(key, name);
  if (!is_new && !(known->second == name)) {
    throw Error(
        {.what = fmt::format("the defaults lists choose different options for the group '{}'", key),
         .where = element.location,
         .hint = fmt::format("write 'override {}: …' for another choice", key)});
  }
  keys_of_group_[element.group_path()].insert(key);
}

void GroupChoices::resolve(DefaultElement& element) const {
  Value known{Value::Map{}};
  for (const auto& [key, name] : known_) known.set(key, name);
  const ConfigContext nothing;
  const std::string text = element.is_group() ? *element.option : element.config_path();
  try {
    const Value value = Resolver(known, nullptr, nothing).evaluate(text);
    (element.is_group() ? element.option.emplace() : element.path) = value.as_text();
  } catch (const Error& error) {
    throw error.located(element.location);
  }
}

void GroupChoices::require_all_used() const {
  for (const auto& [key, choice] : choices_) {
    if (choice.used) continue;
    const auto keys = keys_of_group_.find(key.substr(0, key.find('@')));
    throw Error(
        {.what = fmt::format("no defaults list has an entry '{}' to override", key),
         .where = choice.location,
         .expected = keys == keys_of_group_.end()
                         ? ""
                         : fmt::format("one of {}", fmt::join(keys->second, ", ")),
         .hint = choice.from_command_line ? fmt::format("+{}=… adds it", key) : std::string()});
  }
  for (const auto& [key, deletion] : deletions_) {
    if (deletion.used) continue;
    throw Error({.what = fmt::format("no defaults list has an entry '{}' to delete",
                                     deletion.option ? key + "=" + *deletion.option : key),
                 .where = fmt::format("override '{}'", deletion.line)});
  }
}

}  // namespace palimpsest::config
