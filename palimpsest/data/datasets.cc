#include "palimpsest/data/datasets.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"

namespace palimpsest::data {
namespace {

std::map<std::string, std::string> groups_of(const Record& record,
                                             const std::vector<std::string>& keys) {
  std::map<std::string, std::string> groups;
  for (const std::string& key : keys) {
    const std::optional<std::string> label = record.label(key);
    if (!label) record.text(key);  // says what is there instead
    groups[key] = label.value_or("");
  }
  return groups;
}

void require_length(int64_t max_length) {
  if (max_length < 1) throw Error("the maximum length of an example is less than one token");
}

// Labels: the ids, but for the first `unlabelled` ones.
std::vector<int64_t> labels_after(const std::vector<int64_t>& ids, size_t unlabelled) {
  std::vector<int64_t> labels = ids;
  std::fill_n(labels.begin(), std::min(unlabelled, labels.size()), kIgnoredLabel);
  return labels;
}

bool has_label(const Example& example) {
  return std::ranges::any_of(example.labels, [](int64_t label) { return label != kIgnoredLabel; });
}

// Runs make(i) → examples of record i for all records, in their order.
template <class Make>
Examples collect(size_t count, int threads, Make make) {
  std::vector<Examples> parts(count);
  parallel_for(static_cast<int64_t>(count), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      parts[static_cast<size_t>(i)] = make(static_cast<size_t>(i));
  });
  Examples all;
  for (Examples& part : parts) {
    all.truncated += part.truncated;
    all.lost_beginnings += part.lost_beginnings;
    for (Example& example : part.examples) {
      if (!has_label(example)) ++all.without_labels;
      all.examples.push_back(std::move(example));
    }
  }
  return all;
}

// The number of tokens before the first labelled one. Counts an example that loses the beginning of
// its answer.
size_t label_begin(LabelStart start, size_t prompt_size, size_t answer_begin, Examples& made) {
  if (start == LabelStart::kExact) return answer_begin;
  if (answer_begin < prompt_size) ++made.lost_beginnings;
  return prompt_size;
}

// Prefix and text as one sequence of which the prefix is not labelled.
Example completion_of(const std::string& prefix, const std::string& text,
                      const CompletionOptions& options, const tokenizer::Tokenizer& tokenizer,
                      Examples& made) {
  Example example;
  example.prompt_ids = tokenizer.encode(prefix).ids;
  const std::string beginning = prefix + (options.insert_space ? " " : "");
  example.ids = tokenizer.encode(beginning + text).ids;
  // A space that is put between them belongs to the text's first token.
  const size_t text_begin =
      first_token_after(prefix, example.prompt_ids, beginning + text, example.ids, tokenizer, {});
  const size_t longest = example.prompt_ids.size() + static_cast<size_t>(options.max_length);
  if (example.ids.size() > longest) {
    example.ids.resize(longest);
    ++made.truncated;
  }
  const size_t begin = label_begin(options.labels, example.prompt_ids.size(), text_begin, made);
  example.labels =
      labels_after(example.ids, std::max<size_t>(begin, 1));  // nothing predicts the first
  return example;
}

}  // namespace

std::string_view name_of(LabelStart start) {
  return start == LabelStart::kExact ? "exact" : "published";
}

LabelStart label_start_named(std::string_view name) {
  for (const LabelStart start : {LabelStart::kPublished, LabelStart::kExact}) {
    if (name == name_of(start)) return start;
  }
  throw Error({.what = fmt::format("there is no kind of labels '{}'", name),
               .expected = "published or exact"});
}

Examples question_answer_examples(const std::vector<Record>& records,
                                  const QuestionAnswerOptions& options,
                                  const PromptTemplate& prompt,
                                  const tokenizer::Tokenizer& tokenizer) {
  return collect(records.size(), options.threads, [&](size_t i) {
    const Record& record = records[i];
    std::vector<Turn> turns = options.few_shot;
    turns.push_back({.question = record.text(options.question_key)});
    const Record::Texts answers = record.texts(options.answer_key);
    if (answers.texts.empty()) {
      throw Error({.what = fmt::format("'{}' is an empty list", options.answer_key),
                   .where = record.where(),
                   .expected = "an answer"});
    }
    Examples made;
    for (size_t j = 0; j < answers.texts.size(); ++j) {
      turns.back().answer = answers.texts[j];
      PromptTokens tokens;
      try {
        tokens = prompt.tokens(turns, tokenizer);
      } catch (const Error& error) {
        throw error.located(record.where());
      }
      made.truncated += tokens.truncated ? 1 : 0;
      const size_t begin =
          label_begin(options.labels, tokens.prompt.size(), tokens.answer_begin, made);
      made.examples.push_back({.index = std::to_string(i),
                               .alternative = static_cast<int64_t>(j),
                               .ids = tokens.full,
                               .labels = labels_after(tokens.full, begin),
                               .prompt_ids = std::move(tokens.prompt),
                               .groups = groups_of(record, options.group_keys)});
    }
    return made;
  });
}

std::vector<Turn> read_turns(const std::vector<Record>& records, const std::string& question_key,
                             const std::string& answer_key) {
  std::vector<Turn> turns;
  for (const Record& record : records) {
    turns.push_back({.question = record.text(question_key), .answer = record.text(answer_key)});
  }
  return turns;
}

Examples completion_examples(const std::vector<Record>& records, const CompletionOptions& options,
                             const tokenizer::Tokenizer& tokenizer) {
  require_length(options.max_length);
  if (!records.empty() && std::ranges::none_of(records, [&](const Record& record) {
        return record.has(options.text_key);
      })) {
    records.front().text(options.text_key);  // says which keys there are
  }
  return collect(records.size(), options.threads, [&](size_t i) {
    const Record& record = records[i];
    const std::string prefix = record.find_text(options.prefix_key).value_or("");
    const std::string text = record.find_text(options.text_key).value_or("");
    Examples made;
    try {
      made.examples.push_back(completion_of(prefix, text, options, tokenizer, made));
    } catch (const Error& error) {
      throw error.located(record.where());
    }
    made.examples.back().index = std::to_string(i);
    made.examples.back().groups = groups_of(record, options.group_keys);
    return made;
  });
}

Examples pretraining_examples(const std::vector<Record>& records, const PretrainingOptions& options,
                              const tokenizer::Tokenizer& tokenizer) {
  require_length(options.max_length);
  std::string text;
  for (const Record& record : records) {
    if (!text.empty() || &record != &records.front()) text += "\n\n";
    text += record.text(options.text_key);
  }
  const std::vector<int64_t> ids = tokenizer.encode(text, {.add_special_tokens = false}).ids;
  const auto length = static_cast<size_t>(options.max_length);
  // One more than full chunks, which is empty where the text ends with one: published numbers have
  // it too.
  const size_t chunks = ids.size() / length + 1;
  return collect(chunks, options.threads, [&](size_t i) {
    const size_t begin = std::min(i * length, ids.size());
    const size_t end = std::min(begin + length, ids.size());
    Examples made;
    // Nothing but special tokens stands before a chunk, so that there is one way to label it.
    made.examples.push_back(
        completion_of("", tokenizer.decode(std::span(ids).subspan(begin, end - begin)),
                      {.max_length = options.max_length}, tokenizer, made));
    made.lost_beginnings = 0;
    made.examples.back().index = std::to_string(i);
    return made;
  });
}

}  // namespace palimpsest::data
