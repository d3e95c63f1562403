#include "palimpsest/text/internal/lcs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "palimpsest/base/random.h"

namespace palimpsest::text {
namespace {

using Sequence = std::vector<uint32_t>;

// The textbook table, and the way back through it that the header describes.
std::vector<int64_t> positions_by_table(const Sequence& rows, const Sequence& columns) {
  std::vector<std::vector<int64_t>> table(rows.size() + 1,
                                          std::vector<int64_t>(columns.size() + 1, 0));
  for (size_t i = 1; i <= rows.size(); ++i) {
    for (size_t j = 1; j <= columns.size(); ++j) {
      table[i][j] = rows[i - 1] == columns[j - 1] ? table[i - 1][j - 1] + 1
                                                  : std::max(table[i - 1][j], table[i][j - 1]);
    }
  }
  std::vector<int64_t> found;
  size_t i = rows.size();
  size_t j = columns.size();
  while (i > 0 && j > 0) {
    if (rows[i - 1] == columns[j - 1]) {
      found.push_back(static_cast<int64_t>(i - 1));
      --i, --j;
    } else if (table[i][j - 1] > table[i - 1][j]) {
      --j;
    } else {
      --i;
    }
  }
  std::ranges::reverse(found);
  return found;
}

Sequence random_sequence(Random& random, uint64_t longest, uint32_t vocabulary) {
  Sequence sequence(random.below(longest + 1));
  for (uint32_t& token : sequence) token = static_cast<uint32_t>(random.below(vocabulary));
  return sequence;
}

TEST(LcsTest, ExampleOfTheHeader) {
  LcsMatcher matcher(5);
  matcher.set_columns(Sequence{2, 4, 3});
  EXPECT_EQ(matcher.length(Sequence{1, 2, 3, 4}), 2);
  EXPECT_EQ(matcher.positions(Sequence{1, 2, 3, 4}), (std::vector<int64_t>{1, 2}));
}

TEST(LcsTest, NothingInCommonWithAnEmptySequence) {
  LcsMatcher matcher(3);
  EXPECT_EQ(matcher.length(Sequence{1}), 0);  // no columns yet
  matcher.set_columns(Sequence{});
  EXPECT_EQ(matcher.length(Sequence{1, 2}), 0);
  EXPECT_TRUE(matcher.positions(Sequence{1, 2}).empty());
  matcher.set_columns(Sequence{1, 2});
  EXPECT_EQ(matcher.length(Sequence{}), 0);
  EXPECT_TRUE(matcher.positions(Sequence{}).empty());
}

TEST(LcsTest, EqualsTheTable) {
  for (const uint32_t vocabulary : {1U, 2U, 3U, 10U, 100U, 400U}) {
    for (const uint64_t longest : {5ULL, 64ULL, 65ULL, 129ULL, 500ULL}) {
      Random random = Random(17).split(uint64_t{vocabulary} * 1000 + longest);
      LcsMatcher matcher(vocabulary);  // one for all, so that what set_columns leaves behind shows
      for (int round = 0; round < 20; ++round) {
        const Sequence rows = random_sequence(random, longest, vocabulary);
        const Sequence columns = random_sequence(random, longest, vocabulary);
        matcher.set_columns(columns);
        const std::vector<int64_t> expected = positions_by_table(rows, columns);
        EXPECT_EQ(matcher.length(rows), static_cast<int64_t>(expected.size()));
        EXPECT_EQ(matcher.positions(rows), expected);
      }
    }
  }
}

TEST(LcsTest, LongSequencesNeedNoTable) {
  // The table would have 4·10¹⁰ cells.
  const int64_t size = 200'000;
  Sequence rows(static_cast<size_t>(size));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<uint32_t>(i % 50'000);
  Sequence columns = rows;
  std::ranges::reverse(columns);
  columns.resize(1000);
  LcsMatcher matcher(50'000);
  matcher.set_columns(columns);
  // Descending columns against four ascending runs: at most one token from each run.
  EXPECT_EQ(matcher.length(rows), 4);
  EXPECT_EQ(matcher.positions(rows).size(), 4U);
  matcher.set_columns(rows);
  EXPECT_EQ(matcher.length(columns), 4);
}

}  // namespace
}  // namespace palimpsest::text
