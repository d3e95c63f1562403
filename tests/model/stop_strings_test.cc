#include "palimpsest/model/internal/stop_strings.h"

#include <gtest/gtest.h>

#include <map>

#include "palimpsest/base/random.h"
#include "tests/support/expect_error.h"

namespace palimpsest::model {
namespace {

using Ids = std::vector<int64_t>;
using Decode = std::function<std::string(std::span<const int64_t>)>;

// Ids are bytes; the text is valid or, as a whole, replacement characters: byte fallback at its
// worst.
std::string decode_bytes(std::span<const int64_t> ids) {
  std::string text;
  for (size_t i = 0; i < ids.size();) {
    const auto lead = static_cast<unsigned char>(ids[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    const bool is_continuation = lead >= 0x80 && lead < 0xC0;
    if (is_continuation || i + length > ids.size()) {
      std::string replaced;
      for (size_t j = 0; j < ids.size(); ++j) replaced += "\uFFFD";
      return replaced;
    }
    for (size_t j = 0; j < length; ++j) text += static_cast<char>(ids[i++]);
  }
  return text;
}

Ids bytes_of(const std::string& text) {
  Ids ids;
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
  return ids;
}

// Words with a space before each; the first one of a text loses it, and "##" is shown only there.
std::string decode_words(std::span<const int64_t> ids) {
  static const std::vector<std::string> kWords = {" stop", " here", " a", "ing", " longer", "."};
  std::string text;
  for (const int64_t id : ids) text += kWords.at(static_cast<size_t>(id));
  if (text.starts_with(' ')) return text.substr(1);
  return text.starts_with("ing") ? "##" + text : text;
}

// Asks after each token, as generation does; how many tokens there are when it stops.
int64_t stops_after(const Ids& ids, const std::vector<std::string>& strings, const Decode& decode) {
  const auto should_stop = stop_at(strings, decode);
  for (size_t n = 1; n <= ids.size(); ++n) {
    if (should_stop(std::span(ids).first(n))) return static_cast<int64_t>(n);
  }
  return -1;
}

// The same by decoding everything every time.
int64_t stops_after_plainly(const Ids& ids, const std::vector<std::string>& strings,
                            const Decode& decode) {
  for (size_t n = 1; n <= ids.size(); ++n) {
    const std::string text = decode(std::span(ids).first(n));
    for (const std::string& string : strings) {
      if (text.find(string) != std::string::npos) return static_cast<int64_t>(n);
    }
  }
  return -1;
}

TEST(StopStringsTest, FindsStringsAcrossTokens) {
  EXPECT_EQ(stops_after(bytes_of("one two\n\nthree"), {"\n\n"}, decode_bytes), 9);
  EXPECT_EQ(stops_after({2, 0, 1, 2}, {"p he"}, decode_words), 3);
  EXPECT_EQ(stops_after({2, 2, 2}, {"stop"}, decode_words), -1);
  EXPECT_EQ(stops_after(bytes_of("abc"), {"x", "bc"}, decode_bytes), 3);
}

TEST(StopStringsTest, WithoutStringsNothingStops) {
  EXPECT_EQ(stops_after({0, 1, 2}, {}, decode_words), -1);
  EXPECT_FALSE(stop_at({"a"}, decode_words)({}));
  expect_contains(error_of([] { stop_at({"a", ""}, decode_words); }), "stop string is empty");
}

TEST(StopStringsTest, FindsStringsLateInALongText) {
  const std::string text = std::string(500, 'x') + "Question:" + std::string(10, 'y');
  EXPECT_EQ(stops_after(bytes_of(text), {"Question:"}, decode_bytes), 509);
}

TEST(StopStringsTest, StringsMayBeLongerThanATail) {
  const std::string longest(300, 'z');
  const std::string text = std::string(200, 'x') + longest;
  EXPECT_EQ(stops_after(bytes_of(text), {longest}, decode_bytes), 500);
}

TEST(StopStringsTest, CharactersCutByTheTailAreNotLost) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "\U0001F600";
  text += "\U0001F601\U0001F602";
  EXPECT_EQ(stops_after(bytes_of(text), {"\U0001F601\U0001F602"}, decode_bytes), 248);
  EXPECT_EQ(stops_after(bytes_of(text), {"\U0001F603"}, decode_bytes), -1);
}

TEST(StopStringsTest, WhatOnlyATailShowsDoesNotStop) {
  Ids ids = {2};
  for (int i = 0; i < 200; ++i) ids.push_back(3);
  EXPECT_EQ(stops_after(ids, {"##"}, decode_words), -1);
}

TEST(StopStringsTest, LongTextsAreNotDecodedWhole) {
  size_t decoded = 0;
  const auto should_stop = stop_at({"\n\n"}, [&](std::span<const int64_t> ids) {
    decoded += ids.size();
    return decode_bytes(ids);
  });
  EXPECT_FALSE(should_stop(bytes_of(std::string(10'000, 'x'))));
  EXPECT_LT(decoded, 200u);
}

TEST(StopStringsTest, AgreesWithDecodingEverything) {
  const std::vector<std::string> letters = {"a", "b", "\u00e9", "\u4e16", "\U0001F600", " "};
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    std::string text;
    for (int i = 0; i < 80; ++i) text += letters[random.below(letters.size())];
    std::string wanted;
    for (int i = 0; i < 4; ++i) wanted += letters[random.below(letters.size())];
    const Ids ids = bytes_of(text);
    EXPECT_EQ(stops_after(ids, {wanted}, decode_bytes),
              stops_after_plainly(ids, {wanted}, decode_bytes))
        << text << " / " << wanted;
  }
}

}  // namespace
}  // namespace palimpsest::model
