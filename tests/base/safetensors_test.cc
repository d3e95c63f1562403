#include "palimpsest/base/internal/safetensors.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/safetensors_file.h"

namespace palimpsest {
namespace {

std::vector<SafetensorsEntry> parse(const std::string& bytes) {
  return parse_safetensors(std::as_bytes(std::span(bytes)), "test");
}

std::string header_failure(const std::string& bytes) {
  return error_of([&] { parse(bytes); });
}

// What is wrong with a header that declares one tensor, over four bytes of data.
std::string failure_of_tensor(const std::string& tensor) {
  return header_failure(safetensors_with_header(R"({"w": )" + tensor + "}", "data"));
}

std::string text_of(const SafetensorsEntry& entry) {
  return {reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size()};
}

TEST(SafetensorsTest, ReadsTensorsInTheOrderOfTheirBytes) {
  const std::string file = safetensors_with_header(
      R"({"b": {"dtype": "U8", "shape": [3], "data_offsets": [2, 5]},
          "__metadata__": {"format": "pt", "x": [{}]},
          "a": {"dtype": "BF16", "shape": [1, 1], "data_offsets": [0, 2], "more": {"k": [1]}}}   )",
      "AAbbb");
  const std::vector<SafetensorsEntry> entries = parse(file);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_EQ(entries[0].dtype, "BF16");
  EXPECT_EQ(entries[0].shape, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(text_of(entries[0]), "AA");
  EXPECT_EQ(entries[1].name, "b");
  EXPECT_EQ(text_of(entries[1]), "bbb");
}

// As save_model() of the reference implementation notes tied tensors.
TEST(SafetensorsTest, ReadsOtherNamesFromMetadata) {
  const std::string tensor = R"("a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]})";
  const auto aliases = [&](const std::string& metadata) {
    return parse(safetensors_with_header(R"({"__metadata__": )" + metadata + ", " + tensor + "}",
                                         "AA"))
        .at(0)
        .aliases;
  };
  EXPECT_EQ(aliases(R"({"format": "pt", "b": "a", "c": "a", "d": "x"})"),
            (std::vector<std::string>{"b", "c"}));
  for (const char* other : {"{}", "null", "3", "\"a\"", "[\"a\"]",
                            R"({"b": ["a", {"c": "a"}], "d": 1})", R"({"bad\u0007": "a"})"}) {
    EXPECT_TRUE(aliases(other).empty()) << other;
  }
}

TEST(SafetensorsTest, ReadsScalarsEmptyTensorsAndEmptyFiles) {
  EXPECT_TRUE(parse(safetensors_with_header("{}", "")).empty());
  const std::string file = safetensors_of(
      {{"none", "F32", {0, 5}, ""}, {"one", "I64", {}, "12345678"}, {"end", "F16", {0}, ""}});
  const std::vector<SafetensorsEntry> entries = parse(file);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].name, "none");
  EXPECT_TRUE(entries[0].bytes.empty());
  EXPECT_TRUE(entries[1].shape.empty());
  EXPECT_EQ(text_of(entries[1]), "12345678");
}

TEST(SafetensorsTest, KnowsTheSizeOfEveryType) {
  struct Case {
    const char* dtype;
    size_t bytes;  // of 8 numbers
  };
  for (const auto& [dtype, bytes] :
       {Case{"F64", 64}, {"F32", 32},    {"F16", 16},    {"BF16", 16},   {"C64", 64},
        {"I64", 64},     {"U64", 64},    {"I32", 32},    {"U32", 32},    {"I16", 16},
        {"U16", 16},     {"I8", 8},      {"U8", 8},      {"BOOL", 8},    {"F8_E4M3", 8},
        {"F8_E5M2", 8},  {"F8_E8M0", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4}}) {
    const std::string file = safetensors_of({{"w", dtype, {2, 4}, std::string(bytes, 'x')}});
    EXPECT_EQ(parse(file).at(0).dtype, dtype);
    expect_contains(
        header_failure(safetensors_of({{"w", dtype, {2, 4}, std::string(bytes + 1, 'x')}})),
        "its length does not fit its shape");
  }
  // Half a byte is left over.
  expect_contains(header_failure(safetensors_of({{"w", "F4", {3}, "xx"}})), "does not fit");
}

TEST(SafetensorsTest, KeepsTypesThatItDoesNotKnow) {
  const std::string file = safetensors_of({{"w", "F2_NEW", {7}, "xyz"}});
  EXPECT_EQ(parse(file).at(0).dtype, "F2_NEW");
}

TEST(SafetensorsTest, RefusesWhatIsTooShortOrSomethingElse) {
  EXPECT_EQ(header_failure(""),
            "test: the file is 0 bytes long, too short for safetensors; download the file again");
  expect_contains(header_failure("1234567"), "the file is 7 bytes long");
  expect_contains(header_failure("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
                  "this is a Git LFS pointer, not the file itself; fetch the file with: git lfs");
  expect_contains(header_failure("<!DOCTYPE html><html>"),
                  "bytes, more than the 100000000 that are allowed; this is not a safetensors");
}

TEST(SafetensorsTest, RefusesAHeaderLongerThanTheFileOrTheLimit) {
  std::string file = safetensors_with_header("{}", "");
  file[0] = 3;
  EXPECT_EQ(header_failure(file),
            "test: the file is 10 bytes, its header alone needs 11; download the file again");
  file[3] = 6;  // 6 · 2^24
  expect_contains(header_failure(file), "the header claims 100663299 bytes");
  expect_contains(header_failure(std::string(8, '\xff') + "{}"),
                  "the header claims 18446744073709551615 bytes");
}

TEST(SafetensorsTest, RefusesAHeaderThatIsNotJson) {
  EXPECT_EQ(header_failure(safetensors_with_header("{'w'}", "")),
            "test: header: this is not valid JSON (byte 2); the file is damaged: download it "
            "again");
  expect_contains(header_failure(safetensors_with_header("", "")), "this is not valid JSON");
  expect_contains(header_failure(safetensors_with_header(std::string("{}\0", 3), "")),
                  "this is not valid JSON");
  expect_contains(header_failure(safetensors_with_header("{\"\xff\": 1}", "")),
                  "this is not valid JSON");
  EXPECT_EQ(header_failure(safetensors_with_header("[]", "")),
            "test: the header is malformed (expected an object of tensors, found an array)");
  expect_contains(header_failure(safetensors_with_header("3", "")), "the header is malformed");
}

TEST(SafetensorsTest, RefusesMalformedEntries) {
  EXPECT_EQ(failure_of_tensor("7"),
            "test: tensor 'w': the header is malformed (expected an object with dtype, shape and "
            "data_offsets, found a number)");
  expect_contains(failure_of_tensor("{}"), "test: tensor 'w': 'dtype' is missing");
  expect_contains(failure_of_tensor(R"({"dtype": "F32"})"), "'shape' is missing");
  expect_contains(failure_of_tensor(R"({"dtype": "F32", "shape": []})"),
                  "'data_offsets' is missing");
  expect_contains(failure_of_tensor(R"({"dtype": "F32", "dtype": "F32"})"),
                  "'dtype' is given twice");
  expect_contains(failure_of_tensor(R"({"shape": [], "shape": []})"), "'shape' is given twice");
  expect_contains(failure_of_tensor(R"({"dtype": 3})"),
                  "'dtype' is malformed (expected a text, found a number)");
  expect_contains(failure_of_tensor(R"({"dtype": [3]})"), "'dtype' is malformed");
  expect_contains(failure_of_tensor(R"({"dtype": "\u001b[2J"})"), "the dtype is malformed");
  expect_contains(failure_of_tensor(R"({"dtype": ""})"), "the dtype is malformed");
  expect_contains(failure_of_tensor(R"({"shape": "x"})"),
                  "'shape' is malformed (expected an array of whole numbers, found a text)");
  expect_contains(failure_of_tensor(R"({"shape": [[1]]})"),
                  "'shape' is malformed (expected a whole number, found an array)");
  expect_contains(failure_of_tensor(R"({"shape": [1.5]})"), "found 1.5)");
  expect_contains(failure_of_tensor(R"({"shape": [null]})"), "found null)");
}

TEST(SafetensorsTest, RefusesNamesThatCannotBeShown) {
  const std::string tensor = R"(: {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}})";
  EXPECT_EQ(header_failure(safetensors_with_header(R"({"a\u001b[2J")" + tensor, "")),
            "test: the name of tensor number 1 is too long or holds a control character");
  EXPECT_EQ(parse(safetensors_with_header(R"({"größe")" + tensor, "")).at(0).name, "größe");
}

TEST(SafetensorsTest, RefusesDuplicateNames) {
  EXPECT_EQ(header_failure(safetensors_with_header(
                R"({"w": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]},
                    "w": {"dtype": "U8", "shape": [2], "data_offsets": [2, 4]}})",
                "data")),
            "test: the tensor 'w' is declared twice");
}

TEST(SafetensorsTest, RefusesShapesThatAreNegativeOrOverflow) {
  EXPECT_EQ(failure_of_tensor(R"({"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]})"),
            "test: tensor 'w': 'shape' holds the negative number -1");
  EXPECT_EQ(failure_of_tensor(
                R"({"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 4]})"),
            "test: tensor 'w': the shape [4294967296, 4294967296] is too large");
  // 2^63 numbers and more are no whole numbers of ours.
  expect_contains(failure_of_tensor(R"({"dtype": "U8", "shape": [9223372036854775808]})"),
                  "found 9223372036854775808)");
  std::string ones = "1";
  for (int i = 0; i < 32; ++i) ones += ", 1";
  expect_contains(failure_of_tensor(R"({"dtype": "U8", "shape": [)" + ones + "]}"),
                  "'shape' holds more than 32 numbers");
}

TEST(SafetensorsTest, RefusesOffsetsThatDoNotFitTheShape) {
  EXPECT_EQ(failure_of_tensor(R"({"dtype": "F16", "shape": [1], "data_offsets": [0, 4]})"),
            "test: tensor 'w': its length does not fit its shape (expected 2 bytes for F16 [1], "
            "found 4 bytes)");
  EXPECT_EQ(failure_of_tensor(R"({"dtype": "U8", "shape": [4], "data_offsets": [4, 0]})"),
            "test: tensor 'w': its bytes begin at 4 and end at 0");
  expect_contains(failure_of_tensor(R"({"dtype": "U8", "shape": [4], "data_offsets": [0, -4]})"),
                  "'data_offsets' holds the negative number -4");
  EXPECT_EQ(failure_of_tensor(R"({"dtype": "U8", "shape": [4], "data_offsets": [4]})"),
            "test: tensor 'w': 'data_offsets' is malformed (expected two numbers, found 1)");
}

TEST(SafetensorsTest, RefusesOverlapsAndGaps) {
  const auto two = [](int begin, int end) {
    return safetensors_with_header(
        R"({"v": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]},
            "w": {"dtype": "U8", "shape": [2], "data_offsets": [)" +
            std::to_string(begin) + ", " + std::to_string(end) + "]}}",
        "data");
  };
  EXPECT_EQ(parse(two(2, 4)).size(), 2u);
  EXPECT_EQ(header_failure(two(1, 3)), "test: the tensors 'v' and 'w' overlap");
  EXPECT_EQ(header_failure(two(0, 2)), "test: the tensors 'v' and 'w' overlap");
  EXPECT_EQ(header_failure(two(3, 5)), "test: 1 bytes before the tensor 'w' belong to no tensor");
}

TEST(SafetensorsTest, RefusesAFileThatIsNotAsLongAsItsHeaderSays) {
  const std::string whole = safetensors_of({zeros("v", {2, 3}), zeros("w", {5})});
  EXPECT_EQ(parse(whole).size(), 2u);
  const std::string size = std::to_string(whole.size());
  const std::string cut = std::to_string(whole.size() - 1);
  EXPECT_EQ(header_failure(whole.substr(0, whole.size() - 1)),
            "test: the file is " + cut + " bytes, its header needs " + size +
                "; download the file again");
  EXPECT_EQ(header_failure(whole + "xy"),
            "test: the last 2 bytes belong to no tensor; download the file again");
  // However short it is cut, it is an Error.
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(parse(whole.substr(0, length)), Error);
  }
}

TEST(SafetensorsTest, OffsetsAtTheEndOfTheNumbersDoNotWrap) {
  expect_contains(
      failure_of_tensor(
          R"({"dtype": "NEW", "shape": [1], "data_offsets": [0, 9223372036854775807]})"),
      "its header needs 92233720368547");
}

TEST(SafetensorsTest, ManyTensorsTakeNoQuadraticTime) {
  std::string header = "{";
  constexpr int kCount = 200'000;
  for (int i = 0; i < kCount; ++i) {
    header += (i > 0 ? ",\"" : "\"") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  EXPECT_EQ(parse(safetensors_with_header(header + "}", "")).size(), size_t{kCount});
}

}  // namespace
}  // namespace palimpsest
