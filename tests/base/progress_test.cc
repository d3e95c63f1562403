#include "palimpsest/base/progress.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace palimpsest {
namespace {

class Recorder : public ProgressDisplay {
 public:
  explicit Recorder(double interval) : interval_(interval) {}
  double interval_seconds() const override { return interval_; }
  void show(const ProgressState& state) override { states.push_back(state); }
  std::vector<ProgressState> states;

 private:
  double interval_;
};

TEST(ProgressTest, DescribesRateAndTimeLeft) {
  EXPECT_EQ(describe({.label = "scoring", .done = 120, .total = 400, .seconds = 5}),
            "scoring  120/400  30%  24/s  12 s left");
  EXPECT_EQ(describe({.label = "scoring", .done = 2, .total = 8, .seconds = 600}),
            "scoring  2/8  25%  0.00333/s  30 min left");
  EXPECT_EQ(describe({.label = "reading", .done = 5000, .total = 0, .seconds = 2}),
            "reading  5000  2500/s");
  EXPECT_EQ(
      describe({.label = "scoring", .done = 400, .total = 400, .seconds = 20000, .finished = true}),
      "scoring  400/400  100%  0.02/s  done in 5 h 33 min");
  EXPECT_EQ(describe({.label = "scoring", .done = 0, .total = 4}), "scoring  0/4  0%");
}

TEST(ProgressTest, ANoteGoesBehindTheLabel) {
  Recorder recorder(0);
  Progress progress(&recorder, "training", 4);
  progress.note("loss 1.83");
  progress.advance(1);
  ASSERT_EQ(recorder.states.size(), 1U);
  recorder.states[0].seconds = 1;
  EXPECT_EQ(describe(recorder.states[0]), "training  loss 1.83  1/4  25%  1/s  3 s left");
}

TEST(ProgressTest, ShortWorkShowsNothing) {
  Recorder recorder(3600);
  { Progress(&recorder, "work", 10).advance(10); }
  EXPECT_TRUE(recorder.states.empty());
}

TEST(ProgressTest, ShowsEachStepAndTheEnd) {
  Recorder recorder(0);
  {
    Progress progress(&recorder, "work", 2);
    progress.advance(1);
    progress.advance(1);
  }
  ASSERT_EQ(recorder.states.size(), 3U);
  EXPECT_EQ(recorder.states[0].done, 1);
  EXPECT_EQ(recorder.states[1].done, 2);
  EXPECT_FALSE(recorder.states[1].finished);
  EXPECT_TRUE(recorder.states[2].finished);
}

TEST(ProgressTest, ACallbackIsADisplay) {
  std::vector<int64_t> done;
  const auto display =
      progress_to([&](const ProgressState& state) { done.push_back(state.done); }, 0);
  {
    Progress progress(display.get(), "work", 2);
    progress.advance(2);
  }
  EXPECT_EQ(done, (std::vector<int64_t>{2, 2}));  // the second says that it is finished
  const auto rare = progress_to([&](const ProgressState&) { done.clear(); }, 3600);
  Progress(rare.get(), "work", 1).advance(1);
  EXPECT_EQ(done.size(), 2U);
}

TEST(ProgressTest, ACallbackThatThrowsEndsTheWorkAndIsNotCalledAgain) {
  int calls = 0;
  const auto display = progress_to(
      [&](const ProgressState&) {
        if (++calls == 2) throw std::runtime_error("no more");
      },
      0);
  const auto work = [&] {
    Progress progress(display.get(), "work", 3);
    for (int i = 0; i < 3; ++i) progress.advance(1);
  };
  EXPECT_THROW(work(), std::runtime_error);
  EXPECT_EQ(calls, 2);
}

TEST(ProgressTest, ACallbackThatThrowsAfterTheWorkLosesNothing) {
  const auto display = progress_to(
      [](const ProgressState& state) {
        if (state.finished) throw std::runtime_error("no more");
      },
      0);
  const auto work = [&] { Progress(display.get(), "work", 1).advance(1); };
  EXPECT_NO_THROW(work());
}

TEST(ProgressTest, WithoutADisplayNothingIsPrinted) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  {
    Progress progress(nullptr, "work", 2);
    progress.note("half");
    progress.advance(2);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ProgressTest, AFileGetsPlainLines) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  progress_on(file)->show({.label = "work", .done = 1, .total = 2, .seconds = 1});
  std::rewind(file);
  char line[100] = {};
  ASSERT_NE(std::fgets(line, sizeof line, file), nullptr);
  EXPECT_STREQ(line, "work  1/2  50%  1/s  1 s left\n");
  std::fclose(file);
}

}  // namespace
}  // namespace palimpsest
