#include "palimpsest/engine/internal/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "palimpsest/base/random.h"

namespace palimpsest::engine {
namespace {

std::vector<int64_t> joined(std::initializer_list<std::vector<int64_t>> parts) {
  std::vector<int64_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<int64_t> consecutive_ids(int64_t first, int64_t count) {
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

// The answer is labelled, the prompt is not.
model::Sequence asked(const std::vector<int64_t>& prompt, const std::vector<int64_t>& answer) {
  model::Sequence sequence{.ids = joined({prompt, answer})};
  sequence.labels.assign(prompt.size(), kIgnoredLabel);
  sequence.labels.insert(sequence.labels.end(), answer.begin(), answer.end());
  return sequence;
}

// The tokens that a node stands on, its own last.
std::vector<int64_t> path_of(const Packing& packing, std::span<const model::Sequence> sequences,
                             int64_t number) {
  std::vector<int64_t> path;
  for (; number >= 0; number = packing.nodes[number].parent) {
    const PackedNode& node = packing.nodes[number];
    const std::vector<int64_t>& ids = sequences[node.sequence].ids;
    path.insert(path.begin(), ids.begin() + node.begin, ids.begin() + node.end);
  }
  return path;
}

void expect_sound_nodes(const Packing& packing, const PackingOptions& options) {
  std::vector<int64_t> children(packing.nodes.size());
  for (size_t i = 0; i < packing.nodes.size(); ++i) {
    const PackedNode& node = packing.nodes[i];
    EXPECT_LT(node.begin, node.end) << i;
    EXPECT_LT(node.parent, static_cast<int64_t>(i));
    EXPECT_EQ(node.begin, node.parent < 0 ? 0 : packing.nodes[node.parent].end) << i;
    if (options.cut_long) {
      EXPECT_LE(node.count(), options.max_rows) << i;
    }
    if (node.parent >= 0) ++children[node.parent];
  }
  for (size_t i = 0; i < children.size(); ++i) EXPECT_EQ(packing.nodes[i].children, children[i]);
}

void expect_sound_batches(const Packing& packing, const PackingOptions& options) {
  std::vector<int64_t> order;
  for (const std::vector<int64_t>& batch : packing.batches) {
    ASSERT_FALSE(batch.empty());
    int64_t rows = 0;
    for (const int64_t node : batch) rows += packing.nodes[node].count();
    if (batch.size() > 1) {
      EXPECT_LE(rows, options.max_rows);
    }
    order.insert(order.end(), batch.begin(), batch.end());
  }
  EXPECT_EQ(order, consecutive_ids(0, static_cast<int64_t>(packing.nodes.size())));
}

// Every labelled position once, at the row that has seen exactly the tokens before it.
void expect_every_label(const Packing& packing, std::span<const model::Sequence> sequences) {
  std::set<std::pair<int64_t, int64_t>> found;  // sequence, slot
  for (size_t i = 0; i < packing.nodes.size(); ++i) {
    const PackedNode& node = packing.nodes[i];
    const std::vector<int64_t> path = path_of(packing, sequences, static_cast<int64_t>(i));
    std::set<std::pair<int64_t, int64_t>> different;  // row, label
    for (const LabelledRow& labelled : node.labels) {
      EXPECT_TRUE(different.emplace(labelled.row, labelled.label).second);
      EXPECT_FALSE(labelled.slots.empty());
      for (const ScoreSlot& found_slot : labelled.slots) {
        EXPECT_TRUE(found.emplace(found_slot.sequence, found_slot.slot).second);
        const model::Sequence& sequence = sequences[found_slot.sequence];
        int64_t slot = -1;
        size_t t = 0;
        while (slot < found_slot.slot) slot += sequence.labels[++t] != kIgnoredLabel ? 1 : 0;
        EXPECT_EQ(labelled.label, sequence.labels[t]);
        const auto seen = static_cast<size_t>(node.begin + labelled.row + 1);
        ASSERT_EQ(seen, t);
        EXPECT_TRUE(std::equal(path.begin(), path.begin() + seen, sequence.ids.begin()));
      }
    }
  }
  size_t wanted = 0;
  for (const model::Sequence& sequence : sequences) {
    for (size_t t = 1; t < sequence.labels.size(); ++t) {
      wanted += sequence.labels[t] != kIgnoredLabel ? 1 : 0;
    }
  }
  EXPECT_EQ(found.size(), wanted);
}

Packing packed(std::span<const model::Sequence> sequences, const PackingOptions& options = {}) {
  Packing packing = pack(sequences, options);
  expect_sound_nodes(packing, options);
  expect_sound_batches(packing, options);
  expect_every_label(packing, sequences);
  return packing;
}

int64_t tokens_of(const Packing& packing) {
  int64_t tokens = 0;
  for (const PackedNode& node : packing.nodes) tokens += node.count();
  return tokens;
}

TEST(PackingTest, NothingToPack) {
  EXPECT_TRUE(packed({}).nodes.empty());
  EXPECT_TRUE(packed({}).batches.empty());
}

TEST(PackingTest, SequencesWithoutLabelsAreAbsent) {
  const std::vector<model::Sequence> sequences = {
      {},
      {.ids = {5}, .labels = {5}},  // position 0 is predicted from nothing
      {.ids = {5, 6, 7}, .labels = {5, kIgnoredLabel, kIgnoredLabel}},
      asked({1, 2}, {3}),
      {.ids = {1, 2}, .labels = {kIgnoredLabel, kIgnoredLabel}}};
  const Packing packing = packed(sequences);
  ASSERT_EQ(packing.nodes.size(), 1u);
  EXPECT_EQ(packing.nodes[0].sequence, 3);
}

// The last token of an answer predicts nothing, so it does not run.
TEST(PackingTest, AQuestionWithManyAnswersIsComputedOnce) {
  const std::vector<int64_t> question = consecutive_ids(0, 40);
  const std::vector<model::Sequence> sequences = {asked(question, {90, 91, 92}),
                                                  asked(question, {93}), asked(question, {94, 95})};
  const Packing packing = packed(sequences);
  ASSERT_EQ(packing.nodes.size(), 3u);
  EXPECT_EQ(packing.nodes[0].end, 40);
  EXPECT_EQ(packing.nodes[0].children, 2);  // the answer of one token is predicted here
  EXPECT_EQ(packing.nodes[0].labels.size(), 3u);
  EXPECT_EQ(tokens_of(packing), 40 + 2 + 1);
}

// Answers that tell the same story up to a point, as perturbed ones do.
TEST(PackingTest, AnswersThatPartLate) {
  const std::vector<int64_t> story = consecutive_ids(50, 20);
  const std::vector<int64_t> question = consecutive_ids(0, 10);
  std::vector<model::Sequence> sequences;
  for (const int64_t fact : {90, 91, 92}) {
    sequences.push_back(asked(question, joined({story, {fact, 99, 99}})));
  }
  const Packing packing = packed(sequences);
  ASSERT_EQ(packing.nodes.size(), 4u);
  EXPECT_EQ(tokens_of(packing), 10 + 20 + 3 * 2);
  // 20 predictions of the story, each for three answers, and three of the fact.
  ASSERT_EQ(packing.nodes[0].labels.size(), 23u);
  EXPECT_EQ(packing.nodes[0].labels[0].slots.size(), 3u);
  EXPECT_EQ(packing.nodes[0].labels[22].slots.size(), 1u);
}

// What follows the last label changes nothing before it.
TEST(PackingTest, NothingRunsAfterTheLastLabel) {
  model::Sequence sequence = asked({1, 2, 3}, {4, 5});
  sequence.ids.insert(sequence.ids.end(), {6, 7, 8});
  sequence.labels.insert(sequence.labels.end(), 3, kIgnoredLabel);
  EXPECT_EQ(tokens_of(packed({&sequence, 1})), 4);
}

TEST(PackingTest, ASystemPromptAboveQuestions) {
  const std::vector<int64_t> system = consecutive_ids(0, 30);
  const std::vector<int64_t> first = joined({system, consecutive_ids(100, 20)});
  const std::vector<int64_t> second = joined({system, consecutive_ids(200, 25)});
  std::vector<model::Sequence> sequences;
  for (const int64_t answer : {300, 301, 302}) {
    sequences.push_back(asked(first, {answer, 9}));
    sequences.push_back(asked(second, {answer, 9}));
  }
  const Packing packing = packed(sequences);
  // The system prompt, two questions, six answers without their last tokens.
  EXPECT_EQ(packing.nodes.size(), 9u);
  EXPECT_EQ(tokens_of(packing), 30 + 20 + 25 + 6);
  EXPECT_EQ(packing.nodes[0].end, 30);
  EXPECT_EQ(packing.nodes[0].children, 2);
}

// One prompt is the beginning of the next.
TEST(PackingTest, NestedPrompts) {
  std::vector<model::Sequence> sequences;
  for (int64_t length = 10; length <= 100; length += 10) {
    sequences.push_back(asked(consecutive_ids(0, length), {500 + length, 501, 502}));
  }
  const Packing packing = packed(sequences);
  // Each beginning once for everybody who goes on from it.
  EXPECT_EQ(tokens_of(packing), 100 + 10 * 2);
}

TEST(PackingTest, TooLittleIsNotShared) {
  const auto answered = [](int64_t id) { return asked(consecutive_ids(0, 7), {id, id}); };
  const std::vector<model::Sequence> two = {answered(50), answered(51)};
  EXPECT_EQ(packed(two).nodes.size(), 2u);  // saves seven tokens
  const std::vector<model::Sequence> three = {two[0], two[1], answered(52)};
  EXPECT_EQ(packed(three).nodes.size(), 4u);  // saves fourteen
}

TEST(PackingTest, SharingCanBeSwitchedOff) {
  const std::vector<model::Sequence> sequences = {asked(consecutive_ids(0, 50), {60}),
                                                  asked(consecutive_ids(0, 50), {61, 62})};
  const Packing packing = packed(sequences, {.share_beginnings = false});
  ASSERT_EQ(packing.nodes.size(), 2u);
  EXPECT_EQ(packing.nodes[0].sequence, 1);  // the longer one first
  EXPECT_EQ(packing.nodes[1].sequence, 0);
}

TEST(PackingTest, EqualSequencesRunOnce) {
  const model::Sequence sequence{.ids = consecutive_ids(0, 60), .labels = consecutive_ids(0, 60)};
  model::Sequence half = sequence;
  std::fill_n(half.labels.begin(), 30, kIgnoredLabel);
  const std::vector<model::Sequence> sequences = {sequence, half, sequence};
  const Packing packing = packed(sequences);
  ASSERT_EQ(packing.nodes.size(), 1u);
  EXPECT_EQ(tokens_of(packing), 59);
  EXPECT_EQ(packing.nodes[0].labels.front().slots.size(), 2u);
  EXPECT_EQ(packing.nodes[0].labels.back().slots.size(), 3u);
}

TEST(PackingTest, NothingIsSharedAcrossRotaryClasses) {
  const model::Rotary rotary{.dims = 8,
                             .scaling = model::RopeScaling::kLongRope,
                             .original_max_positions = 45,
                             .short_factor = {1, 1, 1, 1},
                             .long_factor = {2, 2, 2, 2}};
  std::vector<model::Sequence> sequences;
  for (const int64_t answer : {2, 3, 20, 21}) {
    sequences.push_back(asked(consecutive_ids(0, 40), consecutive_ids(100 * answer, answer)));
  }
  const PackingOptions options{.rotary = rotary};
  const Packing packing = packed(sequences, options);
  EXPECT_EQ(packing.nodes.size(), 6u);  // a prompt for each class
  for (const PackedNode& node : packing.nodes) {
    for (int64_t above = node.parent; above >= 0; above = packing.nodes[above].parent) {
      EXPECT_EQ(model::rotary_length_class(rotary, packing.nodes[above].rope_length),
                model::rotary_length_class(rotary, node.rope_length));
    }
    if (!node.labels.empty()) {
      EXPECT_EQ(node.rope_length, static_cast<int64_t>(sequences[node.sequence].ids.size()));
    }
  }
}

TEST(PackingTest, LongNodesBecomeChains) {
  const std::vector<model::Sequence> sequences = {
      {.ids = consecutive_ids(0, 100), .labels = consecutive_ids(0, 100)}};
  const Packing packing = packed(sequences, {.max_rows = 30});
  ASSERT_EQ(packing.nodes.size(), 4u);
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(packing.nodes[i].parent, i - 1);
  const Packing whole = packed(sequences, {.max_rows = 30, .cut_long = false});
  EXPECT_EQ(whole.nodes.size(), 1u);
}

TEST(PackingTest, LongestFirst) {
  std::vector<model::Sequence> sequences;
  for (const int64_t length : {5, 50, 20, 50, 7}) {
    const auto first = static_cast<int64_t>(sequences.size()) * 100;
    sequences.push_back(
        {.ids = consecutive_ids(first, length), .labels = consecutive_ids(0, length)});
  }
  const Packing packing = packed(sequences, {.max_rows = 60});
  std::vector<int64_t> order;
  for (const PackedNode& node : packing.nodes) order.push_back(node.sequence);
  EXPECT_EQ(order, (std::vector<int64_t>{1, 3, 2, 4, 0}));
}

std::vector<model::Sequence> random_sequences(uint64_t seed) {
  Random random(seed);
  std::vector<model::Sequence> sequences;
  const auto count = static_cast<int64_t>(random.below(30));
  for (int64_t i = 0; i < count; ++i) {
    // Few different tokens, so that beginnings coincide to every depth.
    model::Sequence sequence;
    const uint64_t length = random.below(40);
    const uint64_t labelled_from = random.below(45);
    for (uint64_t t = 0; t < length; ++t) {
      sequence.ids.push_back(static_cast<int64_t>(random.below(t < 12 ? 1 : 2)));
      const bool labelled = t >= labelled_from && random.below(4) > 0;
      sequence.labels.push_back(labelled ? static_cast<int64_t>(random.below(9)) : kIgnoredLabel);
    }
    sequences.push_back(sequence);
  }
  return sequences;
}

TEST(PackingTest, RandomSequences) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<model::Sequence> sequences = random_sequences(seed);
    for (const int64_t max_rows : {1, 5, 64}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << max_rows << " rows");
      packed(sequences, {.max_rows = max_rows});
      packed(sequences, {.max_rows = max_rows, .cut_long = false});
      packed(sequences, {.max_rows = max_rows, .share_beginnings = false});
    }
    if (HasFailure()) return;
  }
}

TEST(PackingTest, TheSameInputRunsTheSameWay) {
  const std::vector<model::Sequence> sequences = random_sequences(77);
  const Packing first = pack(sequences, {.max_rows = 16});
  const Packing second = pack(sequences, {.max_rows = 16});
  ASSERT_EQ(first.nodes.size(), second.nodes.size());
  EXPECT_EQ(first.batches, second.batches);
  for (size_t i = 0; i < first.nodes.size(); ++i) {
    EXPECT_EQ(first.nodes[i].sequence, second.nodes[i].sequence);
    EXPECT_EQ(first.nodes[i].begin, second.nodes[i].begin);
    EXPECT_EQ(first.nodes[i].parent, second.nodes[i].parent);
  }
}

}  // namespace
}  // namespace palimpsest::engine
