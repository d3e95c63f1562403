// The settings of an audit under the names of their options: "--margin", "0.05". A plan fixes them,
// the provenance of an audit records them, and `palimpsest verify` computes the results again with
// them. They are everything that the results depend on besides models, data and traces. What only
// changes the output, or the time that the audit takes, is not among them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/audit/audit.h"

namespace palimpsest::evidence {

// The value is written as on the command line: lists with commas, flags as "yes" and "no", absent
// texts and numbers as nullopt.
struct Setting {
  std::string option;
  std::optional<std::string> value;

  friend bool operator==(const Setting&, const Setting&) = default;
};
using Settings = std::vector<Setting>;

// All settings of an audit, always in the same order. How data are prepared is among them only if
// the audit runs models.
Settings settings_of(const audit::AuditSpec& spec);

// Sets the audit's settings. Throws Error for a setting that the audit does not have, and for a
// value that cannot be read.
void apply_settings(const Settings& settings, audit::AuditSpec& spec);

// Gives the audit the settings of a plan. `is_given` tells whether the user gave the option. An
// option that was given and differs from the plan is an Error that names the option and both
// values.
void follow(const Settings& planned, audit::AuditSpec& spec,
            const std::function<bool(const std::string&)>& is_given);

}  // namespace palimpsest::evidence
