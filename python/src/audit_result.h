// The result of an audit as the extension module hands it to Python: the Audit itself, and what its
// evidence pack says about where it comes from.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "palimpsest/audit/audit.h"
#include "palimpsest/evidence/provenance.h"

namespace palimpsest::python {

struct AuditResult {
  audit::AuditSpec spec;  // what was asked for
  // Attacks of the caller are not kept: a function may refer to this result, and Python could not
  // free the two.
  bool has_own_attacks = false;
  int threads = 0;
  audit::Audit value;
  evidence::Provenance provenance;  // without the files of the results
};

// Names of the roles of models in Python.
inline constexpr std::pair<const char*, audit::ModelRole> kRoles[] = {
    {"audited", audit::ModelRole::kAudited},
    {"reference", audit::ModelRole::kReference},
    {"baseline", audit::ModelRole::kBaseline}};

// Adds the class to the module.
void add_audit_result(nanobind::module_& module);

}  // namespace palimpsest::python
