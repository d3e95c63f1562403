#include "palimpsest/report/scores_file.h"

#include <gtest/gtest.h>

#include "tests/report/score_rows.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {
namespace {

using Strings = std::vector<std::string>;

class ScoresFileTest : public testing::Test {
 protected:
  ScoresTable read(const std::string& text, const Strings& further = {}) {
    const ScoresInput input{folder_.write("scores.csv", text)};
    return read_scores({&input, 1}, further);
  }
  // The message without the folder.
  std::string refused(const std::string& text, const Strings& further = {}) {
    std::string message = error_of([&] { read(text, further); });
    const std::string folder = folder_.path().string() + "/";
    const size_t begin = message.find(folder);
    return begin == std::string::npos ? message : message.erase(begin, folder.size());
  }

  TempFolder folder_;
};

TEST_F(ScoresFileTest, RowsOfOneSettingBelongTogether) {
  const ScoresTable table = read(
      "label,score,attack,index,prediction,dataset\n"
      "1,0.5,loss,0,1,d\n"
      "0,-2e3,zlib,0,1,d\n"
      "0,3,loss,1,0,d\n");
  EXPECT_EQ(table.columns, (Strings{"dataset", "attack"}));
  ASSERT_EQ(table.attacks.size(), 2U);
  const AttackRows& loss = table.attacks[0];
  EXPECT_EQ(loss.values, (Strings{"d", "loss"}));
  EXPECT_EQ(loss.scores, (std::vector<double>{0.5, 3}));
  EXPECT_EQ(table.classes[static_cast<size_t>(loss.labels[0])].name, "1");
  EXPECT_EQ(loss.labels, loss.predictions);
  EXPECT_EQ(table.attacks[1].scores, std::vector<double>{-2000});
  EXPECT_EQ(table.column("attack"), 1U);
  EXPECT_EQ(table.column("index"), std::nullopt);
}

TEST_F(ScoresFileTest, FurtherColumnsSplitWhereAskedFor) {
  const std::string text = "label,score,length\n1,1,short\n0,0,long\n1,2,short\n";
  EXPECT_EQ(read(text).attacks.size(), 1U);
  const ScoresTable split = read(text, {"length"});
  ASSERT_EQ(split.attacks.size(), 2U);
  EXPECT_EQ(split.attacks[0].values, Strings{"short"});
  EXPECT_EQ(split.attacks[0].labels.size(), 2U);
}

TEST_F(ScoresFileTest, PythonsSpellingsOfTheLabels) {
  const ScoresTable table = read("label,score\nTrue,1\n1.0,1\n1,1\ntrue,1\nFalse,0\n0.0,0\n");
  ASSERT_EQ(table.classes.size(), 2U);
  EXPECT_EQ(table.attacks[0].labels, (std::vector<int32_t>{0, 0, 0, 0, 1, 1}));
}

TEST_F(ScoresFileTest, FilesOfOneSettingAddUpAndRunsStayApart) {
  const ScoresInput inputs[] = {{folder_.write("a.csv", "label,score\n1,1\n")},
                                {folder_.write("b.csv", "score,label\n0,0\n")}};
  EXPECT_EQ(read_scores(inputs).attacks.size(), 1U);
  const ScoresInput runs[] = {{inputs[0].path, "first"}, {inputs[1].path, "second"}};
  const ScoresTable table = read_scores(runs);
  EXPECT_EQ(table.columns, Strings{"run"});
  ASSERT_EQ(table.attacks.size(), 2U);
  EXPECT_EQ(table.attacks[1].values, Strings{"second"});
}

TEST_F(ScoresFileTest, QuotedCellsAndByteOrderMarks) {
  const ScoresTable table =
      read("\xEF\xBB\xBFlabel,score,attack\r\n1,1,\"a,\"\"b\"\"\"\r\n\r\n0,2,\"a,\"\"b\"\"\"\r\n");
  ASSERT_EQ(table.attacks.size(), 1U);
  EXPECT_EQ(table.attacks[0].values[0], "a,\"b\"");
}

TEST_F(ScoresFileTest, RefusesWhatIsNoScoresFile) {
  expect_contains(refused(""), "scores.csv: the file is empty");
  EXPECT_EQ(refused("label,score\n"), "scores.csv: the file has a header line but no rows");
  expect_contains(refused("score,attack\n1,a\n"),
                  "scores.csv:1: there is no column 'label' (found the columns score, attack)");
  expect_contains(refused("label,attack\n1,a\n"),
                  "scores.csv:1: there is neither a column 'score' nor a column 'prediction'");
  EXPECT_EQ(refused("label,score,label\n1,1,1\n"), "scores.csv:1: the column 'label' occurs twice");
  EXPECT_EQ(refused("label,score\n1,1\n", {"author"}),
            "scores.csv:1: there is no column 'author' (found the columns label, score)");
}

TEST_F(ScoresFileTest, RefusesBadRowsWithTheirLine) {
  EXPECT_EQ(refused("label,score\n1,1\n,1\n"), "scores.csv:3: the label is missing");
  EXPECT_EQ(refused("label,prediction\n1,\n"), "scores.csv:2: the prediction is missing");
  EXPECT_EQ(refused("label,score\n1,1,1\n"),
            "scores.csv:2: the number of cells in the row differs from that of the header line "
            "(expected 2 cells, found 3)");
  for (const char* score : {"NaN", "nan", "inf", "-inf", "", "x", "1.5x", "1e999", " "}) {
    const std::string message = refused(fmt::format("label,score\n0,1\n1,{}\n", score));
    expect_contains(message, "scores.csv:3: the score is not a finite number");
    expect_contains(message, "leave out rows without a score");
  }
  expect_contains(refused("label,score\n1,\"1\n"), "a quote is not closed");
}

TEST_F(ScoresFileTest, AFileWithoutScoresDoesNotJoinOneWithThem) {
  const ScoresInput inputs[] = {{folder_.write("a.csv", "label,score\n1,1\n")},
                                {folder_.write("b.csv", "label,prediction\n0,0\n")}};
  expect_contains(error_of([&] { read_scores(inputs); }),
                  "b.csv:2: one attack has rows with and without scores or predictions");
}

TEST_F(ScoresFileTest, TooManySettingsOrClassesAreAMistake) {
  std::string settings = "label,score,attack\n";
  std::string classes = "label,prediction\n";
  for (size_t i = 0; i <= kMaxAttackRows; ++i) settings += fmt::format("1,1,{}\n", i);
  for (size_t i = 0; i <= kMaxClasses; ++i) classes += fmt::format("c{},1\n", i);
  expect_contains(refused(settings),
                  "scores.csv:20002: the rows fall into more than 20000 settings");
  expect_contains(refused(classes), "there are more than 10000 different labels");
}

}  // namespace
}  // namespace palimpsest::report
