#include "palimpsest/metric/internal/tokens.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kBatchTargets({2, 2}, {1, 0, 2, 1});
const Array kBatchLogits({2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});

struct Seen {
  int64_t example;
  int64_t position;
  int64_t target;
  double first_logit;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> visit(const Batch& batch, const TokenOptions& options) {
  std::vector<Seen> seen;
  Tokens(batch, options, TargetKind::kSequence).for_each([&](const Token& token) {
    const double first =
        std::visit([](auto row) { return static_cast<double>(row[0]); }, token.logits);
    seen.push_back({token.example, token.position, token.target, first});
  });
  return seen;
}

TEST(TokensTest, VisitsWhatIsNeitherMaskedNorDropped) {
  const Features examples = {{"y", kBatchTargets}};
  const Prediction predictions = TensorView(kBatchLogits);
  const Batch batch(examples, predictions);
  EXPECT_EQ(visit(batch, {.target_key = "y", .masked_target_values = {0}}),
            (std::vector<Seen>{{0, 0, 1, 0}, {1, 0, 2, 6}, {1, 1, 1, 9}}));
  EXPECT_EQ(visit(batch.only({0}), {.target_key = "y"}),
            (std::vector<Seen>{{0, 0, 1, 0}, {0, 1, 0, 3}}));
}

TEST(TokensTest, TheLogitsMaskIsAddedToEveryRow) {
  const Features examples = {{"y", kBatchTargets}};
  const TokenOptions options{.target_key = "y", .logits_mask = {0.5, 0, 0}};
  const std::vector<float> floats(kBatchLogits.values().begin(), kBatchLogits.values().end());
  const std::vector<int32_t> ints(kBatchLogits.values().begin(), kBatchLogits.values().end());
  for (const Prediction& predictions :
       {Prediction(kBatchLogits), Prediction(TensorView({2, 2, 3}, floats)),
        Prediction(TensorView({2, 2, 3}, ints))}) {
    EXPECT_EQ(visit(Batch(examples, predictions), options)[3], (Seen{1, 1, 1, 9.5}));
  }
}

TEST(TokensTest, IntegerLogitsAreNumbersToo) {
  const std::vector<int64_t> longs(kBatchLogits.values().begin(), kBatchLogits.values().end());
  const Features examples = {{"y", kBatchTargets}};
  const Prediction predictions = TensorView({2, 2, 3}, longs);
  EXPECT_EQ(visit(Batch(examples, predictions), {.target_key = "y"})[2], (Seen{1, 0, 2, 6}));
}

TEST(TokensTest, ATargetOutsideTheClassesIsRefusedUnlessItIsMasked) {
  const Array y({2, 2}, {1, 0, 2, -100});
  const Features examples = {{"y", y}};
  const Prediction predictions = TensorView(kBatchLogits);
  const Batch batch(examples, predictions);
  EXPECT_EQ(error_of([&] { visit(batch, {.target_key = "y"}); }),
            "example 1, position 1: the target -100 is not a class (expected 0 … 2); list targets "
            "that do not count in masked_target_values");
  EXPECT_EQ(visit(batch, {.target_key = "y", .masked_target_values = {-100}}).size(), 3U);
  const Array large({2, 2}, {1, 0, 3, 0});
  const Features outside = {{"y", large}};
  EXPECT_TRUE(error_of([&] {
                visit(Batch(outside, predictions), {.target_key = "y"});
              }).starts_with("example 1, position 0: the target 3 is not a class"));
}

TEST(TokensTest, TargetsLogitsAndMaskMustFitTogether) {
  const Features examples = {{"y", kBatchTargets}};
  const Array flat = Array::zeros({2, 3});
  const Prediction wrong = TensorView(flat);
  EXPECT_EQ(error_of([&] { visit(Batch(examples, wrong), {.target_key = "y"}); }),
            "the prediction does not fit the target 'y' (expected the shape [2, V], V >= 1, found "
            "the shape [3])");
  const Array empty = Array::zeros({2, 2, 0});
  const Prediction no_classes = TensorView(empty);
  EXPECT_NE(error_of([&] { visit(Batch(examples, no_classes), {.target_key = "y"}); }), "");
  const Prediction predictions = TensorView(kBatchLogits);
  EXPECT_EQ(error_of([&] {
              visit(Batch(examples, predictions), {.target_key = "y", .logits_mask = {0, 0}});
            }),
            "logits_mask does not have one value per class (expected 3, found 2)");
}

TEST(TokensTest, EmptySequencesHaveNoTokens) {
  const Array none = Array::zeros({2, 0});
  const Features examples = {{"y", none}};
  const Prediction predictions = TensorView(none);  // what JSON's [] gives
  EXPECT_TRUE(visit(Batch(examples, predictions), {.target_key = "y"}).empty());
}

TEST(TokensTest, MeansAreOverAllTokensOrAPosition) {
  const Features examples = {{"y", kBatchTargets}};
  const Prediction predictions = TensorView(kBatchLogits);
  const Batch batch(examples, predictions);
  const TokenOptions options{.target_key = "y", .masked_target_values = {0}};
  const auto target = [](const Token& token) { return token.target; };
  const stat::MeanStat all = Tokens(batch, options, TargetKind::kSequence).mean(false, target);
  EXPECT_EQ(all.accum(), Array(4));
  EXPECT_EQ(all.weight(), Array(3));
  const stat::MeanStat each = Tokens(batch, options, TargetKind::kSequence).mean(true, target);
  EXPECT_EQ(each.accum(), Array::vector({3, 1}));
  EXPECT_EQ(each.weight(), Array::vector({2, 1}));
}

}  // namespace
}  // namespace palimpsest::metric
