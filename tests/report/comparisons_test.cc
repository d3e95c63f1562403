#include "palimpsest/report/internal/report_figures.h"

#include <gtest/gtest.h>

#include "tests/report/figure_names.h"
#include "tests/report/score_rows.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

class ComparisonsTest : public testing::Test {
 protected:
  ComparisonsTest() {
    for (const char* generator : {"g1", "g2"}) {
      for (const char* attack : {"a1", "a2", "a3"}) {
        summaries_.push_back(summarize_attack(normal_rows(1, 20, 1, {generator, attack}),
                                              binary_classes(), {.metrics = metrics_}));
      }
    }
  }

  std::vector<std::string> columns_ = {"generator", "attack"};
  std::vector<size_t> metrics_ = select_summary_metrics("accuracy,auc");
  std::vector<AttackSummary> summaries_;
};

TEST_F(ComparisonsTest, OneFigureForEachFixedSetting) {
  const SummaryTable table{columns_, summaries_, metrics_};
  const std::vector<Figure> figures =
      comparison_figures(table, {"attack", {"generator"}, "generator"});
  EXPECT_EQ(names_of(figures),
            (std::vector<std::string>{"compare_attack_by_generator_generator=g1",
                                      "compare_attack_by_generator_generator=g2"}));
  EXPECT_EQ(figures[0].chart.title, "Comparison by attack (generator: g1)");
  ASSERT_EQ(figures[0].chart.panels.size(), 2U);
  EXPECT_EQ(figures[0].chart.panels[0].x.categories, (std::vector<std::string>{"a1", "a2", "a3"}));
}

TEST_F(ComparisonsTest, PublishesWhereThereIsSomethingToCompare) {
  const SummaryTable table{columns_, summaries_, metrics_};
  // Generators by attack and by target, attacks by generator; data sets and targets have no column.
  EXPECT_EQ(
      names_of(published_figures(table)),
      (std::vector<std::string>{
          "compare_generator_by_target_id_attack=a1", "compare_generator_by_target_id_attack=a2",
          "compare_generator_by_target_id_attack=a3", "compare_attack_by_target_id_generator=g1",
          "compare_attack_by_target_id_generator=g2", "compare_generator_by_attack"}));
  EXPECT_EQ(published_comparisons().size(), 6U);
}

TEST_F(ComparisonsTest, RunsAreTheColoursWhereNobodyNamesTargets) {
  const std::vector<std::string> columns = {"run", "attack"};
  const SummaryTable table{columns, summaries_, metrics_};
  EXPECT_EQ(names_of(published_figures(table)), std::vector<std::string>{"compare_attack_by_run"});
}

TEST_F(ComparisonsTest, AColumnMustBeThere) {
  const SummaryTable table{columns_, summaries_, metrics_};
  table.require_column("attack", "--compare");
  EXPECT_EQ(error_of([&] { table.require_column("author", "--fix"); }),
            "--fix: there is no column 'author' (found the columns generator, attack)");
}

}  // namespace
}  // namespace palimpsest::report
