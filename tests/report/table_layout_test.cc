#include "palimpsest/report/internal/table_layout.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

ResultTable models() {
  return {.columns = {{"model"}, {"mia_loss"}, {"forget_quality"}, {"model_utility"}, {"verdict"}},
          .rows = {{name_cell("a"), number_cell(0.7, stat::Interval{0.6, 0.8}), number_cell(4.3e-8),
                    number_cell(0.5), name_cell("remembered")},
                   {name_cell("b"), number_cell(0.5, stat::Interval{0.4, 0.6}, true),
                    number_cell(1), number_cell(std::nullopt), name_cell("void")}},
          .json_members = {R"({"answer": 1})", R"({"answer": 2})"}};
}

TEST(TableLayoutTest, ColumnsAreChosenAndOrdered) {
  const ResultTable table = with_columns(models(), {"model_utility", "mia_loss"});
  EXPECT_EQ(table.heading(), (std::vector<std::string>{"model", "model_utility", "mia_loss"}));
  EXPECT_EQ(table.rows[1][2].value, 0.5);
  EXPECT_EQ(error_of([] { with_columns(models(), {"mia_los"}); }),
            "the table has no column 'mia_los' (expected some of mia_loss, forget_quality, "
            "model_utility, verdict)");
  expect_contains(error_of([] { with_columns(models(), {"verdict", "verdict"}); }), "named twice");
}

TEST(TableLayoutTest, PresetsTakeWhatThereIs) {
  const ResultTable table = with_preset(models(), "tofu");
  EXPECT_EQ(table.heading(),
            (std::vector<std::string>{"model", "Forget quality ↑", "Model utility ↑"}));
  expect_contains(error_of([] { with_preset(models(), "muse"); }),
                  "no run has a metric of the preset 'muse'");
  EXPECT_EQ(error_of([] { with_preset(models(), "rwku"); }),
            "there is no preset 'rwku' (expected tofu or muse)");
}

TEST(TableLayoutTest, ModelsAsColumns) {
  EXPECT_EQ(format_table(transposed(models()), TableFormat::kCsv),
            "metric,a,a_low,a_high,b,b_low,b_high,b_differs\n"
            "mia_loss,0.7,0.6,0.8,0.5,0.4,0.6,1\n"
            "forget_quality,4.3e-08,,,1,,,0\n"
            "model_utility,0.5,,,,,,0\n"
            "verdict,remembered,,,void,,,0\n");
  EXPECT_TRUE(transposed(models()).json_members.empty());
}

TEST(TableLayoutTest, IntervalsAndMarks) {
  EXPECT_TRUE(has_intervals(models()));
  EXPECT_TRUE(has_marks(models()));
  EXPECT_FALSE(has_intervals(without_intervals(models())));
  EXPECT_TRUE(has_marks(without_intervals(models())));
}

TEST(TableLayoutTest, BlocksFitIntoTheWidth) {
  const std::string text = format_blocks(models(), 40);
  EXPECT_EQ(text,
            "model              mia_loss\n"
            "-----  --------------------\n"
            "a       0.7 (0.600 … 0.800)\n"
            "b      0.5✱ (0.400 … 0.600)\n"
            "\n"
            "model  forget_quality  model_utility\n"
            "-----  --------------  -------------\n"
            "a             4.3e-08            0.5\n"
            "b                   1            n/a\n"
            "\n"
            "model  verdict\n"
            "-----  ----------\n"
            "a      remembered\n"
            "b      void\n");
  EXPECT_LE(widest_line(text), 40U);
  EXPECT_EQ(format_blocks(models(), 200), format_table(models(), TableFormat::kTable));
  // Every block says which row it is.
  const ResultTable two_names{
      .columns = {{"attack"}, {"run"}, {"auc"}, {"accuracy"}},
      .rows = {{name_cell("loss"), name_cell("a"), number_cell(0.5), number_cell(0.25)}}};
  EXPECT_EQ(format_blocks(two_names, 20),
            "attack  run  auc\n------  ---  ---\nloss    a    0.5\n\n"
            "attack  run  accuracy\n------  ---  --------\nloss    a        0.25\n");
  // One column that is too wide stands alone.
  EXPECT_GT(widest_line(format_blocks(models(), 10)), 10U);
}

}  // namespace
}  // namespace palimpsest::report
