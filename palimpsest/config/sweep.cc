#include "palimpsest/config/internal/sweep.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/config_source.h"

namespace palimpsest::config {
namespace {

constexpr size_t kMaxJobs = 10'000;

bool matches_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

std::vector<Value> values_of(const ConfigSet& configs, const Override& override) {
  if (const auto* choice = std::get_if<ChoiceSweep>(&override.value)) return choice->values;
  if (const auto* value = std::get_if<Value>(&override.value)) return {*value};
  const auto& glob = std::get<GlobSweep>(override.value);
  std::vector<Value> values;
  for (const std::string& option : ConfigSource(configs.folders).options(override.key)) {
    if (matches_any(option, glob.include) && !matches_any(option, glob.exclude)) {
      values.emplace_back(option);
    }
  }
  return values;
}

// The alternatives that one override stands for.
std::vector<Override> alternatives(const ConfigSet& configs, const Override& override) {
  if (!override.is_sweep()) return {override};
  if (override.is_for_hydra()) {
    throw Error({.what = "settings of Hydra itself cannot be swept",
                 .where = fmt::format("override '{}'", override.line)});
  }
  std::vector<Override> result;
  for (Value& value : values_of(configs, override)) {
    Override single = override;
    single.line = fmt::format("{}={}", override.key_with_package(), override_text(value));
    single.value = std::move(value);
    result.push_back(std::move(single));
  }
  return result;
}

}  // namespace

std::vector<std::vector<Override>> expand_sweep(const ConfigSet& configs,
                                                const std::vector<Override>& overrides) {
  std::vector<std::pair<std::string, std::vector<Override>>> axes;
  for (const Override& override : overrides) {
    const std::string key = override.key_with_package();
    auto axis = std::ranges::find(axes, key, [](const auto& a) { return a.first; });
    if (axis == axes.end()) axis = axes.insert(axes.end(), {key, {}});
    axis->second = alternatives(configs, override);
  }
  std::vector<std::vector<Override>> jobs = {{}};
  for (const auto& [key, axis] : axes) {
    if (axis.size() > 1 && jobs.size() > kMaxJobs / axis.size()) {
      throw Error(fmt::format("the sweep has more than {} jobs", kMaxJobs));
    }
    std::vector<std::vector<Override>> longer;
    for (const std::vector<Override>& job : jobs) {
      for (const Override& alternative : axis) {
        longer.push_back(job);
        longer.back().push_back(alternative);
      }
    }
    jobs = std::move(longer);
  }
  return jobs;
}

}  // namespace palimpsest::config
