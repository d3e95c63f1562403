// What an audit leaves on disk, in the formats of docs/formats.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia.h"

namespace palimpsest {

// How an audit was made: versions, files, options. Names and texts, in the caller's order.
using MiaRecord = std::vector<std::pair<std::string, std::string>>;

// Version 1 is that of Palimpsest 0.1, which stated none.
inline constexpr int64_t kMiaFileVersion = 2;

// mia.json: for each attack the AUC, its parameters and intervals, rates, groups and thresholds, and
// every example's score in open-unlearning's schema ("forget": {"agg_value": …, "value_by_index":
// {"0": {"score": …}}}); under the key "audit" what concerns all attacks together: the answer, the
// clusters and the record.
std::string mia_to_json(const MiaReport& report, const MiaRecord& record = {});

struct MiaFile {
  MiaReport report;
  MiaRecord record;
};

// The inverse: written again it gives the same bytes. What the file has no place for (the blind
// baseline's scores, counts of shared texts in the forget set) stays empty. nullopt where version 0.1
// wrote it, which kept less. Throws Error for a newer version, and for what is no such file.
std::optional<MiaFile> mia_from_json(const std::string& text, const std::string& where);

// scores.csv: label,score,attack,index, where it is known the model as `generator`, and a column for
// each way in which the report is split into groups. Label 1 is a forget example and a higher score
// means more likely a member, so scores are negated here, which leaves the AUC as it is. Undefined
// scores are left out.
std::string mia_to_csv(const MiaReport& report);

}  // namespace palimpsest
