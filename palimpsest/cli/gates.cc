#include "palimpsest/cli/gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/exit_status.h"

namespace palimpsest::cli {
namespace {

void check_verdicts(const char* option, const std::vector<std::string>& names) {
  using attack::AnswerVerdict;
  for (const std::string& name : names) {
    if (attack::verdict_named(name)) continue;
    std::vector<std::string_view> known;
    for (const AnswerVerdict verdict :
         {AnswerVerdict::kRemembered, AnswerVerdict::kOverForgotten,
          AnswerVerdict::kDetectableWithinMargin, AnswerVerdict::kEquivalent,
          AnswerVerdict::kNotDecided, AnswerVerdict::kVoid}) {
      known.push_back(attack::name_of(verdict));
    }
    throw Error({.what = fmt::format("'{}' is not a verdict", name),
                 .where = option,
                 .expected = fmt::format("{}", fmt::join(known, ", "))});
  }
}

}  // namespace

void add_gate_options(Command& command, Gates& gates) {
  command
      .option("--fail-on", gates.fail_on,
              "Exit with status 3 if the verdict is one of these: remembered, over_forgotten, "
              "detectable_within_margin, equivalent, not_decided, void")
      .separated_by(',');
  command
      .option("--require", gates.require, "Exit with status 3 unless the verdict is one of these")
      .separated_by(',');
}

void check_gates(const Gates& gates) {
  check_verdicts("--fail-on", gates.fail_on);
  check_verdicts("--require", gates.require);
}

void refuse_without_answer(const Gates& gates, const std::string& input) {
  if (gates.fail_on.empty()) return;
  throw Error(
      {.what = fmt::format("there is no answer to judge in {}", input),
       .where = "--fail-on",
       .hint = "the first folder must be that of an audit, or of an evaluation with attacks"});
}

void pass_gates(const Gates& gates, const std::optional<attack::AnswerVerdict>& verdict,
                const std::string& subject) {
  const std::string name = verdict ? std::string(attack::name_of(*verdict)) : "";
  if (verdict && std::ranges::find(gates.fail_on, name) != gates.fail_on.end()) {
    throw ExitStatus(kGateStatus,
                     fmt::format("the verdict is {}, which --fail-on refuses; {}", name, subject));
  }
  if (gates.require.empty()) return;
  if (!verdict) {
    throw ExitStatus(kGateStatus, fmt::format("there is no answer, and --require asks for {}; {}",
                                              fmt::join(gates.require, " or "), subject));
  }
  if (std::ranges::find(gates.require, name) == gates.require.end()) {
    throw ExitStatus(kGateStatus, fmt::format("the verdict is {}, and --require asks for {}; {}",
                                              name, fmt::join(gates.require, " or "), subject));
  }
}

}  // namespace palimpsest::cli
