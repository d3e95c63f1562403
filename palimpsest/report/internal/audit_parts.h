// What an audit says about both sets, from mia.json's object "audit" or from the report in memory.
#pragma once

#include <optional>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/internal/run_clusters.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// nullopt where the texts do not tell the sets apart, or nobody looked.
std::optional<SeparatingTexts> separating_texts(const Json& audit);
std::optional<SeparatingTexts> separating_texts(const attack::MiaReport& audit);

RunClusters clusters_of(const attack::MiaReport& audit);

}  // namespace palimpsest::report
