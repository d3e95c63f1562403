#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/report/internal/figures/roc_figure.h"

namespace palimpsest::report {
namespace {

TEST(ThinPolylineTest, KeepsShortLinesWhole) {
  const std::vector<double> x = {0, 1, 2};
  EXPECT_EQ(thin_polyline(x, x, 3), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(thin_polyline({}, {}, 2), std::vector<size_t>());
}

TEST(ThinPolylineTest, KeepsCornersRatherThanStraightStretches) {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i <= 1000; ++i) {
    x.push_back(i);
    y.push_back(i < 300 ? 0 : i < 301 ? 500 : 1000);
  }
  const std::vector<size_t> kept = thin_polyline(x, y, 5);
  ASSERT_LE(kept.size(), 5U);
  for (size_t corner : {0, 299, 301, 1000})
    EXPECT_TRUE(std::find(kept.begin(), kept.end(), corner) != kept.end()) << corner;
}

TEST(ThinPolylineTest, AStraightLineNeedsItsEndsOnly) {
  std::vector<double> x(100'000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  const std::vector<double> flat(x.size(), 3);
  EXPECT_EQ(thin_polyline(x, flat, 50), (std::vector<size_t>{0, x.size() - 1}));
  EXPECT_EQ(thin_polyline(flat, flat, 50), (std::vector<size_t>{0, x.size() - 1}));
}

TEST(ThinPolylineTest, AMillionPointsGiveAsManyAsAllowed) {
  std::vector<double> x(1'000'000);
  std::vector<double> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(i) / static_cast<double>(x.size() - 1);
    y[i] = std::sqrt(x[i]);
  }
  const std::vector<size_t> kept = thin_polyline(x, y, 400);
  EXPECT_LE(kept.size(), 400U);
  EXPECT_GE(kept.size(), 100U);
  double farthest = 0;
  for (size_t k = 1; k < kept.size(); ++k) {
    const size_t middle = (kept[k - 1] + kept[k]) / 2;
    const double share = (x[middle] - x[kept[k - 1]]) / (x[kept[k]] - x[kept[k - 1]]);
    const double drawn = y[kept[k - 1]] + share * (y[kept[k]] - y[kept[k - 1]]);
    farthest = std::max(farthest, std::abs(drawn - y[middle]));
  }
  EXPECT_LT(farthest, 0.001);
}

}  // namespace
}  // namespace palimpsest::report
