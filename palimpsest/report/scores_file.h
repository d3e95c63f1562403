// Scores files (.csv): the scores that attacks gave to examples whose label is known, one row per
// example.
//
//   label,score[,prediction][,dataset][,generator][,attack][,target_id][,sensitive_attribute][,…]
//
// Label 1 is a positive (a member) and a higher score means more likely positive; labels may also
// be names of classes. Either scores or predictions may be absent. Rows that agree in the five
// columns of metadata, and in the further columns that the caller names, belong to one attack in
// one setting and are kept together; other columns are not read. Files are streamed: only the
// labels, scores and predictions are kept in memory, 13 bytes per row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::report {

// The columns that say what a row is about, in the order of TAPAS' tables.
inline constexpr std::string_view kMetadataColumns[] = {"dataset", "target_id", "generator",
                                                        "attack", "sensitive_attribute"};

// One file. If `run` is set, the rows get it in the column "run", so that runs stay apart.
struct ScoresInput {
  std::filesystem::path path;
  std::string run = {};
};

// The rows of one attack in one setting. labels, scores and predictions have the same length, or
// are empty if the file has no such column. Labels and predictions are positions in
// ScoresTable::classes.
struct AttackRows {
  std::vector<std::string> values;  // one per column of the table
  std::vector<int32_t> labels;
  std::vector<double> scores;  // finite
  std::vector<int32_t> predictions;
};

// A distinct label or prediction of the files.
struct ScoreClass {
  std::string name;   // "1" also for 1.0, True and true, as Python writes it; "0" likewise
  std::string where;  // where it occurs first: "scores.csv:17"
};

struct ScoresTable {
  // Metadata columns that some file has, "run", then the requested ones.
  std::vector<std::string> columns;
  std::vector<ScoreClass> classes;  // the different labels, in order of appearance
  std::vector<AttackRows> attacks;  // in order of appearance

  // The number of a column; nullopt where there is none.
  std::optional<size_t> column(std::string_view name) const;
};

// Rows of different files that agree in all of these columns are combined. `further` names the
// columns that distinguish attacks in addition to the metadata. Throws Error with file and line for
// a file without labels, without scores and predictions, without rows or without one of the further
// columns; for a missing label or prediction, a score that is no finite number, a row of another
// length, and for more settings or classes than the limits below.
ScoresTable read_scores(std::span<const ScoresInput> inputs,
                        const std::vector<std::string>& further = {});

// More settings than this are taken for a mistake, such as a column that holds numbers or names of
// single examples.
inline constexpr size_t kMaxAttackRows = 20'000;
inline constexpr size_t kMaxClasses = 10'000;

}  // namespace palimpsest::report
