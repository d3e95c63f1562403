#include "palimpsest/model/internal/rotary_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/error.h"

namespace palimpsest::model {
namespace {

// The object that describes the scaling; nothing: none is given.
std::optional<ConfigFields> scaling_fields(const ConfigFields& config) {
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const Json* value = config.find(key);
    if (value == nullptr) continue;
    ConfigFields fields(*value, config.where() + ": " + key);
    if (fields.find("full_attention") != nullptr || fields.find("sliding_attention") != nullptr) {
      config.fail(key, "differs between kinds of layers, which is not supported");
    }
    return fields;
  }
  return std::nullopt;
}

// The value under `outer` of config.json or `inner` of the scaling, which goes first: it is what
// newer files hold.
double stated(const ConfigFields& config, const std::optional<ConfigFields>& scaling,
              const char* outer, const char* inner, double fallback) {
  if (scaling && scaling->find(inner) != nullptr) return scaling->positive(inner);
  return config.positive_or(outer, fallback);
}

int64_t rotary_dims(const ConfigFields& config, int64_t head_dim, double share,
                    const RotaryDefaults& defaults) {
  if (share > 1 || (share < 1 && !defaults.partial)) {
    config.fail(defaults.share_key,
                fmt::format("is {}, which is not supported for this family", share));
  }
  const auto dims = static_cast<int64_t>(static_cast<double>(head_dim) * share);
  if (dims < 2 || dims % 2 != 0) {
    throw Error({.what = fmt::format("{} numbers of a head would be rotated", dims),
                 .where = config.where(),
                 .expected = "an even number of them, at least 2",
                 .hint = fmt::format("check head_dim and {}", defaults.share_key)});
  }
  return dims;
}

// Where the values of a scaling stand.
struct Scope {
  const ConfigFields& config;
  const ConfigFields& fields;  // of the scaling
  int64_t max_positions;
  const RotaryDefaults& defaults;
};

// Beyond this a factor means a broken file; within, float32 holds every product.
constexpr double kMaxFactor = 1e6;

void read_nothing(const Scope&, Rotary&) {}

void read_linear(const Scope& scope, Rotary& rotary) {
  rotary.factor = scope.fields.positive("factor", kMaxFactor);
}

void read_dynamic(const Scope& scope, Rotary& rotary) {
  rotary.factor = scope.fields.positive("factor", kMaxFactor);
  rotary.original_max_positions = scope.max_positions;
  if (rotary.dims == 2) scope.fields.fail("rope_type", "dynamic needs more than 2 rotated numbers");
}

void read_llama3(const Scope& scope, Rotary& rotary) {
  rotary.factor = scope.fields.positive("factor", kMaxFactor);
  rotary.low_freq_factor = scope.fields.positive("low_freq_factor", kMaxFactor);
  rotary.high_freq_factor = scope.fields.positive("high_freq_factor", kMaxFactor);
  rotary.original_max_positions = scope.fields.size("original_max_position_embeddings");
  if (rotary.high_freq_factor <= rotary.low_freq_factor) {
    scope.fields.fail("high_freq_factor", "is not greater than low_freq_factor");
  }
}

void read_longrope(const Scope& scope, Rotary& rotary) {
  const ConfigFields& fields = scope.fields;
  for (const char* key : {"short_mscale", "long_mscale"}) {
    if (fields.find(key) != nullptr) fields.fail(key, "is not supported");
  }
  rotary.short_factor = fields.positives("short_factor", rotary.dims / 2);
  rotary.long_factor = fields.positives("long_factor", rotary.dims / 2);
  constexpr const char* kOriginal = "original_max_position_embeddings";
  std::optional<int64_t> original = scope.defaults.original_max_positions;
  for (const ConfigFields* level : {&fields, &scope.config}) {
    if (level->find(kOriginal) != nullptr) original = level->size(kOriginal);
  }
  rotary.original_max_positions = original.value_or(scope.max_positions);
  const auto trained = static_cast<double>(rotary.original_max_positions);
  const double stretch = original ? static_cast<double>(scope.max_positions) / trained
                                  : fields.positive_or("factor", 1);
  const double usual = stretch <= 1 ? 1 : std::sqrt(1 + std::log(stretch) / std::log(trained));
  rotary.attention_factor = fields.positive_or("attention_factor", usual);
  if (!std::isfinite(rotary.attention_factor)) fields.fail(kOriginal, "is too small");
}

struct ScalingKind {
  std::string_view name;
  RopeScaling scaling;
  void (*read)(const Scope&, Rotary&);
};

constexpr ScalingKind kScalingKinds[] = {
    {"default", RopeScaling::kNone, read_nothing},
    {"linear", RopeScaling::kLinear, read_linear},
    {"dynamic", RopeScaling::kDynamic, read_dynamic},
    {"llama3", RopeScaling::kLlama3, read_llama3},
    {"longrope", RopeScaling::kLongRope, read_longrope},
};

const ScalingKind& find_kind(const ConfigFields& fields, const RotaryDefaults& defaults) {
  // "type" is the older spelling; transformers lets it win.
  const char* key = fields.find("type") != nullptr ? "type" : "rope_type";
  std::string name = fields.text(key).value_or("default");
  if (name == "su" || (name == "yarn" && defaults.yarn_is_longrope)) name = "longrope";
  std::vector<std::string_view> known;
  for (const ScalingKind& kind : kScalingKinds) {
    if (kind.name == name) return kind;
    known.push_back(kind.name);
  }
  throw Error({.what = fmt::format("the rope scaling '{}' is not supported", name),
               .where = fields.where(),
               .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

}  // namespace

Rotary read_rotary(const ConfigFields& config, int64_t head_dim, int64_t max_positions,
                   const RotaryDefaults& defaults) {
  const std::optional<ConfigFields> fields = scaling_fields(config);
  const double share =
      stated(config, fields, defaults.share_key, "partial_rotary_factor", defaults.share);
  Rotary rotary{.dims = rotary_dims(config, head_dim, share, defaults),
                .theta = stated(config, fields, defaults.theta_key, "rope_theta", defaults.theta)};
  if (!fields) return rotary;
  const ScalingKind& kind = find_kind(*fields, defaults);
  rotary.scaling = kind.scaling;
  kind.read({config, *fields, max_positions, defaults}, rotary);
  return rotary;
}

std::optional<int64_t> longest_sequence(const Rotary& rotary, int64_t max_positions) {
  if (rotary.scaling == RopeScaling::kDynamic) return std::nullopt;
  if (rotary.scaling != RopeScaling::kLinear) return max_positions;
  const double stretched = static_cast<double>(max_positions) * rotary.factor;
  if (stretched >= static_cast<double>(ConfigFields::kMaxSize)) return ConfigFields::kMaxSize;
  return std::max(int64_t{1}, static_cast<int64_t>(stretched));
}

}  // namespace palimpsest::model
