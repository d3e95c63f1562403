#include "palimpsest/base/internal/parallel.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

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

}  // namespace
}  // namespace palimpsest
