#include "palimpsest/report/internal/chart/polyline.h"

#include <gtest/gtest.h>

#include <cmath>

namespace palimpsest::report {
namespace {

constexpr PlotFrame kFrame{0, 10, 0, 10};

TEST(PolylineTest, WhatLiesInsideIsKept) {
  EXPECT_EQ(clipped_path({{1, 1}, {2, 3}, {10, 10}}, kFrame), "M1,1 2,3 10,10");
  EXPECT_EQ(clipped_path({{5, 5}}, kFrame), "M5,5 5,5");
  EXPECT_EQ(clipped_path({}, kFrame), "");
}

TEST(PolylineTest, LinesEndAtTheEdgesAndComeBack) {
  EXPECT_EQ(clipped_path({{5, 5}, {15, 5}}, kFrame), "M5,5 10,5");
  EXPECT_EQ(clipped_path({{-5, -5}, {15, 15}}, kFrame), "M0,0 10,10");
  EXPECT_EQ(clipped_path({{5, 5}, {15, 5}, {15, 8}, {5, 8}}, kFrame), "M5,5 10,5M10,8 5,8");
  EXPECT_EQ(clipped_path({{11, 0}, {12, 10}}, kFrame), "");
}

TEST(PolylineTest, PointsThatAreNoNumbersEndAPart) {
  EXPECT_EQ(clipped_path({{1, 1}, {2, 2}, {NAN, 3}, {4, 4}, {5, 5}}, kFrame), "M1,1 2,2M4,4 5,5");
}

}  // namespace
}  // namespace palimpsest::report
