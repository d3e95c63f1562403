#include "palimpsest/base/internal/input_stream.h"

#include <gtest/gtest.h>

#include "tests/support/compressed.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

// Read in pieces of a size that divides nothing evenly, so that pieces end anywhere.
std::string all_of(const std::filesystem::path& path, size_t piece) {
  const auto input = InputStream::open(path, LineReader::Source::kPlainFile);
  std::string bytes;
  std::string part(piece, '\0');
  while (const size_t got = input->read(part.data(), piece)) bytes.append(part, 0, got);
  EXPECT_EQ(input->read(part.data(), piece), 0u) << "the end stays the end";
  return bytes;
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

TEST(InputStreamTest, CompressedFilesGiveWhatWasCompressed) {
  const TempFolder folder;
  for (const int count : {0, 1, 2, 3, 100, 100'000}) {
    const std::string text = numbers(count);
    const auto plain = folder.write("plain", text);
    const auto gzip = folder.write("gzip", gzip_of(text));
    const auto zstd = folder.write("zstd", zstd_of(text));
    for (const size_t piece : {size_t{7}, size_t{65'536}, size_t{1'000'003}}) {
      EXPECT_EQ(all_of(plain, piece), text);
      EXPECT_EQ(all_of(gzip, piece), text);
      EXPECT_EQ(all_of(zstd, piece), text);
    }
  }
}

// Both tools allow files to be put one after the other, and so do programs that compress in blocks.
TEST(InputStreamTest, PartsThatFollowEachOtherAreOneFile) {
  const TempFolder folder;
  const std::string one = numbers(20'000);
  EXPECT_EQ(all_of(folder.write("g", gzip_of(one) + gzip_of("") + gzip_of("two")), 1000),
            one + "two");
  EXPECT_EQ(all_of(folder.write("z", zstd_of(one) + zstd_of("") + zstd_of("two")), 1000),
            one + "two");
}

TEST(InputStreamTest, DamagedAndCutFilesAreRefused) {
  const TempFolder folder;
  const std::string text = numbers(10'000);
  for (const std::string& whole : {gzip_of(text), zstd_of(text)}) {
    for (const size_t size : {size_t{4}, size_t{30}, whole.size() / 2, whole.size() - 1}) {
      const auto cut = folder.write("cut", whole.substr(0, size));
      const std::string message = error_of([&] { all_of(cut, 4096); });
      expect_contains(message, "ends early");
      expect_contains(message, "cut");
    }
    std::string damaged = whole;
    for (size_t i = whole.size() / 2; i < whole.size() / 2 + 8; ++i) damaged[i] ^= 0x55;
    expect_contains(error_of([&] { all_of(folder.write("damaged", damaged), 4096); }), "damaged");
  }
  expect_contains(error_of([&] { all_of(folder.write("tail", gzip_of(text) + "x"), 4096); }),
                  "compressed file");
}

TEST(InputStreamTest, LinesOfACompressedFile) {
  const TempFolder folder;
  for (const std::string& bytes :
       {gzip_of("\xEF\xBB\xBFone\r\ntwo"), zstd_of("\xEF\xBB\xBFone\r\ntwo")}) {
    LineReader reader(folder.write("lines", bytes));
    std::string line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "one");
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "two");
    EXPECT_FALSE(reader.next(line));
  }
}

TEST(InputStreamTest, TheNameTellsThatAFileIsCompressed) {
  EXPECT_TRUE(is_compressed_name("a/b.jsonl.gz"));
  EXPECT_TRUE(is_compressed_name("b.zst"));
  EXPECT_FALSE(is_compressed_name("b.jsonl"));
  EXPECT_FALSE(is_compressed_name("gz"));
}

}  // namespace
}  // namespace palimpsest
