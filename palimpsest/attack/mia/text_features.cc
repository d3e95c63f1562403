#include "palimpsest/attack/internal/mia/text_features.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "palimpsest/attack/example_facts.h"
#include "palimpsest/base/internal/parallel.h"

namespace palimpsest::attack {
namespace {

constexpr uint64_t kWordSeed = 1;
constexpr uint64_t kCharacterSeed = 2;

// FNV-1a with a final mixing step, so that the low bits depend on all bytes.
class Hash {
 public:
  explicit Hash(uint64_t seed) : state_(0xCBF29CE484222325ULL + seed) {}
  void add(std::string_view bytes) {
    for (char c : bytes) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  uint32_t column() const {
    const uint64_t mixed = (state_ ^ (state_ >> 29)) * 0xBF58476D1CE4E5B9ULL;
    return static_cast<uint32_t>(mixed >> 46);  // 18 bits
  }

 private:
  uint64_t state_;
};
static_assert(kHashedColumns == 1U << (64 - 46));

void append_words(const std::string& text, std::vector<uint32_t>& columns) {
  const std::vector<std::string> words = words_of(text);
  for (size_t i = 0; i < words.size(); ++i) {
    Hash hash(kWordSeed);
    hash.add(words[i]);
    columns.push_back(hash.column());
    if (i + 1 == words.size()) break;
    hash.add(" ");
    hash.add(words[i + 1]);
    columns.push_back(hash.column());
  }
}

double weight_of_count(size_t count) {
  return 1 + std::log(static_cast<double>(count));
}

void append_characters(std::string_view text, std::vector<uint32_t>& columns) {
  constexpr size_t kShortest = 3;
  constexpr size_t kLongest = 5;
  std::vector<size_t> starts;  // of the characters; bytes that continue one belong to it
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  const size_t count = starts.size();
  starts.push_back(text.size());
  for (size_t i = 0; i < count; ++i) {
    Hash hash(kCharacterSeed);
    for (size_t n = 1; n <= kLongest && i + n <= count; ++n) {
      hash.add(text.substr(starts[i + n - 1], starts[i + n] - starts[i + n - 1]));
      if (n >= kShortest) columns.push_back(kHashedColumns + hash.column());
    }
  }
}

// Turns the columns of one kind of n-grams into entries of length 1 in all.
void append_scaled(std::vector<uint32_t>& columns, std::vector<stat::SparseEntry>& row) {
  std::sort(columns.begin(), columns.end());
  const size_t begin = row.size();
  double squares = 0;
  for (size_t i = 0; i < columns.size();) {
    size_t end = i;
    while (end < columns.size() && columns[end] == columns[i]) ++end;
    const double value = weight_of_count(end - i);
    squares += value * value;
    row.push_back({columns[i], static_cast<float>(value)});
    i = end;
  }
  const auto scale = static_cast<float>(1 / std::sqrt(std::max(squares, 1.0)));
  for (size_t i = begin; i < row.size(); ++i) row[i].value *= scale;
}

std::vector<stat::SparseEntry> features_of(const std::string& text, size_t max_bytes) {
  const std::string shown = text.substr(0, max_bytes);
  std::vector<stat::SparseEntry> row;
  std::vector<uint32_t> columns;
  append_words(shown, columns);
  append_scaled(columns, row);
  columns.clear();
  append_characters(shown, columns);
  append_scaled(columns, row);
  return row;
}

// log(1 + bytes), with mean 0 and variance 1 over the texts; 0 where all are equally long.
std::vector<float> standardised_lengths(const std::vector<const std::string*>& texts) {
  std::vector<double> lengths;
  double sum = 0;
  for (const std::string* text : texts) {
    lengths.push_back(std::log1p(static_cast<double>(text->size())));
    sum += lengths.back();
  }
  const auto count = static_cast<double>(texts.size());
  double squares = 0;
  for (double length : lengths) squares += (length - sum / count) * (length - sum / count);
  const double deviation = std::sqrt(squares / count);
  std::vector<float> result;
  for (double length : lengths) {
    result.push_back(deviation > 1e-9 ? static_cast<float>((length - sum / count) / deviation) : 0);
  }
  return result;
}

}  // namespace

stat::SparseRows text_features(const std::vector<const std::string*>& texts, size_t max_bytes,
                               int threads) {
  std::vector<std::vector<stat::SparseEntry>> rows(texts.size());
  parallel_for(static_cast<int64_t>(texts.size()), threads, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      rows[i] = features_of(*texts[i], max_bytes);
    }
  });
  const std::vector<float> lengths = standardised_lengths(texts);
  stat::SparseRows data;
  data.columns = kConstantColumn + 1;
  for (size_t i = 0; i < texts.size(); ++i) {
    data.entries.insert(data.entries.end(), rows[i].begin(), rows[i].end());
    data.entries.push_back({kLengthColumn, lengths[i]});
    data.entries.push_back({kConstantColumn, 1});
    data.starts.push_back(data.entries.size());
    std::vector<stat::SparseEntry>().swap(rows[i]);
  }
  return data;
}

std::vector<WeightedWord> weighted_words(const std::string& text, size_t max_bytes) {
  const std::vector<std::string> words = words_of(text.substr(0, max_bytes));
  std::vector<std::string> names;
  for (size_t i = 0; i < words.size(); ++i) {
    names.push_back(words[i]);
    if (i + 1 < words.size()) names.push_back(words[i] + " " + words[i + 1]);
  }
  std::sort(names.begin(), names.end());
  std::vector<WeightedWord> weighted;
  double squares = 0;
  for (size_t i = 0; i < names.size();) {
    size_t end = i;
    while (end < names.size() && names[end] == names[i]) ++end;
    weighted.push_back({names[i], weight_of_count(end - i)});
    squares += weighted.back().value * weighted.back().value;
    i = end;
  }
  for (WeightedWord& word : weighted) word.value /= std::sqrt(squares);
  return weighted;
}

}  // namespace palimpsest::attack
