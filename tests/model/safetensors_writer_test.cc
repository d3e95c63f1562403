#include "palimpsest/model/internal/safetensors_writer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/safetensors.h"
#include "palimpsest/model/internal/checkpoint.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::model {
namespace {

TEST(SafetensorsWriterTest, WhatIsWrittenIsRead) {
  const TempFolder folder;
  const std::vector<float> matrix = {1, 2, 3, 4, 5, 6};
  const std::vector<float> vector = {-0.5F};
  write_safetensors(folder.path() / "model.safetensors",
                    std::vector<FloatTensor>{{"a.weight", {2, 3}, matrix}, {"b", {1}, vector}});
  const Checkpoint checkpoint = Checkpoint::open(folder.path());
  EXPECT_EQ(checkpoint.names(), (std::vector<std::string>{"a.weight", "b"}));
  const StoredTensor* a = checkpoint.find("a.weight");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->dtype, kernels::DType::kFloat32);
  EXPECT_EQ(a->shape, (std::vector<int64_t>{2, 3}));
  ASSERT_EQ(a->bytes.size(), matrix.size() * sizeof(float));
  EXPECT_EQ(std::memcmp(a->bytes.data(), matrix.data(), a->bytes.size()), 0);
}

TEST(SafetensorsWriterTest, TensorsBeginAtMultiplesOfEightBytes) {
  const TempFolder folder;
  const std::vector<float> one = {1};
  for (const char* name : {"a", "ab", "abc", "abcd", "abcde"}) {
    const std::filesystem::path file = folder.path() / name;
    write_safetensors(file, std::vector<FloatTensor>{{name, {1}, one}});
    const std::string bytes = folder.read(name);
    uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    EXPECT_EQ(header % 8, 0U);
    EXPECT_EQ(bytes.size(), 8 + header + sizeof(float));
  }
}

TEST(SafetensorsWriterTest, AFileWithoutTensorsIsSound) {
  const TempFolder folder;
  write_safetensors(folder.path() / "empty", {});
  const std::string bytes = folder.read("empty");
  EXPECT_TRUE(parse_safetensors(std::as_bytes(std::span(bytes)), "empty").empty());
}

TEST(SafetensorsWriterTest, ShapesMustFit) {
  const TempFolder folder;
  const std::vector<float> one = {1};
  EXPECT_THROW(write_safetensors(folder.path() / "x", std::vector<FloatTensor>{{"a", {2}, one}}),
               BugError);
  EXPECT_THROW(write_safetensors(folder.path() / "x",
                                 std::vector<FloatTensor>{{"a", {1}, one}, {"a", {1}, one}}),
               BugError);
}

}  // namespace
}  // namespace palimpsest::model
