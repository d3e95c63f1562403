#include "palimpsest/config/internal/sweep.h"

#include <gtest/gtest.h>

#include "tests/config/config_tree.h"
#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

TEST(SweepTest, PatternsLookAtTheOptions) {
  const ConfigTree tree({{"g/ab.yaml", ""}, {"g/ac.yaml", ""}, {"g/b.yaml", ""}});
  const auto jobs =
      expand_sweep({.folders = {tree.path()}}, parse_overrides({"g=glob(a*,exclude=*c)", "x=1,2"}));
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0][0].line, "g=ab");
  EXPECT_EQ(jobs[1][1].line, "x=2");
}

TEST(SweepTest, TheNumberOfJobsIsBounded) {
  std::vector<std::string> lines;
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
    lines.push_back(std::string(key) + "=range(1000)");
  }
  expect_contains(error_of([&] { expand_sweep({}, parse_overrides(lines)); }),
                  "more than 10000 jobs");
}

TEST(SweepTest, HydraItselfIsNotSwept) {
  expect_contains(error_of([] { expand_sweep({}, parse_overrides({"hydra.job.name=a,b"})); }),
                  "cannot be swept");
}

}  // namespace
}  // namespace palimpsest::config
