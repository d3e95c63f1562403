#include "palimpsest/report/strongest.h"

#include <gtest/gtest.h>

namespace palimpsest {
namespace {

using Aucs = std::vector<std::optional<double>>;

TEST(StrongestTest, TheHighestIsTheFirstOfEquals) {
  EXPECT_EQ(highest_auc(Aucs{std::nullopt, 0.2, 0.7, 0.7, 0.1}), 2U);
  EXPECT_EQ(highest_auc(Aucs{std::nullopt}), std::nullopt);
  EXPECT_EQ(highest_auc(Aucs{}), std::nullopt);
}

TEST(StrongestTest, TheFarthestFromGuessingMayBeLow) {
  EXPECT_EQ(farthest_from_guessing(Aucs{0.5, 0.1, std::nullopt, 0.75, 0.25}),
            (std::vector<size_t>{1, 3, 4, 0}));
}

}  // namespace
}  // namespace palimpsest
