#include "palimpsest/model/internal/adapter_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest::model {
namespace {

constexpr int64_t kMaxAdapterRank = int64_t{1} << 20;
constexpr int64_t kMaxLayer = int64_t{1} << 20;

// Fields that change what the adapted model computes unless they are absent, null, false or empty.
constexpr std::array kUnsupported = {
    "use_dora",   "modules_to_save",         "trainable_token_indices",
    "lora_bias",  "layer_replication",       "target_parameters",
    "use_qalora", "alora_invocation_tokens",
};

// Ways to initialise A and B that leave the base model as it is. Others (PiSSA, OLoRA, LoftQ,
// CorDA) take the first B A off the base weights, so that the adapter fits a base that is not
// stored.
constexpr std::array kPlainInits = {"gaussian", "eva", "orthogonal"};

const Json* find_set(const Json& config, std::string_view key) {
  const auto found = config.find(key);
  return found == config.end() || found->is_null() ? nullptr : &*found;
}

// In any case of letters, as PEFT takes it.
bool is_all_linear(std::string_view text) {
  constexpr std::string_view kAllLinear = "all-linear";
  return std::ranges::equal(text, kAllLinear, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

class Reader {
 public:
  Reader(const Json& config, const std::string& where, const std::string& merge_hint)
      : config_(config), where_(where), merge_hint_(merge_hint) {}

  AdapterConfig read() const {
    check_supported();
    AdapterConfig result;
    result.rank = static_cast<int64_t>(rank("r", require(config_, "r", where_)));
    result.alpha = number("lora_alpha", require(config_, "lora_alpha", where_));
    result.rslora = flag("use_rslora");
    result.ranks = pattern("rank_pattern", &Reader::rank);
    result.alphas = pattern("alpha_pattern", &Reader::number);
    result.targets = targets();
    result.base = text("base_model_name_or_path").value_or("");
    result.base_revision = text("revision");
    return result;
  }

 private:
  void check_supported() const {
    const Json& type = require(config_, "peft_type", where_);
    if (type != "LORA") refuse("peft_type", type);
    for (const char* key : kUnsupported) {
      const Json* value = find_set(config_, key);
      if (value == nullptr || *value == false || (value->is_structured() && value->empty()))
        continue;
      refuse(key, *value);
    }
    const Json* bias = find_set(config_, "bias");
    if (bias != nullptr && *bias != "none") refuse("bias", *bias);
    const Json* init = find_set(config_, "init_lora_weights");
    if (init != nullptr && !init->is_boolean() &&
        std::none_of(kPlainInits.begin(), kPlainInits.end(),
                     [&](const char* plain) { return *init == plain; })) {
      refuse("init_lora_weights", *init);
    }
  }

  [[noreturn]] void refuse(const char* key, const Json& value) const {
    throw Error({.what = fmt::format("adapters with {}: {} are not supported, only plain LoRA is",
                                     key, shown(value)),
                 .where = where_,
                 .hint = merge_hint_});
  }

  [[noreturn]] void malformed(const std::string& key, const char* expected,
                              const Json& found) const {
    throw Error({.what = fmt::format("'{}' is malformed", key),
                 .where = where_,
                 .expected = expected,
                 .found = shown(found)});
  }

  double number(const std::string& key, const Json& value) const {
    const double result = value.is_number() ? value.get<double>() : NAN;
    if (!std::isfinite(result)) malformed(key, "a number", value);
    return result;
  }

  double rank(const std::string& key, const Json& value) const {
    const bool whole = value.is_number_integer() && value >= 1 && value <= kMaxAdapterRank;
    if (!whole) malformed(key, "a whole number from 1", value);
    return value.get<double>();
  }

  bool flag(const char* key) const {
    const Json* value = find_set(config_, key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) malformed(key, "true or false", *value);
    return value->get<bool>();
  }

  std::optional<std::string> text(const char* key) const {
    const Json* value = find_set(config_, key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) malformed(key, "a text", *value);
    return value->get<std::string>();
  }

  ModulePattern pattern(const char* key,
                        double (Reader::*read_value)(const std::string&, const Json&) const) const {
    ModulePattern result;
    const Json* map = find_set(config_, key);
    if (map == nullptr) return result;
    if (!map->is_object()) malformed(key, "an object", *map);
    for (const auto& item : map->items()) {
      const std::string& module = item.key();
      const bool is_name = std::all_of(module.begin(), module.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '.' || c == '_' || c == '-';
      });
      if (!is_name || module.empty()) {
        throw Error(
            {.what = fmt::format("'{}' holds a regular expression, which is not supported", key),
             .where = where_,
             .expected = "names of modules",
             .found = shown(module),
             .hint = merge_hint_});
      }
      result.values.emplace_back(
          module, (this->*read_value)(fmt::format("{}.{}", key, module), item.value()));
    }
    return result;
  }

  // The texts of a list, or the one that stands there without a list; empty ones do not count.
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> result;
    const Json* value = find_set(config_, key);
    if (value == nullptr) return result;
    const Json list = value->is_array() ? *value : Json::array({*value});
    for (const Json& entry : list) {
      if (!entry.is_string()) malformed(key, "a text or a list of texts", *value);
      if (entry != "") result.push_back(entry.get<std::string>());
    }
    return result;
  }

  // Names, or a text that is an expression. Nothing where it is absent or empty.
  std::optional<ModuleNames> module_names(const char* key) const {
    ModuleNames result{.names = texts(key)};
    if (result.names.empty()) return std::nullopt;
    if (find_set(config_, key)->is_string()) {
      result.expression = ModuleRegex(result.names.front(), fmt::format("{}: {}", where_, key));
      result.names.clear();
    }
    return result;
  }

  std::vector<int64_t> layer_numbers(const Json& value) const {
    std::vector<int64_t> layers;
    const Json list = value.is_array() ? value : Json::array({value});
    for (const Json& layer : list) {
      const bool whole = layer.is_number_integer() && layer >= 0 && layer <= kMaxLayer;
      if (!whole) malformed("layers_to_transform", "the number of a layer, or a list", value);
      layers.push_back(layer.get<int64_t>());
    }
    return layers;
  }

  TargetModules targets() const {
    TargetModules result;
    result.excluded = module_names("exclude_modules").value_or(ModuleNames());
    const Json* modules = find_set(config_, "target_modules");
    const bool is_text = modules != nullptr && modules->is_string();
    result.all_linear = is_text && is_all_linear(modules->get_ref<const std::string&>());
    if (!result.all_linear) result.modules = module_names("target_modules");
    const Json* layers = find_set(config_, "layers_to_transform");
    if (layers != nullptr && !(layers->is_array() && layers->empty())) {
      if (is_text) {
        throw Error(
            {.what = "'layers_to_transform' cannot be combined with a 'target_modules' that is a "
                     "text",
             .where = where_,
             .expected = "a list of names",
             .found = shown(*modules)});
      }
      result.layers = layer_numbers(*layers);
    }
    for (const std::string& name : texts("layers_pattern")) {
      result.layer_patterns.emplace_back(layer_expression(name), where_ + ": layers_pattern");
    }
    return result;
  }

  const Json& config_;
  const std::string& where_;
  const std::string& merge_hint_;
};

}  // namespace

std::optional<double> ModulePattern::find(std::string_view module) const {
  for (const auto& [key, value] : values) {
    if (!module.ends_with(key)) continue;
    if (module.size() == key.size() || module[module.size() - key.size() - 1] == '.') return value;
  }
  return std::nullopt;
}

int64_t AdapterConfig::rank_of(std::string_view module) const {
  const std::optional<double> found = ranks.find(module);
  return found ? static_cast<int64_t>(*found) : rank;
}

double AdapterConfig::scale_of(std::string_view module) const {
  const auto r = static_cast<double>(rank_of(module));
  return alphas.find(module).value_or(alpha) / (rslora ? std::sqrt(r) : r);
}

AdapterConfig read_adapter_config(const std::string& json, const std::string& where,
                                  const std::string& merge_hint) {
  return Reader(parse_json(json, where), where, merge_hint).read();
}

}  // namespace palimpsest::model
