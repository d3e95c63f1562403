#include "palimpsest/base/internal/parallel.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/support/threads_used.h"

namespace palimpsest {
namespace {

TEST(ParallelForTest, VisitsEachItemOnce) {
  for (int threads : {0, 1, 2, 7}) {
    for (int64_t count : {0, 1, 5, 1000}) {
      std::vector<int> visits(static_cast<size_t>(count), 0);
      parallel_for(count, threads, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
      });
      EXPECT_EQ(visits, std::vector<int>(static_cast<size_t>(count), 1)) << threads << " " << count;
    }
  }
}

TEST(ParallelForTest, PassesAnExceptionOn) {
  EXPECT_THROW(parallel_for(10, 3,
                            [](int64_t begin, int64_t) {
                              if (begin > 0) throw std::runtime_error("no");
                            }),
               std::runtime_error);
}

TEST(ParallelForTest, ThreadsOfLoopsInsideLoopsAreCounted) {
  const auto nested = [](int64_t count, int outer, int inner) {
    return threads_used([&] {
      parallel_for(count, outer, [&](int64_t begin, int64_t) {
        parallel_for(begin == 0 ? 5 : 1, inner, [](int64_t, int64_t) {});
      });
    });
  };
  EXPECT_EQ(nested(4, 2, 1), 2);
  EXPECT_EQ(nested(4, 1, 3), 3);
  EXPECT_EQ(nested(4, 2, 3), 3 + 1);
  EXPECT_EQ(nested(0, 2, 3), 0);
  EXPECT_EQ(nested(4, 0, 1), threads_used([] { parallel_for(4, 0, [](int64_t, int64_t) {}); }));
}

}  // namespace
}  // namespace palimpsest
