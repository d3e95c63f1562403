// Reads the keys of config.json by name and checks their ranges, so that every number from this
// class can be used as a size. Keys that are not requested are ignored, as transformers does. This
// header is for source files only, because it uses nlohmann's types.
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

  // Every message begins with `where`. `object` must outlive this object. Throws Error unless it is
  // a JSON object.
  ConfigFields(const Json& object, std::string where);

  // Whether the key exists, even if it is null.
  bool has(std::string_view key) const;
  // Returns null if the key is absent or null.
  const Json* find(std::string_view key) const;

  // An integer from 1 to `max`. If the key is absent or null, size() throws Error and size_or()
  // returns the fallback.
  int64_t size(std::string_view key, int64_t max = kMaxSize) const;
  int64_t size_or(std::string_view key, int64_t fallback) const;
  // Any integer that fits into int64_t; nullopt if the key is absent or null.
  std::optional<int64_t> integer(std::string_view key) const;
  // A number in [1 / kMaxNumber, kMaxNumber], or up to a smaller `max`, so that it can be a factor
  // in float32.
  double positive(std::string_view key, double max = kMaxNumber) const;
  double positive_or(std::string_view key, double fallback) const;
  // null counts as false, as in Python.
  bool flag_or(std::string_view key, bool fallback) const;
  std::optional<std::string> text(std::string_view key) const;
  // A list of `count` numbers, each in the range of positive().
  std::vector<double> positives(std::string_view key, int64_t count) const;

  // Throws an Error with the message "{where}: {key} {what}".
  [[noreturn]] void fail(std::string_view key, const std::string& what,
                         const std::string& hint = "") const;
  const std::string& where() const { return where_; }

 private:
  const Json& object_;
  std::string where_;
};

}  // namespace palimpsest::model
