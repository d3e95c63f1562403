#include "palimpsest/base/internal/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFileTest, GivesTheBytes) {
  TempFolder folder;
  const std::string bytes("a\0b\n", 4);
  EXPECT_EQ(text_of(MappedFile(folder.write("a", bytes))), bytes);
}

TEST(MappedFileTest, AnEmptyFileIsEmpty) {
  TempFolder folder;
  EXPECT_TRUE(MappedFile(folder.write("a", "")).bytes().empty());
}

TEST(MappedFileTest, SaysWhyAFileCannotBeRead) {
  TempFolder folder;
  const std::string missing = (folder.path() / "none").string();
  EXPECT_EQ(error_of([&] { MappedFile file(missing); }),
            missing + ": the file cannot be read: No such file or directory");
  expect_contains(error_of([&] { MappedFile file(folder.path()); }), "this is a folder");
  std::filesystem::create_symlink("nowhere", folder.path() / "link");
  expect_contains(error_of([&] { MappedFile file(folder.path() / "link"); }), "No such file");
}

TEST(MappedFileTest, APipeIsRefusedAndNotWaitedFor) {
  TempFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_contains(error_of([&] { MappedFile file(pipe); }), "this is not a plain file");
}

TEST(MappedFileTest, ReleasedPartsComeBack) {
  TempFolder folder;
  std::string bytes(100'000, ' ');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  const MappedFile file(folder.write("a", bytes));
  ASSERT_EQ(text_of(file), bytes);
  file.release(file.bytes());
  EXPECT_EQ(text_of(file), bytes);
  file.release(file.bytes().subspan(4097, 50'000));
  file.release(file.bytes().subspan(10, 20));
  file.release({});
  EXPECT_EQ(text_of(file), bytes);
}

TEST(MappedFileTest, PartsOfOtherMemoryAreLeftAlone) {
  TempFolder folder;
  const MappedFile file(folder.write("a", std::string(100'000, 'x')));
  const MappedFile empty(folder.write("b", ""));
  const size_t size = 1 << 16;
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const values = static_cast<std::byte*>(memory);
  values[5000] = std::byte{7};
  file.release({values, size});
  empty.release({values, size});
  // Advice to drop an anonymous page would have zeroed it.
  EXPECT_EQ(values[5000], std::byte{7});
  ::munmap(memory, size);
}

}  // namespace
}  // namespace palimpsest
