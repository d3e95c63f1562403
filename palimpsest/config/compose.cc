#include "palimpsest/config/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/config_source.h"
#include "palimpsest/config/internal/defaults_list.h"
#include "palimpsest/config/internal/expression.h"
#include "palimpsest/config/internal/merge.h"
#include "palimpsest/config/internal/resolver.h"

namespace palimpsest::config {
namespace {

void refuse_sweep(const Override& override) {
  const auto* choice = std::get_if<ChoiceSweep>(&override.value);
  throw Error({.what = "the override has several values",
               .where = fmt::format("override '{}'", override.line),
               .hint = choice != nullptr && choice->simple
                           ? "write key=[a,b] for a list, key='a,b' for a text, or add --multirun"
                           : "add --multirun"});
}

// hydra.searchpath of the command line or of the primary config: more folders.
void add_search_path(ConfigSource& source, const std::string& config_name,
                     const std::vector<Override>& overrides) {
  const Value* paths = nullptr;
  for (const Override& override : overrides) {
    if (override.key == "hydra.searchpath" && !override.is_sweep()) paths = &override.single();
  }
  const ConfigFile* primary = source.load(config_name);
  if (paths == nullptr && primary != nullptr && primary->content.is_map()) {
    const Value* hydra = primary->content.find("hydra");
    paths = hydra != nullptr && hydra->is_map() ? hydra->find("searchpath") : nullptr;
  }
  if (paths == nullptr || paths->is_null()) return;
  for (const Value& path : paths->as_list()) {
    constexpr std::string_view kScheme = "file://";
    const std::string& text = path.as_text();
    if (text.starts_with(kScheme)) {
      source.add_folder(text.substr(kScheme.size()));
    } else if (text.find("://") == std::string::npos) {
      source.add_folder(text);
    }
  }
}

Value merge_parts(ConfigSource& source, const std::vector<ConfigPart>& parts,
                  const ConfigContext& context) {
  constexpr int64_t kMaxValues = 1'000'000;
  Value config{Value::Map{}};
  int64_t values = 0;
  for (const ConfigPart& part : parts) {
    const ConfigFile* file = source.load(part.config);
    PALIMPSEST_CHECK(file != nullptr);
    values += file->values;
    if (values > kMaxValues) {
      throw Error({.what = fmt::format("the configs have more than {} values together", kMaxValues),
                   .where = file->path.string()});
    }
    merge(config, embed(file->content, part.package), context);
  }
  return config;
}

// The container of the last key of a path and that key.
void delete_key(Value& config, const Override& override, const ConfigContext& context) {
  Resolver resolver(config, nullptr, context);
  const std::optional<Value> value = resolver.select(override.key);
  if (!value) throw Error(fmt::format("there is nothing at '{}' to delete", override.key));
  if (!override.single().is_null() && !(override.single() == *value)) {
    throw Error(fmt::format("'{}' has another value and is not deleted", override.key));
  }
  const size_t dot = override.key.rfind('.');
  const std::string above = dot == std::string::npos ? "" : override.key.substr(0, dot);
  const Value* container = resolver.locate(above);
  const std::string key = override.key.substr(dot == std::string::npos ? 0 : dot + 1);
  // The resolver looked at our own tree, which we may change.
  if (container == nullptr || !container->is_map() || !const_cast<Value*>(container)->erase(key)) {
    throw Error(fmt::format("'{}' is not a key of a map and cannot be deleted", override.key));
  }
}

void apply_override(Value& config, const Override& override, const ConfigContext& context) {
  if (override.package) {
    throw Error(fmt::format("there is no group '{}'", override.key));
  }
  const Value& value = override.single();
  check_interpolations(value);
  NewKeys new_keys = NewKeys::kAdd;
  if (override.kind == OverrideKind::kDelete) return delete_key(config, override, context);
  if (override.kind == OverrideKind::kAdd && !value.is_container() &&
      Resolver(config, nullptr, context).select(override.key)) {
    throw Error({.what = fmt::format("'{}' already exists", override.key),
                 .hint = "leave the + out to change it"});
  }
  if (override.kind == OverrideKind::kChange && !override.is_for_hydra()) {
    new_keys = NewKeys::kRefuse;
  }
  update(config, {.path = override.key, .value = value, .new_keys = new_keys}, context);
}

void apply_overrides(Value& config, const std::vector<Override>& overrides,
                     const ConfigContext& context) {
  for (const Override& override : overrides) {
    try {
      apply_override(config, override, context);
    } catch (const Error& error) {
      throw error.located(fmt::format("override '{}'", override.line));
    }
  }
}

// The overrides as Hydra names folders after them: a=1,b=2.
std::string override_folder(const std::vector<Override>& overrides) {
  std::vector<std::string> lines;
  for (const Override& override : overrides) {
    if (!override.is_for_hydra()) lines.push_back(override.line);
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : ",") + line;
  return text;
}

// What Hydra would know of the job, as far as it is known.
Value hydra_facts(const ConfigSet& configs, const std::vector<Override>& overrides,
                  const std::map<std::string, Value>& choices) {
  Value facts{Value::Map{}};
  Value chosen{Value::Map{}};
  for (const auto& [group, option] : choices) chosen.set(group, option);
  facts.set("runtime", Value(Value::Map{{"choices", std::move(chosen)}}));
  facts.set("job", Value(Value::Map{{"config_name", Value(configs.config_name)},
                                    {"override_dirname", Value(override_folder(overrides))}}));
  Value::List task;
  for (const Override& override : overrides) {
    if (!override.is_for_hydra()) task.emplace_back(override.line);
  }
  facts.set("overrides", Value(Value::Map{{"task", Value(std::move(task))}}));
  return facts;
}

}  // namespace

std::vector<Override> parse_overrides(const std::vector<std::string>& lines) {
  std::vector<Override> overrides;
  for (const std::string& line : lines) overrides.push_back(parse_override(line));
  return overrides;
}

Composition compose(const ConfigSet& configs, const std::vector<Override>& overrides,
                    const ConfigContext& context) {
  for (const Override& override : overrides) {
    if (override.is_sweep()) refuse_sweep(override);
  }
  ConfigSource source(configs.folders);
  add_search_path(source, configs.config_name, overrides);
  const DefaultsList defaults = make_defaults_list(source, configs.config_name, overrides);
  Composition result;
  result.config = merge_parts(source, defaults.parts, context);
  apply_overrides(result.config, defaults.config_overrides, context);

  result.hydra = context.hydra;
  if (const Value* hydra = result.config.find("hydra"); hydra != nullptr && hydra->is_map()) {
    merge(result.hydra, *hydra, context);
  }
  result.config.erase("hydra");
  merge(result.hydra, hydra_facts(configs, overrides, defaults.choices), context);
  result.config.set_keys("");
  result.hydra.set_keys("hydra");
  return result;
}

Value resolve(const Composition& composition, const ConfigContext& context, OnFailure on_failure) {
  Value whole = composition.config;
  whole.set("hydra", composition.hydra);
  return Resolver(composition.config, &whole, context).resolve(on_failure);
}

}  // namespace palimpsest::config
