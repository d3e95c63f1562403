// Reads scores files (.csv): the scores that attacks gave to examples whose labels are known, one
// row per example.
//
//   label,score[,prediction][,dataset][,generator][,attack][,target_id][,sensitive_attribute][,…]
//
// Label 1 is positive (a member), and a higher score means more likely positive. Labels may also be
// names of classes. Either scores or predictions may be absent. Rows that agree in the five
// metadata columns, and in the further columns that the caller names, belong to one attack in one
// setting and are kept together. Other columns are not read. Files are streamed: only labels,
// scores and predictions are kept in memory, in at most 16 bytes per row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::report {

// The columns that describe a row, in the order of TAPAS' tables.
inline constexpr std::string_view kMetadataColumns[] = {"dataset", "target_id", "generator",
                                                        "attack", "sensitive_attribute"};

// One file. If `run` is set, its rows get this value in the column "run", so that runs are
// distinguished.
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
  std::string name;   // "1" for 1, 1.0, True and true; "0" for 0, 0.0, False and false
  std::string where;  // the first occurrence: "scores.csv:17"
};

struct ScoresTable {
  // The metadata columns that some file has, then "run", then the requested columns.
  std::vector<std::string> columns;
  std::vector<ScoreClass> classes;  // the distinct labels, in the order of appearance
  std::vector<AttackRows> attacks;  // in the order of appearance

  // The position of a column; nullopt if there is no such column.
  std::optional<size_t> column(std::string_view name) const;
};

// Reads the files. Rows of different files that agree in all of the columns are combined. `further`
// names columns that distinguish attacks in addition to the metadata. Throws Error in these cases;
// the message has the file and line:
// - The file has no labels, neither scores nor predictions, no rows, or lacks a further column.
// - A label or prediction is missing, a score is not a finite number, or a row has a different
// number of cells.
// - There are more settings or classes than the limits below.
ScoresTable read_scores(std::span<const ScoresInput> inputs,
                        const std::vector<std::string>& further = {});

// More settings or classes than this are taken for a mistake, such as a column with numbers or with
// names of single examples.
inline constexpr size_t kMaxAttackRows = 20'000;
inline constexpr size_t kMaxClasses = 10'000;

}  // namespace palimpsest::report
