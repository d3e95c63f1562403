#include "palimpsest/attack/internal/example_scores.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

trace::Trace loss_trace(double loss) {
  return {.index = "0", .num_labels = 2, .given_avg_loss = loss};
}

// Compares the losses of two models, and says which example it is at.
Attack difference() {
  return {.name = "difference",
          .measures = "loss minus that of the reference model",
          .needs = {needs_loss()},
          .reference_needs = {needs_loss()},
          .compare = [](const trace::Trace& own, const trace::Trace& reference,
                        const ParameterValues&) -> std::optional<double> {
            return *trace::avg_loss(own) - *trace::avg_loss(reference);
          }};
}

ExampleTraces examples_of(const std::vector<trace::Trace>& own,
                          const std::vector<trace::Trace>& reference) {
  ExampleTraces examples{.where = [](size_t i) { return "example " + std::to_string(i); }};
  for (const trace::Trace& trace : own) examples.own.push_back(&trace);
  for (const trace::Trace& trace : reference) examples.reference.push_back(&trace);
  return examples;
}

TEST(ExampleScoresTest, EachExampleIsComparedWithItsOwnReference) {
  const std::vector<trace::Trace> own = {loss_trace(3), loss_trace(1), loss_trace(2)};
  const std::vector<trace::Trace> reference = {loss_trace(1), loss_trace(1), loss_trace(4)};
  WorkerPool pool(2);
  for (const bool any_thread : {false, true}) {
    Attack attack = difference();
    attack.any_thread = any_thread;
    const ExampleScores found = score_examples(attack, examples_of(own, reference), pool);
    EXPECT_EQ(found.scores, (ScoreColumn{2, 0, -2}));
    EXPECT_FALSE(found.unmet);
  }
}

TEST(ExampleScoresTest, AnAttackThatDoesNotAllowItIsNotCalledFromOtherThreads) {
  const std::vector<trace::Trace> own(20, loss_trace(3));
  Attack attack = difference();
  const std::thread::id asking = std::this_thread::get_id();
  attack.compare = [&](const trace::Trace&, const trace::Trace&,
                       const ParameterValues&) -> std::optional<double> {
    EXPECT_EQ(std::this_thread::get_id(), asking);
    return 0;
  };
  WorkerPool pool(4);
  EXPECT_EQ(score_examples(attack, examples_of(own, own), pool).scores.size(), 20U);
}

TEST(ExampleScoresTest, StopsBeforeTheFirstExampleThatLacksSomething) {
  const trace::Trace bare{.index = "0", .num_labels = 2};
  const std::vector<trace::Trace> whole = {loss_trace(3), loss_trace(1), loss_trace(2)};
  const std::vector<trace::Trace> lacking = {loss_trace(1), bare, bare};
  WorkerPool pool(1);
  const Attack attack = difference();
  ExampleScores found = score_examples(attack, examples_of(lacking, whole), pool);
  EXPECT_EQ(found.scores, (ScoreColumn{-2}));
  ASSERT_TRUE(found.unmet);
  EXPECT_EQ(found.unmet->example, 1U);
  EXPECT_EQ(found.unmet->need->name, needs_loss().name);
  EXPECT_FALSE(found.unmet->is_in_reference);
  found = score_examples(attack, examples_of(whole, lacking), pool);
  ASSERT_TRUE(found.unmet);
  EXPECT_EQ(found.unmet->example, 1U);
  EXPECT_TRUE(found.unmet->is_in_reference);
}

TEST(ExampleScoresTest, AScoreThatIsNotFiniteIsRefused) {
  const std::vector<trace::Trace> own = {loss_trace(3), loss_trace(1)};
  for (const double wrong :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Attack attack = difference();
    attack.compare = [&](const trace::Trace& trace, const trace::Trace&, const ParameterValues&) {
      return trace::avg_loss(trace) == 1 ? wrong : std::optional(0.0);
    };
    WorkerPool pool(1);
    EXPECT_EQ(error_of([&] { score_examples(attack, examples_of(own, own), pool); }),
              "example 1: the difference score is NaN or infinite");
  }
}

}  // namespace
}  // namespace palimpsest::attack
