#include "palimpsest/base/internal/name_key.h"

#include <gtest/gtest.h>

#include <vector>

namespace palimpsest {
namespace {

TEST(NameKeyTest, SpellingsOfOneNameHaveOneKey) {
  for (const char* name : {"min_k_plus_plus", "Min-K%++", "Min-K++", "MinKPlusPlus", "min_k++"}) {
    EXPECT_EQ(name_key(name), "minkplusplus") << name;
  }
  EXPECT_EQ(name_key("Min-K%"), "mink");
  EXPECT_EQ(name_key("SequenceTokenOOVRate"), name_key("sequence_token_oov_rate"));
  EXPECT_EQ(name_key("%-_ "), "");
}

struct Named {
  std::string name;
};

TEST(NameKeyTest, TheExactNameComesFirst) {
  const std::vector<Named> table = {{"Loss"}, {"loss"}, {"zlib"}};
  EXPECT_EQ(find_by_name(table, "loss"), &table[1]);
  EXPECT_EQ(find_by_name(table, "LOSS"), &table[0]);
  EXPECT_EQ(find_by_name(table, "ZLIB"), &table[2]);
  EXPECT_EQ(find_by_name(table, "los"), nullptr);
  EXPECT_EQ(find_by_name(table, "%"), nullptr);
}

}  // namespace
}  // namespace palimpsest
