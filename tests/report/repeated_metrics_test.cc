#include "palimpsest/report/internal/repeated_metrics.h"

#include <gtest/gtest.h>

namespace palimpsest::report {
namespace {

TEST(RepeatedMetricsTest, OneNotePerPairOfRuns) {
  RepeatedMetrics repeated;
  repeated.begin_file("A_EVAL.json", "A");
  repeated.take("prob");
  repeated.take("loss");
  repeated.begin_file("B_EVAL.json", "B");
  repeated.leave_out("prob");
  repeated.leave_out("loss");
  repeated.take("own");
  repeated.begin_file("C_EVAL.json", "C");
  repeated.leave_out("own");
  EXPECT_EQ(repeated.notes(),
            (std::vector<std::string>{
                "A_EVAL.json and B_EVAL.json differ in prob, loss: the results of A_EVAL.json are "
                "shown; keep the two in folders of their own",
                "B_EVAL.json and C_EVAL.json differ in own: the results of B_EVAL.json are shown; "
                "keep the two in folders of their own"}));
}

TEST(RepeatedMetricsTest, ASummaryRepeatsItsLog) {
  RepeatedMetrics repeated;
  repeated.begin_file("A_EVAL.json", "A");
  repeated.take("prob");
  repeated.begin_file("A_SUMMARY.json", "A");
  repeated.leave_out("prob");
  EXPECT_TRUE(repeated.notes().empty());
  repeated.begin_file("B_EVAL.json", "B");
  repeated.leave_out("prob");
  repeated.begin_file("B_SUMMARY.json", "B");
  repeated.leave_out("prob");
  EXPECT_EQ(repeated.notes().size(), 1U);
}

}  // namespace
}  // namespace palimpsest::report
