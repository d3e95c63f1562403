// The quick reader must agree with the general one on whatever it accepts, so lines are read by
// both: as they are, and with an unknown member in front, which the quick reader leaves to the
// general one.

#include "palimpsest/trace/internal/fast_trace_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/trace/trace_file.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::trace {
namespace {

const std::string kFull =
    R"({"index": "7", "alternative": 2, "text": "a b", "num_labels": 3, "avg_loss": 1.5e0,)"
    R"( "logprob": [-1, -3.5], "mean": [-1, -1.0], "var": [0.5, 1E-3], "argmax": [3, -4],)"
    R"( "label": [3, 5], "tokens": ["a", "\u00e9\n"], "prompt": "w\u00e9?", "groups": {"topic": "x", "year": 1999},)"
    R"( "grad_norm": {"2": 0.5, "inf": 1e-2}})";

bool accepts(const std::string& line) {
  Trace trace;
  return read_trace_fast(line, trace);
}

void expect_equal(const Trace& a, const Trace& b, const std::string& line) {
  EXPECT_EQ(a.index, b.index) << line;
  EXPECT_EQ(a.alternative, b.alternative) << line;
  EXPECT_EQ(a.text, b.text) << line;
  EXPECT_EQ(a.num_labels, b.num_labels) << line;
  EXPECT_EQ(a.logprob, b.logprob) << line;
  EXPECT_EQ(a.mean, b.mean) << line;
  EXPECT_EQ(a.var, b.var) << line;
  EXPECT_EQ(a.argmax, b.argmax) << line;
  EXPECT_EQ(a.label, b.label) << line;
  EXPECT_EQ(a.tokens, b.tokens) << line;
  EXPECT_EQ(a.prompt, b.prompt) << line;
  EXPECT_EQ(a.given_avg_loss, b.given_avg_loss) << line;
  EXPECT_EQ(a.groups, b.groups) << line;
  EXPECT_EQ(a.grad_norm, b.grad_norm) << line;
}

// What the general reader makes of the line; nullopt where it refuses it.
std::optional<Trace> read_generally(const TempFolder& folder, const std::string& line) {
  const size_t brace = line.find('{');
  if (brace == std::string::npos) return std::nullopt;
  std::string other = line;
  other.insert(brace + 1, "\"unknown\": 0, ");
  TraceReader reader(folder.write("t.jsonl", "{\"palimpsest_trace\": 1}\n" + other + "\n"));
  Trace trace;
  try {
    reader.next(trace);
  } catch (const Error&) {
    return std::nullopt;
  }
  return trace;
}

TEST(FastTraceReaderTest, ReadsEveryField) {
  Trace trace;
  ASSERT_TRUE(read_trace_fast(kFull, trace));
  EXPECT_EQ(trace.index, "7");
  EXPECT_EQ(trace.alternative, 2);
  EXPECT_EQ(trace.text, "a b");
  EXPECT_EQ(trace.num_labels, 3);
  EXPECT_EQ(trace.given_avg_loss, 1.5);
  EXPECT_EQ(trace.logprob, (std::vector<double>{-1, -3.5}));
  EXPECT_EQ(trace.var, (std::vector<double>{0.5, to_float32(1e-3)}));
  EXPECT_EQ(trace.argmax, (std::vector<int64_t>{3, -4}));
  EXPECT_EQ(trace.tokens, (std::vector<std::string>{"a", "é\n"}));
  EXPECT_EQ(trace.prompt, "wé?");
  EXPECT_EQ(trace.groups.at("year"), "1999");
  EXPECT_EQ(trace.grad_norm.at("inf"), to_float32(0.01));
  TempFolder folder;
  const auto general = read_generally(folder, kFull);
  ASSERT_TRUE(general);
  expect_equal(trace, *general, kFull);
}

TEST(FastTraceReaderTest, ReadsWhatIsSpelledUnusually) {
  EXPECT_TRUE(accepts(" {\t\"num_labels\" :0 ,\"index\":\"\\\"\" } "));
  EXPECT_TRUE(accepts(R"({"index": -3, "num_labels": 0, "logprob": [], "groups": {}})"));
  EXPECT_TRUE(accepts(R"({"index": "é 😀", "num_labels": 0})"));
  EXPECT_TRUE(accepts(R"({"index": "\ud83d\ude00\\", "num_labels": 0})"));
}

TEST(FastTraceReaderTest, LeavesTheRestToTheGeneralReader) {
  for (const std::string line : {
           R"()",
           R"({)",
           R"([])",
           R"({})",
           R"({"index": 0})",
           R"({"num_labels": 0})",
           R"({"index": 0, "num_labels": 0} x)",
           R"({"index": 0, "num_labels": 0,})",
           R"({"index": 0, "num_labels": 0, "index": 1})",
           R"({"index": 0, "num_labels": 0, "unknown": 1})",
           R"({"index": 0, "num_labels": 0, "text": null})",
           R"({"index": 0, "num_labels": 1.0})",
           R"({"index": -0, "num_labels": 0})",
           R"({"index": 1.5, "num_labels": 0})",
           R"({"index": 0, "num_labels": 99999999999999999999})",
           R"({"index": 0, "num_labels": 1, "logprob": [NaN]})",
           R"({"index": 0, "num_labels": 1, "logprob": [inf]})",
           R"({"index": 0, "num_labels": 1, "logprob": [-Infinity]})",
           R"({"index": 0, "num_labels": 1, "logprob": [-01]})",
           R"({"index": 0, "num_labels": 1, "logprob": [-1.]})",
           R"({"index": 0, "num_labels": 1, "logprob": [-.5]})",
           R"({"index": 0, "num_labels": 1, "logprob": [-1e]})",
           R"({"index": 0, "num_labels": 1, "logprob": [+1]})",
           R"({"index": 0, "num_labels": 1, "logprob": [1e999]})",
           R"({"index": 0, "num_labels": 1, "logprob": [-]})",
           R"({"index": 0, "num_labels": 1, "logprob": [-1,]})",
           R"({"index": 0, "num_labels": 1, "logprob": [-1})",
           R"({"index": 0, "num_labels": 1, "label": [1.5]})",
           R"({"index": 0, "num_labels": 1, "groups": {"a": 1.50}})",
           R"({"index": 0, "num_labels": 1, "groups": {"a": 1, "a": 2}})",
           R"({"index": "\x", "num_labels": 0})",
           R"({"index": "\ud83d", "num_labels": 0})",
           R"({"index": "a)",
           R"({"index": "a\)",
       }) {
    EXPECT_FALSE(accepts(line)) << line;
  }
  EXPECT_FALSE(accepts("{\"index\": \"\xff\", \"num_labels\": 0}"));
  EXPECT_FALSE(accepts("{\"index\": \"a\tb\", \"num_labels\": 0}"));
  EXPECT_FALSE(accepts(std::string("{\"index\": \"a\0b\", \"num_labels\": 0}", 32)));
}

// A line of ours with a few bytes changed, lost or doubled, at random.
std::string damaged(Random& random) {
  std::string line = kFull;
  const auto changes = 1 + random.below(3);
  for (uint64_t i = 0; i < changes && !line.empty(); ++i) {
    const size_t at = random.below(line.size());
    constexpr std::string_view kBytes = "0123456789-+.eE\"\\[]{},: nul\tx\xc3\xa9";
    switch (random.below(4)) {
      case 0:
        line[at] = kBytes[random.below(kBytes.size())];
        break;
      case 1:
        line.erase(at, 1 + random.below(3));
        break;
      case 2:
        line.insert(at, 1, kBytes[random.below(kBytes.size())]);
        break;
      default:
        line.insert(at, line.substr(at, random.below(12)));
        break;
    }
  }
  return line;
}

TEST(FastTraceReaderTest, AgreesWithTheGeneralReaderOnDamagedLines) {
  Random random(7);
  TempFolder folder;
  int64_t read = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string line = damaged(random);
    Trace trace;
    if (!read_trace_fast(line, trace)) continue;
    ++read;
    const auto general = read_generally(folder, line);
    try {
      require_consistent(trace);
    } catch (const Error&) {
      EXPECT_FALSE(general) << line;
      continue;
    }
    ASSERT_TRUE(general) << line;
    expect_equal(trace, *general, line);
  }
  EXPECT_GT(read, 400);
}

// Every double that a program prints comes back as it was: all of it where a sum is kept in double,
// and rounded once where the trace keeps a float32.
TEST(FastTraceReaderTest, NumbersKeepEveryBit) {
  Random random(8);
  for (int i = 0; i < 2000; ++i) {
    const double value = -std::exp(40 * random.uniform() - 30);
    const std::string spelling =
        i % 2 == 0 ? fmt::format("{}", value) : fmt::format("{:.17e}", value);
    Trace trace;
    ASSERT_TRUE(read_trace_fast(
        fmt::format(R"({{"index": 0, "num_labels": 1, "avg_loss": {0}, "logprob": [{0}]}})",
                    spelling),
        trace));
    EXPECT_EQ(trace.given_avg_loss, value);
    EXPECT_EQ(trace.logprob->at(0), to_float32(value));
  }
}

// Whatever num_labels promises, no more memory is reserved than the line can fill.
TEST(FastTraceReaderTest, AHugeNumberOfLabelsReservesNothing) {
  Trace trace;
  ASSERT_TRUE(
      read_trace_fast(R"({"index": 0, "num_labels": 900000000000000000, "logprob": [-1]})", trace));
  EXPECT_LT(trace.logprob->capacity(), 100U);
}

}  // namespace
}  // namespace palimpsest::trace
