#include "palimpsest/base/internal/worker_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "palimpsest/base/internal/parallel.h"

namespace palimpsest {
namespace {

TEST(WorkerPoolTest, SizeCountsTheCaller) {
  EXPECT_EQ(WorkerPool(1).size(), 1);
  EXPECT_EQ(WorkerPool(3).size(), 3);
  EXPECT_GE(WorkerPool(0).size(), 1);
}

TEST(WorkerPoolTest, VisitsEachUnitOnce) {
  for (const int threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    for (const int64_t units : {0, 1, 2, 7, 1000}) {
      std::vector<int> visits(static_cast<size_t>(units));
      pool.run(units, [&](int64_t unit, int) { ++visits[static_cast<size_t>(unit)]; });
      EXPECT_EQ(visits, std::vector<int>(static_cast<size_t>(units), 1)) << threads << " " << units;
    }
  }
}

// Memory of a worker's own needs no lock: nobody else has its number at the same time.
TEST(WorkerPoolTest, WorkersHaveNumbersOfTheirOwn) {
  WorkerPool pool(4);
  std::vector<int64_t> sums(4);
  pool.run(10000, [&](int64_t unit, int worker) {
    ASSERT_GE(worker, 0);
    ASSERT_LT(worker, 4);
    sums[static_cast<size_t>(worker)] += unit;
  });
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), int64_t{0}), 10000 * 9999 / 2);
}

// What one round wrote the next one sees, without any care of the caller's.
TEST(WorkerPoolTest, ManyRounds) {
  WorkerPool pool(3);
  std::vector<int64_t> numbers(8);
  for (int round = 0; round < 3000; ++round) {
    pool.run(8, [&](int64_t unit, int) { ++numbers[static_cast<size_t>(7 - unit)]; });
    for (const int64_t number : numbers) ASSERT_EQ(number, round + 1);
  }
}

TEST(WorkerPoolTest, PassesAnExceptionOnAndGoesOn) {
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      EXPECT_THROW(pool.run(20,
                            [&](int64_t unit, int) {
                              if (unit == round % 20) throw std::runtime_error("no");
                            }),
                   std::runtime_error);
      std::atomic<int64_t> visits = 0;
      pool.run(20, [&](int64_t, int) { ++visits; });
      EXPECT_EQ(visits, 20) << threads << " " << round;
    }
  }
}

TEST(WorkerPoolTest, StopsSoonAfterAnException) {
  WorkerPool pool(2);
  std::atomic<int64_t> visits = 0;
  EXPECT_THROW(pool.run(1000000,
                        [&](int64_t, int) {
                          ++visits;
                          throw std::runtime_error("no");
                        }),
               std::runtime_error);
  EXPECT_LE(visits, 2);  // one per worker
}

TEST(WorkerPoolTest, EveryUnitThrows) {
  WorkerPool pool(4);
  for (int round = 0; round < 200; ++round) {
    EXPECT_THROW(pool.run(4, [](int64_t, int) { throw std::logic_error("no"); }), std::logic_error);
  }
}

TEST(WorkerPoolTest, ManyPoolsComeAndGo) {
  std::atomic<int64_t> visits = 0;
  for (int i = 0; i < 100; ++i) {
    WorkerPool pool(3);
    if (i % 2 == 0) pool.run(5, [&](int64_t, int) { ++visits; });
  }
  EXPECT_EQ(visits, 250);
}

// In a process of its own: there, no further thread can be started.
void exit_with_sums_without_threads() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{1} << 50);  // more than there is address space
  if (pthread_setattr_default_np(&attributes) != 0) std::exit(3);
  WorkerPool pool(4);
  int64_t sum = 0;  // without a lock: the caller alone adds to it
  pool.run(100, [&](int64_t unit, int) { sum += unit; });
  parallel_for(100, 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sum += i;
  });
  std::exit(pool.size() == 1 && sum == 9900 ? 0 : 1);
}

TEST(WorkerPoolTest, WithoutFurtherThreadsTheCallerDoesTheWork) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_with_sums_without_threads(), testing::ExitedWithCode(0), "");
}

TEST(ForRangesTest, PiecesCoverEverythingOnce) {
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    for (const int64_t count : {0, 1, 15, 16, 17, 1000, 100003}) {
      for (const int64_t grain : {0, 1, 16, 5000}) {
        std::vector<int> visits(static_cast<size_t>(count));
        pool.for_ranges(count, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
        });
        EXPECT_EQ(visits, std::vector<int>(static_cast<size_t>(count), 1)) << count << " " << grain;
      }
    }
  }
}

// Sums within a piece are the same with any number of threads.
TEST(ForRangesTest, PiecesDependOnCountAndGrainAlone) {
  const auto pieces = [](int threads, int64_t count, int64_t grain) {
    WorkerPool pool(threads);
    std::vector<int64_t> ends(static_cast<size_t>(count) + 1, -1);
    pool.for_ranges(count, grain, [&](int64_t begin, int64_t end) {
      EXPECT_TRUE(end - begin >= grain || end - begin == count) << begin << " " << end;
      ends[static_cast<size_t>(begin)] = end;
    });
    return ends;
  };
  for (const int64_t count : {1, 40, 1000}) {
    for (const int64_t grain : {1, 16, 300}) {
      EXPECT_EQ(pieces(1, count, grain), pieces(3, count, grain)) << count << " " << grain;
    }
  }
}

}  // namespace
}  // namespace palimpsest
