// The files that an audit writes. docs/formats.md describes their formats.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia.h"

namespace palimpsest::attack {

// How an audit was made (versions, files, options): pairs of a name and a text, in the caller's
// order.
using MiaRecord = std::vector<std::pair<std::string, std::string>>;

// The entry of a record which says that texts were left out of the results on request. The record
// also names traces. A program that reads such a record must not show the texts of these traces.
inline constexpr std::pair<std::string_view, std::string_view> kTextsLeftOut = {"left out",
                                                                                "texts"};
// Whether the record has this entry.
bool texts_are_left_out(const MiaRecord& record);

// Files of version 1 were written by Palimpsest 0.1; they have no version number.
inline constexpr int64_t kMiaFileVersion = 2;

// Writes mia.json. For each attack it has the AUC, parameters, intervals, rates, groups and
// thresholds, and every example's score in the format of open-unlearning ("forget": {"agg_value":
// …, "value_by_index": {"0": {"score": …}}}). The key "audit" holds the results about all attacks
// together: the answer, the red flags, the clusters and the record.
std::string mia_to_json(const MiaReport& report, const MiaRecord& record = {});

// Takes a text piece by piece. The files of a large audit are too large to be held in memory as a
// whole.
using TextSink = std::function<void(std::string_view piece)>;
void write_mia_json(const MiaReport& report, const MiaRecord& record, const TextSink& write);

struct MiaFile {
  MiaReport report;
  MiaRecord record;
};

// The inverse of mia_to_json(): writing the result again gives the same bytes. (A file of an
// earlier version that does not state `attack_name` gets it.) Parts that the file does not store
// stay empty (the scores of the blind baseline, the counts of shared texts in the forget set).
// Returns nullopt for a file of Palimpsest 0.1, which stored less. Throws Error for a file of a
// newer version and for a text that is not such a file; `where` names the file in messages.
std::optional<MiaFile> mia_from_json(const std::string& text, const std::string& where);

// Writes scores.csv with the columns label, score, attack and index, a column `generator` with the
// model if it is known, and one column per group key. Label 1 is a forget example. Scores are
// negated, so that a higher score means more likely a member; the AUC is unchanged. Undefined
// scores are left out. If `safe` is set, an apostrophe is put before names that a spreadsheet would
// evaluate as formulas.
std::string mia_to_csv(const MiaReport& report, bool safe = false);
void write_mia_csv(const MiaReport& report, bool safe, const TextSink& write);

}  // namespace palimpsest::attack
