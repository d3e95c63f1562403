#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/trace/trace_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::trace {
namespace {

Trace numbered_trace(int64_t i) {
  Trace trace{.index = "example " + std::to_string(i), .num_labels = 1 + i % 4};
  const auto count = static_cast<size_t>(trace.num_labels);
  trace.logprob.emplace();
  trace.mean.emplace();
  trace.var.emplace();
  trace.argmax.emplace();
  trace.label.emplace();
  trace.tokens.emplace();
  for (size_t t = 0; t < count; ++t) {
    trace.logprob->push_back(-0.1 * static_cast<double>(i) - 0.001 * static_cast<double>(t));
    trace.mean->push_back(-3.3 - 0.01 * static_cast<double>(t));
    trace.var->push_back(1.7 + 0.1 * static_cast<double>(i));
    trace.argmax->push_back(i * 7 % 50000);
    trace.label->push_back(i * 11 % 50000);
    trace.tokens->push_back(t % 2 == 0 ? " the" : "ä");
  }
  trace.text = "text of " + std::to_string(i);
  round_to_float32(trace);
  return trace;
}

// As many kinds of traces as there are: with and without everything.
std::vector<Trace> mixed_traces() {
  std::vector<Trace> traces;
  for (int64_t i = 0; i < 40; ++i) traces.push_back(numbered_trace(i));
  traces[1].prompt = "";
  traces[2].prompt = "a \"prompt\"\n";
  traces[3].text.reset();
  traces[4].mean.reset();
  traces[5].tokens.reset();
  traces[6] = Trace{.index = "nothing", .num_labels = 0};
  traces[7] = Trace{.index = "loss only", .num_labels = 9, .given_avg_loss = 1.25};
  traces[8].groups = {{"author", "Mr \"X\""}, {"year", "1999"}};
  traces[9].grad_norm = {{"2", 0.5}, {"inf", 1e-3}};
  round_to_float32(traces[9]);
  traces[10].index = "example 0";
  traces[10].alternative = 3;
  traces[11].zlib_size = 77;
  traces[11].text_hash = "0123456789abcdef";
  traces[12].argmax->front() = int64_t{1} << 40;  // wider than four bytes
  traces[13].label->front() = 70000;              // wider than two
  return traces;
}

void write_traces(const std::filesystem::path& file, const std::vector<Trace>& traces) {
  TraceWriter writer(file, {.model = "m", .dataset = "d", .fingerprint = "f"});
  for (const Trace& trace : traces) writer.write(trace);
  writer.commit();
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  TraceReader reader(file);
  std::vector<std::string> lines = {trace_header_line(reader.header())};
  for (Trace trace; reader.next(trace);) lines.push_back(trace_line(trace));
  return lines;
}

std::vector<std::string> lines_of_blocks(const std::filesystem::path& file, int threads) {
  TraceReader reader(file);
  WorkerPool pool(threads);
  std::vector<std::string> lines = {trace_header_line(reader.header())};
  for (std::vector<LocatedTrace> block; reader.next_block(block, pool);) {
    for (const LocatedTrace& one : block) lines.push_back(trace_line(one.trace));
  }
  return lines;
}

// Where the numbers of a column begin in a file.
char* column_in(std::string& file, const char* column) {
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  const Json header = parse_json(file.substr(8, length), "header");
  return file.data() + 8 + length + header.at(column).at("data_offsets").at(0).get<size_t>();
}

class ColumnTracesTest : public testing::Test {
 protected:
  std::filesystem::path file(const char* name) const { return folder_.path() / name; }
  TempFolder folder_;
};

TEST_F(ColumnTracesTest, BothKindsOfFilesHoldTheSame) {
  write_traces(file("t.jsonl"), mixed_traces());
  write_traces(file("t.safetensors"), mixed_traces());
  const std::vector<std::string> expected = lines_of(file("t.jsonl"));
  EXPECT_EQ(expected.size(), 41U);
  EXPECT_EQ(lines_of(file("t.safetensors")), expected);
  for (const int threads : {1, 3}) {
    EXPECT_EQ(lines_of_blocks(file("t.safetensors"), threads), expected);
  }
}

TEST_F(ColumnTracesTest, TheNameDoesNotDecideHowAFileIsRead) {
  write_traces(file("t.safetensors"), mixed_traces());
  const std::vector<std::string> expected = lines_of(file("t.safetensors"));
  std::filesystem::rename(file("t.safetensors"), file("t.jsonl"));
  EXPECT_EQ(lines_of(file("t.jsonl")), expected);
}

TEST_F(ColumnTracesTest, ManyTracesAreSpooledAndKeepEveryBit) {
  std::vector<Trace> traces;
  std::mt19937 random(3);
  std::exponential_distribution<double> draw;
  for (int64_t i = 0; i < 30000; ++i) {
    Trace& trace = traces.emplace_back(numbered_trace(i));
    for (double& value : *trace.logprob) value = to_float32(-draw(random));
  }
  write_traces(file("t.safetensors"), traces);
  TraceReader reader(file("t.safetensors"));
  size_t i = 0;
  for (Trace trace; reader.next(trace); ++i) {
    ASSERT_EQ(*trace.logprob, *traces[i].logprob);
    ASSERT_EQ(*trace.label, *traces[i].label);
  }
  EXPECT_EQ(i, traces.size());
}

// What Python's package needs: the header's length, names, types, shapes, and bytes back to back.
TEST_F(ColumnTracesTest, TheHeaderIsThatOfSafetensors) {
  std::vector<Trace> traces;
  for (int64_t i = 0; i < 3; ++i) traces.push_back(numbered_trace(i));
  write_traces(file("t.safetensors"), traces);
  const std::string bytes = folder_.read("t.safetensors");
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U);
  const Json header = parse_json(bytes.substr(8, length), "header");
  EXPECT_EQ(
      header["__metadata__"],
      Json({{"dataset", "d"}, {"fingerprint", "f"}, {"model", "m"}, {"palimpsest_trace", "1"}}));
  EXPECT_EQ(header["logprob"]["dtype"], "F32");
  EXPECT_EQ(header["logprob"]["shape"], Json({6}));
  EXPECT_EQ(header["offsets"]["dtype"], "I64");
  EXPECT_EQ(header["offsets"]["shape"], Json({4}));
  EXPECT_EQ(header["label"]["dtype"], "U16");
  EXPECT_FALSE(header.contains("logprob.present"));
  EXPECT_FALSE(header.contains("prompt"));
  EXPECT_FALSE(header.contains("alternative"));
  uint64_t end = 0;
  for (const auto& item : header.items()) {
    if (item.key() == "__metadata__") continue;
    const uint64_t begin = item.value()["data_offsets"][0].get<uint64_t>();
    EXPECT_EQ(begin, end) << item.key();
    const std::string type = item.value()["dtype"].get<std::string>();
    EXPECT_EQ(begin % (type == "U8"    ? 1
                       : type == "U16" ? 2
                       : type == "F32" ? 4
                                       : 8),
              0U)
        << item.key();
    end = item.value()["data_offsets"][1].get<uint64_t>();
  }
  EXPECT_EQ(bytes.size(), 8 + length + end);
  float first = 0;
  std::memcpy(&first,
              bytes.data() + 8 + length + header["logprob"]["data_offsets"][0].get<uint64_t>() + 4,
              sizeof first);
  EXPECT_EQ(static_cast<double>(first), (*traces[1].logprob)[0]);
}

TEST_F(ColumnTracesTest, TakeLessSpaceThanLines) {
  std::vector<Trace> traces;
  for (int64_t i = 0; i < 200; ++i) {
    Trace& trace = traces.emplace_back(numbered_trace(i));
    trace.num_labels = 100;
    for (auto* values : {&trace.logprob, &trace.mean, &trace.var}) {
      values->emplace(100);
      for (size_t t = 0; t < 100; ++t)
        (**values)[t] =
            to_float32(-0.123456789 * static_cast<double>(i + 1) / (1.0 + static_cast<double>(t)));
    }
    trace.argmax.emplace(100, 12345);
    trace.label.emplace(100, 23456);
    trace.tokens.emplace(100, " word");
  }
  write_traces(file("t.jsonl"), traces);
  write_traces(file("t.safetensors"), traces);
  EXPECT_LT(2 * std::filesystem::file_size(file("t.safetensors")),
            std::filesystem::file_size(file("t.jsonl")));
}

TEST_F(ColumnTracesTest, WithoutCommitThereIsNoFile) {
  {
    TraceWriter writer(file("t.safetensors"), {});
    writer.write(numbered_trace(1));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

// Cut or changed anywhere, the file is read or refused with its name, and nothing else happens.
TEST_F(ColumnTracesTest, DamageIsFoundOrHarmless) {
  write_traces(file("t.safetensors"), mixed_traces());
  const std::string whole = folder_.read("t.safetensors");
  const auto read_all = [&] {
    try {
      lines_of(file("damaged.safetensors"));
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("damaged.safetensors"), std::string::npos)
          << error.what();
    }
  };
  for (size_t length = 0; length < whole.size(); length += 97) {
    folder_.write("damaged.safetensors", whole.substr(0, length));
    expect_contains(error_of([&] { lines_of(file("damaged.safetensors")); }), "damaged");
  }
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string bytes = whole;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    folder_.write("damaged.safetensors", bytes);
    read_all();
  }
}

TEST_F(ColumnTracesTest, SaysWhichTraceIsWrong) {
  std::vector<Trace> traces = {numbered_trace(0), numbered_trace(1), numbered_trace(2)};
  traces[2].index = traces[0].index;
  write_traces(file("t.safetensors"), traces);
  expect_contains(error_of([&] { lines_of(file("t.safetensors")); }),
                  "t.safetensors, trace 3: the index 'example 0' occurs twice");
  traces[2] = numbered_trace(2);
  traces[1].logprob->front() = 0.5;
  write_traces(file("t.safetensors"), traces);
  expect_contains(error_of([&] { lines_of(file("t.safetensors")); }),
                  "t.safetensors, trace 2: 'logprob' holds 0.5");
}

// A file with one number or byte of a column replaced.
class HostileColumnsTest : public ColumnTracesTest {
 protected:
  HostileColumnsTest() {
    write_traces(file("t.safetensors"), {numbered_trace(0), numbered_trace(1), numbered_trace(2)});
    whole_ = folder_.read("t.safetensors");
  }
  template <class T>
  std::string refusal(const char* column, size_t element, T value) {
    std::string bytes = whole_;
    std::memcpy(column_in(bytes, column) + element * sizeof(T), &value, sizeof(T));
    folder_.write("hostile.safetensors", bytes);
    return error_of([&] { lines_of(file("hostile.safetensors")); });
  }

  std::string whole_;
};

TEST_F(HostileColumnsTest, OffsetsCoverTheirColumn) {
  const std::string offsets = "hostile.safetensors: the column 'offsets' does not fit the others";
  EXPECT_EQ(refusal<int64_t>("offsets", 0, 1),
            (folder_.path() / offsets).string() + " (expected offsets from 0, found 1 to 6)");
  expect_contains(refusal<int64_t>("offsets", 3, -1), offsets);
  expect_contains(refusal<int64_t>("offsets", 2, 5'000'000), "trace 2: 'offsets' points outside");
  // The first byte of a text used to be dropped in silence, and so was what the last one left over.
  expect_contains(refusal<int64_t>("text.offsets", 0, 1), "expected offsets from 0 to 27");
  expect_contains(refusal<int64_t>("text.offsets", 3, 26), "found 0 to 26");
  expect_contains(refusal<int64_t>("text.offsets", 1, 27), "trace 2: 'text' points outside");
}

TEST_F(HostileColumnsTest, TextsAreUtf8) {
  expect_contains(refusal<uint8_t>("text", 0, 0xFF), "trace 1: 'text' is not valid UTF-8");
  expect_contains(refusal<uint8_t>("index", 3, 0xC3), "trace 1: 'index' is not valid UTF-8");
  expect_contains(refusal<uint8_t>("token_texts", 0, 0xA4), "'token_texts' is not valid UTF-8");
  // What is written is UTF-8, as in JSON lines.
  Trace trace = numbered_trace(0);
  trace.text = "a\xFF";
  write_traces(file("t.safetensors"), {trace});
  write_traces(file("t.jsonl"), {trace});
  EXPECT_EQ(lines_of(file("t.safetensors")), lines_of(file("t.jsonl")));
}

// A long text that every token refers to.
TEST_F(ColumnTracesTest, TokensDoNotTakeMoreMemoryThanALineMay) {
  constexpr size_t kTokens = 1100;
  Trace trace{.index = "0", .num_labels = kTokens};
  trace.tokens.emplace(kTokens, "b");
  trace.tokens->front() = std::string(size_t{1} << 20, 'a');
  write_traces(file("t.safetensors"), {trace});
  std::string bytes = folder_.read("t.safetensors");
  std::memset(column_in(bytes, "tokens"), 0, kTokens * sizeof(uint16_t));
  folder_.write("t.safetensors", bytes);
  expect_contains(error_of([&] { lines_of(file("t.safetensors")); }),
                  "t.safetensors, trace 1: 'tokens' is longer than 1073741824 bytes");
}

TEST_F(ColumnTracesTest, ListsOfNoTokens) {
  Trace trace{.index = "0", .num_labels = 0};
  trace.logprob.emplace();
  trace.tokens.emplace();
  write_traces(file("t.safetensors"), {trace});
  write_traces(file("t.jsonl"), {trace});
  EXPECT_EQ(lines_of(file("t.safetensors")), lines_of(file("t.jsonl")));
}

// Each order is a column, which would grow with the square of the number of traces.
TEST_F(ColumnTracesTest, OrdersOfNormsAreFew) {
  std::vector<Trace> traces;
  for (int64_t i = 0; i < 17; ++i) {
    traces.push_back(numbered_trace(i));
    traces.back().grad_norm[std::to_string(i)] = 1;
  }
  expect_contains(error_of([&] { write_traces(file("t.safetensors"), traces); }),
                  "'grad_norm' has more than 16 orders");
  traces.resize(1);
  traces[0].grad_norm = {{"2\n", 1}};
  expect_contains(error_of([&] { write_traces(file("t.safetensors"), traces); }),
                  "'grad_norm' has an order that is not a number");
  EXPECT_FALSE(std::filesystem::exists(file("t.safetensors")));
}

TEST_F(ColumnTracesTest, OtherTensorsAreNoTraces) {
  const std::string header = R"({"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  folder_.write("w.safetensors", bytes + header);
  expect_contains(error_of([&] { TraceReader reader(file("w.safetensors")); }),
                  "w.safetensors: this is not a trace file: its metadata lack the key");
}

}  // namespace
}  // namespace palimpsest::trace
