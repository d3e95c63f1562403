#include "palimpsest/base/internal/hash.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

TEST(FingerprintTest, PiecesAreKeptApart) {
  EXPECT_NE(Fingerprint().add("ab").add("c").hex(), Fingerprint().add("a").add("bc").hex());
  EXPECT_NE(Fingerprint().add("").hex(), Fingerprint().hex());
  EXPECT_NE(Fingerprint().add(int64_t{0}).hex(), Fingerprint().add("").hex());
  EXPECT_EQ(Fingerprint().add("ab").hex(), Fingerprint().add("ab").hex());
  EXPECT_EQ(Fingerprint().hex().size(), 32U);
}

TEST(FingerprintTest, EveryBitMatters) {
  const std::string bytes(100, 'x');
  std::set<std::string> seen = {Fingerprint().add(bytes).hex()};
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string changed = bytes;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
    EXPECT_TRUE(seen.insert(Fingerprint().add(changed).hex()).second) << i;
  }
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_TRUE(seen.insert(Fingerprint().add(bytes.substr(0, length)).hex()).second) << length;
  }
}

TEST(FingerprintTest, FilesByContent) {
  const TempFolder folder;
  const auto a = folder.write("a", std::string(3 << 20, 'x'));
  const auto b = folder.write("b", std::string(3 << 20, 'x'));
  const auto c = folder.write("c", std::string((3 << 20) - 1, 'x') + "y");
  EXPECT_EQ(Fingerprint().add_file(a).hex(), Fingerprint().add_file(b).hex());
  EXPECT_NE(Fingerprint().add_file(a).hex(), Fingerprint().add_file(c).hex());
  expect_contains(error_of([&] { Fingerprint().add_file(folder.path() / "none"); }), "none");
}

}  // namespace
}  // namespace palimpsest
