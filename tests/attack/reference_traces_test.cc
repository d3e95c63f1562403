#include "palimpsest/attack/internal/reference_traces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "palimpsest/base/internal/worker_pool.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::attack {
namespace {

const std::string kReferenceHeader = "{\"palimpsest_trace\": 1, \"model\": \"r\"}\n";

// A line whose loss tells which example it is.
std::string line(int64_t index, int64_t alternative = 0) {
  return fmt::format(
      "{{\"index\": {}, \"alternative\": {}, \"num_labels\": 1, \"avg_loss\": {}}}\n", index,
      alternative, 10 * index + alternative);
}

trace::Trace example(int64_t index, int64_t alternative = 0) {
  return {.index = std::to_string(index), .alternative = alternative, .num_labels = 1};
}

TEST(ReferenceTracesTest, FindsExamplesInAnyOrder) {
  TempFolder folder;
  WorkerPool pool(2);
  const auto path =
      folder.write("r.jsonl", kReferenceHeader + line(0) + line(1) + line(1, 1) + line(2));
  ReferenceTraces references(path, trace::TraceParts::kAll, pool);
  EXPECT_EQ(references.header().model, "r");
  EXPECT_EQ(references.take(example(2)).trace.given_avg_loss, 20);
  const trace::LocatedTrace further = references.take(example(1, 1));
  EXPECT_EQ(further.trace.given_avg_loss, 11);
  EXPECT_EQ(references.where(further.line), path.string() + ":4");
  EXPECT_EQ(references.take(example(1)).trace.given_avg_loss, 10);
  EXPECT_EQ(references.take(example(0)).trace.given_avg_loss, 0);
}

TEST(ReferenceTracesTest, FindsExamplesOverManyBlocks) {
  TempFolder folder;
  WorkerPool pool(2);
  std::string body = kReferenceHeader;
  const std::string padding(40'000, 'x');  // some hundred examples fill a block
  for (int64_t i = 0; i < 300; ++i) {
    body +=
        fmt::format("{{\"index\": {}, \"num_labels\": 1, \"avg_loss\": {}, \"text\": \"{}\"}}\n", i,
                    i, padding);
  }
  ReferenceTraces references(folder.write("r.jsonl", body), trace::TraceParts::kAll, pool);
  for (int64_t i = 299; i >= 0; --i) {
    EXPECT_EQ(references.take(example(i)).trace.given_avg_loss, static_cast<double>(i));
  }
}

TEST(ReferenceTracesTest, SaysWhichExampleIsMissing) {
  TempFolder folder;
  WorkerPool pool(1);
  const auto path = folder.write("r.jsonl", kReferenceHeader + line(0));
  ReferenceTraces references(path, trace::TraceParts::kAll, pool);
  expect_contains(
      error_of([&] { references.take(example(7)); }),
      "r.jsonl: the reference model's traces lack the example '7'; trace the same data");
  expect_contains(error_of([&] { references.take(example(0, 3)); }), "'0' (alternative 3)");
}

// What is said of a reference trace that lacks these members, against one that has them.
std::string refusal(const trace::Trace& trace, const std::string& members) {
  TempFolder folder;
  WorkerPool pool(1);
  const auto path = folder.write("r.jsonl", kReferenceHeader + "{\"index\": 0, " + members + "}\n");
  ReferenceTraces references(path, trace::TraceParts::kAll, pool);
  return error_of([&] { references.take(trace); });
}

TEST(ReferenceTracesTest, RefusesOtherTokens) {
  const trace::Trace trace{.index = "0",
                           .text = "a b",
                           .num_labels = 3,
                           .logprob = {{-1, -2, -3}},
                           .label = {{5, 6, 7}}};
  const std::string labels = refusal(trace, "\"num_labels\": 2");
  expect_contains(labels, "r.jsonl:2: the reference model's trace of the example '0'");
  expect_contains(labels, "(found 2 labelled tokens against 3)");
  expect_contains(labels, "different vocabularies, or other data was traced");
  expect_contains(refusal(trace, "\"num_labels\": 3, \"label\": [5, 6, 8]"), "other label ids");
  expect_contains(refusal(trace, "\"num_labels\": 3, \"logprob\": [-1, -2]"),
                  "2 log-probabilities against 3");
  expect_contains(refusal(trace, "\"num_labels\": 3, \"text\": \"a c\""), "another text");
}

TEST(ReferenceTracesTest, EqualIdsOutweighTheText) {
  TempFolder folder;
  WorkerPool pool(1);
  const auto path = folder.write(
      "r.jsonl",
      kReferenceHeader + "{\"index\": 0, \"num_labels\": 1, \"label\": [5], \"text\": \"B\"}\n");
  ReferenceTraces references(path, trace::TraceParts::kAll, pool);
  const trace::Trace trace{.index = "0", .text = "b", .num_labels = 1, .label = {{5}}};
  EXPECT_EQ(references.take(trace).trace.text, "B");
}

}  // namespace
}  // namespace palimpsest::attack
