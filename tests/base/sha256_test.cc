#include "palimpsest/base/internal/sha256.h"

#include <gtest/gtest.h>

#include <chrono>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

// The examples of FIPS 180-4, as NIST publishes them.
TEST(Sha256Test, PublishedExamples) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesAreJoined) {
  EXPECT_EQ(Sha256().add("a").add("").add("bc").hex(), sha256_of("abc"));
}

TEST(Sha256Test, FilesAreReadInPieces) {
  const TempFolder folder;
  const std::string bytes((size_t{5} << 20) + 17, 'x');
  const auto file = folder.write("file", bytes);
  int64_t done = 0;
  const auto display = progress_to([&](const ProgressState& state) { done = state.done; }, 0);
  {
    Progress progress(display.get(), "hashing", 0);
    EXPECT_EQ(sha256_of_file(file, {.progress = &progress}), sha256_of(bytes));
  }
  EXPECT_EQ(done, static_cast<int64_t>(bytes.size()));
  EXPECT_EQ(sha256_of_file(folder.write("empty", "")), sha256_of(""));
}

TEST(Sha256Test, WhatCannotBeRead) {
  const TempFolder folder;
  expect_contains(error_of([&] { sha256_of_file(folder.path() / "none"); }), "none");
  expect_contains(error_of([&] { sha256_of_file(folder.path()); }), "folder");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(sha256_of_file(folder.write("file", "x"), {.stop = stop.get_token()}), Stopped);
}

class FileHashesTest : public testing::Test {
 protected:
  // Large enough for its hash to be kept.
  std::filesystem::path large_file(char byte) const {
    return folder_.write("large", std::string(static_cast<size_t>(FileHashes::kLeastKept), byte));
  }
  // To these hashes a file is old enough as soon as it is written.
  FileHashes hashes() const { return FileHashes(cache_, std::chrono::nanoseconds(0)); }

  TempFolder folder_;
  std::filesystem::path cache_ = folder_.path() / "cache" / "sha256";
};

TEST_F(FileHashesTest, ALargeFileIsReadOnce) {
  const auto file = large_file('x');
  const std::string hash = hashes().sha256(file);
  EXPECT_EQ(hash, sha256_of_file(file));
  const std::string kept = read_file(cache_);
  expect_contains(kept, hash);
  // The second time the answer comes from the cache, which this line proves by being wrong there.
  std::string other = kept;
  const std::string wrong(64, '0');
  other.replace(other.find(hash), 64, wrong);
  write_file(cache_, other);
  EXPECT_EQ(hashes().sha256(file), wrong);
  EXPECT_EQ(FileHashes().sha256(file), hash) << "without a cache";
  // A change of the same size in the same file, with the old time of modification put back.
  // write_file() would make another file.
  const auto time = std::filesystem::last_write_time(file);
  large_file('y');
  std::filesystem::last_write_time(file, time);
  EXPECT_EQ(hashes().sha256(file), sha256_of_file(file));
}

TEST_F(FileHashesTest, SmallAndFreshFilesAreNotKept) {
  hashes().sha256(folder_.write("small", "x"));
  FileHashes(cache_, std::chrono::hours(1)).sha256(large_file('x'));
  EXPECT_FALSE(std::filesystem::exists(cache_));
}

TEST_F(FileHashesTest, ABrokenCacheIsNoFailure) {
  const auto file = large_file('x');
  const std::string hash = sha256_of_file(file);
  std::filesystem::create_directories(cache_.parent_path());
  for (const char* text :
       {"", "something else\n1 2 3\n", "palimpsest sha256 1\n1 2 3 4 5 short\n"}) {
    write_file(cache_, text);
    EXPECT_EQ(hashes().sha256(file), hash);
  }
  std::filesystem::remove(cache_);
  std::filesystem::create_directory(cache_);  // it can be neither read nor written
  EXPECT_EQ(hashes().sha256(file), hash);
}

}  // namespace
}  // namespace palimpsest
