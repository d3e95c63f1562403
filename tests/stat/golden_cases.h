// Reading tests/golden/stat/*.json, which tools/golden/stat.py writes.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/stat/labelled_scores.h"
#include "tests/support/golden.h"

namespace palimpsest::stat {

// One list of a golden file: golden_cases("auc"), golden_cases("tapas", "reports").
inline Json golden_cases(const std::string& name, const std::string& list = "cases") {
  const std::string path = "stat/" + name + ".json";
  Json cases = require(read_golden(path), list, path);
  // A loop over them must test something.
  if (cases.empty()) throw Error({.what = "there are no golden cases", .where = path});
  return cases;
}

// The files write "inf", "-inf" and "nan" as strings.
inline double number(const Json& value) {
  if (!value.is_string()) return value.get<double>();
  const auto text = value.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw Error("'" + text + "' is no number");
}

inline std::vector<double> numbers(const Json& values) {
  std::vector<double> result;
  for (const Json& value : values) result.push_back(number(value));
  return result;
}

inline LabelledScores labelled(const Json& labels, const Json& scores) {
  return split_by_label(labels.get<std::vector<int>>(), scores.get<std::vector<double>>());
}

}  // namespace palimpsest::stat
