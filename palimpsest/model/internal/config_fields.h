// Reading the keys of config.json by name, each with its range: every number that leaves this class
// can be used as a size. Keys that nobody asks for are ignored, as transformers ignores them. For
// source files only (shows nlohmann's types).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/internal/json.h"

namespace palimpsest::model {

class ConfigFields {
 public:
  static constexpr int64_t kMaxSize = (int64_t{1} << 31) - 1;
  static constexpr double kMaxNumber = 1e30;

  // `where` opens every message. The object must outlive this one. Throws Error unless it is an
  // object.
  ConfigFields(const Json& object, std::string where);

  // Whether the key is there, be it null.
  bool has(std::string_view key) const;
  // Nothing if the key is absent or null.
  const Json* find(std::string_view key) const;

  // An integer from 1 to `max`. Absent or null is an Error or gives the fallback.
  int64_t size(std::string_view key, int64_t max = kMaxSize) const;
  int64_t size_or(std::string_view key, int64_t fallback) const;
  // An integer of any sign that fits int64_t; nothing if absent or null.
  std::optional<int64_t> integer(std::string_view key) const;
  // A number in [1 / kMaxNumber, kMaxNumber], or up to a smaller `max`: a factor in float32.
  double positive(std::string_view key, double max = kMaxNumber) const;
  double positive_or(std::string_view key, double fallback) const;
  // null is false, as it is in Python.
  bool flag_or(std::string_view key, bool fallback) const;
  std::optional<std::string> text(std::string_view key) const;
  // `count` numbers, each as positive() takes them.
  std::vector<double> positives(std::string_view key, int64_t count) const;

  // "{where}: {key} {what}".
  [[noreturn]] void fail(std::string_view key, const std::string& what,
                         const std::string& hint = "") const;
  const std::string& where() const { return where_; }

 private:
  const Json& object_;
  std::string where_;
};

}  // namespace palimpsest::model
