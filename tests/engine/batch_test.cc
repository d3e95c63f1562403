#include "palimpsest/engine/internal/batch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/engine/internal/ops.h"
#include "tests/engine/matrices.h"

namespace palimpsest::engine {
namespace {

TEST(SegmentTest, FirstCountsContextAndCache) {
  Segment segment;
  EXPECT_EQ(segment.first(), 0);
  segment.context = {{nullptr, 7}, {nullptr, 5}};
  segment.cached = 3;
  EXPECT_EQ(segment.first(), 15);
}

TEST(KvCacheTest, GrowsAndKeepsWhatIsThere) {
  const model::Architecture architecture;
  WorkerPool pool(1);
  const std::unique_ptr<Ops> ops = make_cpu_ops(architecture, pool);
  KvCache cache(2);
  cache.reserve(1, 4, 0, 3, *ops);
  EXPECT_FALSE(cache.keys[0].defined());
  ops->copy(filled(4, 3, 2), cache.keys[1]);
  ops->copy(filled(4, 3, 5), cache.values[1]);
  const float* before = cache.keys[1].data();
  cache.reserve(1, 4, 4, 3, *ops);
  EXPECT_EQ(cache.keys[1].data(), before);  // enough already
  cache.reserve(1, 5, 4, 3, *ops);
  EXPECT_GE(cache.keys[1].rows(), 6);  // more than is needed now
  EXPECT_TRUE(equal(cache.keys[1].slice(0, 4), filled(4, 3, 2)));
  EXPECT_TRUE(equal(cache.values[1].slice(0, 4), filled(4, 3, 5)));
}

TEST(RotaryTableTest, EveryTokenByItsPositionAndLength) {
  const model::Rotary rotary{.dims = 6,
                             .scaling = model::RopeScaling::kLongRope,
                             .original_max_positions = 8,
                             .short_factor = {1, 2, 3},
                             .long_factor = {4, 5, 6},
                             .attention_factor = 1.5};
  const Batch batch{.ids = {0, 0, 0}, .positions = {0, 7, 7}, .rope_lengths = {4, 8, 9}};
  const RotaryTable table = rotary_table(rotary, batch);
  EXPECT_EQ(table.half, 3);
  for (size_t row = 0; row < 3; ++row) {
    const auto frequencies = model::rotary_frequencies(rotary, batch.rope_lengths[row]);
    for (size_t i = 0; i < 3; ++i) {
      const double angle = static_cast<double>(batch.positions[row]) * frequencies[i];
      EXPECT_NEAR(table.cosine[row * 3 + i], 1.5 * std::cos(angle), 1e-6) << row << " " << i;
      EXPECT_NEAR(table.sine[row * 3 + i], 1.5 * std::sin(angle), 1e-6) << row << " " << i;
    }
  }
  EXPECT_NE(table.cosine[3], table.cosine[6]);  // the same place, another length
}

}  // namespace
}  // namespace palimpsest::engine
