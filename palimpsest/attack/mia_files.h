// What an audit leaves on disk, in the formats of docs/formats.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia.h"

namespace palimpsest::attack {

// How an audit was made (versions, files, options), as pairs of name and text in the caller's
// order.
using MiaRecord = std::vector<std::pair<std::string, std::string>>;

// Files of version 1 were written by Palimpsest 0.1 and state no version.
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

// The inverse of mia_to_json(): writing the result again gives the same bytes. What the file does
// not store (the scores of the blind baseline, the counts of shared texts in the forget set) stays
// empty. Returns nullopt for a file of Palimpsest 0.1, which stored less. Throws Error for a newer
// version and for text that is not such a file.
std::optional<MiaFile> mia_from_json(const std::string& text, const std::string& where);

// scores.csv: the columns label, score, attack and index; the model as `generator`, if it is known;
// and one column for each way in which the report is split into groups. Label 1 is a forget example
// and a higher score means more likely a member, so scores are negated here, which leaves the AUC
// as it is. Undefined scores are left out. `safe` is for spreadsheets: an apostrophe is put before
// names that they would evaluate as formulas.
std::string mia_to_csv(const MiaReport& report, bool safe = false);

}  // namespace palimpsest::attack
