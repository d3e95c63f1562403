#include "palimpsest/model/internal/target_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace palimpsest::model {
namespace {

bool ends_with_module(std::string_view module, std::string_view end) {
  return module.size() > end.size() && module.ends_with(end) &&
         module[module.size() - end.size() - 1] == '.';
}

std::optional<int64_t> layer_number(const std::string& digits) {
  int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, code] = std::from_chars(digits.data(), end, number);
  if (code != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace

std::string layer_expression(const std::string& name) {
  return fmt::format(R"(.*\.{}\.(\d+)\.)", name);
}

bool ModuleNames::contain(std::string_view module) const {
  if (expression) return expression->matches(module);
  return std::ranges::any_of(names, [&](const std::string& name) {
    return module == name || ends_with_module(module, name);
  });
}

bool TargetModules::is_in_layers(std::string_view module) const {
  static const ModuleRegex kAnyLayer(layer_expression("[^.]*"), "");
  std::optional<std::string> digits;
  if (layer_patterns.empty()) digits = kAnyLayer.first_group(module);
  for (const ModuleRegex& pattern : layer_patterns) {
    digits = pattern.first_group(module);
    if (digits) break;
  }
  const std::optional<int64_t> layer = digits ? layer_number(*digits) : std::nullopt;
  return layer && std::ranges::find(*layers, *layer) != layers->end();
}

bool TargetModules::contain(std::string_view module, bool is_head) const {
  if (excluded.contain(module)) return false;
  if (all_linear) return !is_head;
  if (modules && !modules->contain(module)) return false;
  // A module that is named in full is meant whatever its layer.
  if (modules && std::ranges::find(modules->names, module) != modules->names.end()) return true;
  return !layers || is_in_layers(module);
}

}  // namespace palimpsest::model
