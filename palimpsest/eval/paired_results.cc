#include "palimpsest/eval/internal/paired_results.h"

#include <fmt/format.h>

#include "palimpsest/base/error.h"

namespace palimpsest::eval {

PairedResults paired_results(const MetricInput& input, std::string_view correct,
                             std::string_view wrong) {
  const PairedResults pair{&input.computed(correct), &input.computed(wrong)};
  const auto& a = pair.correct->value_by_index;
  const auto& b = pair.wrong->value_by_index;
  const auto fail = [&](const std::string& what) {
    throw Error({.what = what,
                 .where = input.setting.name,
                 .hint = fmt::format("'{}' and '{}' must be computed over the same examples",
                                     correct, wrong)});
  };
  if (a.size() != b.size()) {
    fail(fmt::format("'{}' has {} examples, '{}' {}", correct, a.size(), wrong, b.size()));
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].index != b[i].index) {
      fail(fmt::format("'{}' has the example {} where '{}' has {}", correct, a[i].index, wrong,
                       b[i].index));
    }
  }
  return pair;
}

}  // namespace palimpsest::eval
