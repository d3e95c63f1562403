// Scores files (.csv): what attacks said about examples whose label is known, a row an example.
//
//   label,score[,prediction][,dataset][,generator][,attack][,target_id][,sensitive_attribute][,…]
//
// Label 1 is a positive (a member) and a higher score means more likely positive; labels may also be
// names of classes. Either scores or predictions may be absent. Rows that agree in the five columns
// of metadata, and in the further columns that the caller names, belong to one attack in one setting
// and are kept together; other columns are not read. Files are streamed: memory follows the labels,
// scores and predictions, 13 bytes a row, not the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

// The columns that say what a row is about, in the order of TAPAS' tables.
inline constexpr std::string_view kMetadataColumns[] = {"dataset", "target_id", "generator",
                                                        "attack", "sensitive_attribute"};

// One file. Rows of a run's file get its name in the column "run", so that runs stay apart.
struct ScoresInput {
  std::filesystem::path path;
  std::string run = {};
};

// The rows of one attack in one setting. labels, scores and predictions are of one length, or empty
// where the file has no such column; labels and predictions are numbers of ScoresTable::classes.
struct AttackRows {
  std::vector<std::string> values;  // one a column of the table
  std::vector<int32_t> labels;
  std::vector<double> scores;  // finite
  std::vector<int32_t> predictions;
};

// A label or prediction that occurs.
struct ScoreClass {
  std::string name;   // "1" also for 1.0, True and true, as Python writes it; "0" likewise
  std::string where;  // "scores.csv:17": where it stands first
};

struct ScoresTable {
  std::vector<std::string> columns;  // metadata that some file has, "run", then those asked for
  std::vector<ScoreClass> classes;   // the different labels, in order of appearance
  std::vector<AttackRows> attacks;   // in order of appearance

  // The number of a column; nullopt where there is none.
  std::optional<size_t> column(std::string_view name) const;
};

// Rows of different files that agree in all columns are put together. `further` names the columns
// that tell attacks apart beside the metadata. Throws Error with file and line for a file without
// labels, without scores and predictions, without rows or without one of the further columns; for a
// missing label or prediction, a score that is no finite number, a row of another length, and for
// more settings or classes than make sense.
ScoresTable read_scores(std::span<const ScoresInput> inputs,
                        const std::vector<std::string>& further = {});

// More settings than this are a mistake: a column of numbers or names of single examples.
inline constexpr size_t kMaxAttackRows = 20'000;
inline constexpr size_t kMaxClasses = 10'000;

}  // namespace palimpsest
