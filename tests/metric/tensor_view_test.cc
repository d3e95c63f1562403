#include "palimpsest/metric/tensor_view.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(TensorViewTest, RowsAreTakenAlongTheLeadingAxisWithoutCopying) {
  const std::vector<float> values = {1.2F, 0.4F, 2.3F, 0.1F};
  const TensorView view({2, 2}, values);
  const TensorView row = view.row(1);
  EXPECT_EQ(row.shape(), (Shape{2}));
  EXPECT_EQ(std::get<std::span<const float>>(row.values()).data(), values.data() + 2);
  EXPECT_EQ(row.row(0).rank(), 0);
  EXPECT_EQ(row.row(0).size(), 1);
}

TEST(TensorViewTest, ALeadingAxisMakesABatchOfOne) {
  const Array matrix = Array::zeros({2, 3});
  const TensorView batch = TensorView(matrix).with_leading_axis();
  EXPECT_EQ(batch.shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(batch.row(0).shape(), (Shape{2, 3}));
}

TEST(TensorViewTest, RefusesAShapeThatDoesNotFitTheValues) {
  const std::vector<int32_t> values = {1, 2, 3};
  EXPECT_EQ(error_of([&] {
              TensorView({2, 2}, values);
            }),
            "a view's shape does not fit its values (expected 4 values for the shape [2, 2], found "
            "3)");
  EXPECT_NE(error_of([&] { TensorView({-3}, values); }), "");
  EXPECT_NE(error_of([&] { TensorView({int64_t{1} << 62, 8}, values); }), "");
}

TEST(TensorViewTest, RefusesMoreAxesThanItKeeps) {
  const std::vector<double> one = {1};
  const TensorView deepest(Shape(TensorView::kMaxRank, 1), one);
  EXPECT_EQ(deepest.rank(), TensorView::kMaxRank);
  EXPECT_NE(error_of([&] { TensorView(Shape(TensorView::kMaxRank + 1, 1), one); }), "");
  EXPECT_NE(error_of([&] { (void)deepest.with_leading_axis(); }), "");
}

TEST(TensorViewTest, AnEmptyAxisHasNoRows) {
  const std::vector<double> none;
  EXPECT_EQ(TensorView({0, 5}, none).size(), 0);
  EXPECT_THROW((void)TensorView({0, 5}, none).row(0), BugError);
}

}  // namespace
}  // namespace palimpsest::metric
