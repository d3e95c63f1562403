// Computes the results of an audit again from its traces, for verify.h.
#pragma once

#include <filesystem>

#include "palimpsest/evidence/provenance.h"
#include "palimpsest/evidence/verify.h"

namespace palimpsest::evidence {

// Adds what it finds to `check`: recomputed, failures and not_recomputed.
void recompute_audit(const std::filesystem::path& folder, const Provenance& provenance,
                     const VerifyContext& context, PackCheck& check);

}  // namespace palimpsest::evidence
