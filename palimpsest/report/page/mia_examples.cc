#include "palimpsest/report/internal/page/mia_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <variant>

#include "palimpsest/attack/internal/lowest_share.h"
#include "palimpsest/attack/internal/mia/record_tests.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/strings.h"
#include "palimpsest/trace/trace_file.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::report {
namespace {

struct RankedExample {
  PageSet set = PageSet::kForget;
  size_t example = 0;  // its number in the set
  std::optional<double> score;
};

const attack::SetScores& scores_of(const attack::ScoredAttack& scored, PageSet set) {
  return set == PageSet::kForget ? scored.forget : scored.holdout;
}

// The most familiar first; undefined scores last; equals in the order of the sets.
std::vector<RankedExample> ranked(const attack::ScoredAttack& scored) {
  std::vector<RankedExample> by_rank;
  for (PageSet set : {PageSet::kForget, PageSet::kHoldout}) {
    const attack::ScoreColumn& scores = scores_of(scored, set).scores;
    for (size_t i = 0; i < scores.size(); ++i) by_rank.push_back({set, i, scores[i]});
  }
  std::ranges::stable_sort(by_rank, [](const RankedExample& a, const RankedExample& b) {
    if (!a.score || !b.score) return a.score.has_value() && !b.score.has_value();
    return *a.score < *b.score;
  });
  return by_rank;
}

int64_t part_of(int64_t budget, int64_t items, int64_t least, int64_t most) {
  return std::clamp(budget / std::max<int64_t>(items, 1), least, most);
}

std::vector<PageToken> tokens_of(const trace::Trace& trace, double share, int64_t most) {
  std::vector<PageToken> tokens;
  if (!trace.logprob) return tokens;
  const auto count = std::min(trace.logprob->size(), static_cast<size_t>(most));
  for (size_t i = 0; i < count; ++i) {
    PageToken token{.logprob = (*trace.logprob)[i]};
    if (trace.tokens) {
      token.text = (*trace.tokens)[i];
    } else {
      // Without the tokens' texts their ids, or at least their positions.
      token.text = trace.label ? fmt::format("#{} ", (*trace.label)[i]) : fmt::format("{} ", i + 1);
    }
    tokens.push_back(std::move(token));
  }
  for (size_t i : attack::positions_of_lowest(trace::token_logprobs(trace), share)) {
    if (i < count) tokens[i].is_lowest = true;
  }
  return tokens;
}

// Keeps the first and the last, `keep` in all. Returns a sentence about what was left out, or "".
std::string drop_middle(std::vector<RankedExample>& by_rank, int64_t keep) {
  const auto all = static_cast<int64_t>(by_rank.size());
  if (all <= keep) return "";
  by_rank.erase(by_rank.begin() + keep / 2, by_rank.end() - (keep - keep / 2));
  return fmt::format("Of {} examples the page holds the {} most and the {} least remembered.", all,
                     keep / 2, keep - keep / 2);
}

// Fills texts and tokens of the rows of one set.
class TraceFiller {
 public:
  // `by_rank` and `is_detailed` have an entry per row.
  TraceFiller(const MiaExampleOptions& options, PageExamples& examples,
              const std::vector<RankedExample>& by_rank, const std::vector<bool>& is_detailed)
      : options_(options),
        rows_(examples.rows),
        lowest_share_(examples.lowest_share),
        by_rank_(by_rank),
        is_detailed_(is_detailed) {
    const ExampleLimits& limits = options.limits;
    const auto detailed = std::count(is_detailed.begin(), is_detailed.end(), true);
    text_ = part_of(limits.text_bytes, std::ssize(rows_), limits.least_text, limits.most_text);
    tokens_ = part_of(limits.tokens, detailed, limits.least_tokens, limits.most_tokens);
  }

  void read(PageSet set, const trace::TraceInput& input) {
    if (!trace::is_given(input)) return;
    const auto* loaded = std::get_if<std::shared_ptr<const trace::TraceSet>>(&input);
    if (options_.in_file_order && loaded == nullptr) return look_up(set, trace::file_of(input));
    std::unordered_map<std::string, size_t> row_of;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].set == set) row_of.emplace(rows_[i].index, i);
    }
    const auto take = [&](const trace::Trace& trace) {
      const auto found = row_of.find(attack::ExampleId{trace.index, trace.alternative}.key());
      if (found != row_of.end()) fill(found->second, trace);
    };
    if (loaded != nullptr) {
      for (const trace::Trace& trace : (*loaded)->traces) take(trace);
      return;
    }
    trace::TraceReader reader(trace::file_of(input));
    trace::Trace trace;
    while (reader.next(trace)) take(trace);
  }

 private:
  // Reads only the traces of the rows.
  void look_up(PageSet set, const std::filesystem::path& path) {
    std::vector<std::pair<size_t, size_t>> wanted;  // numbers in the file, and rows
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].set == set) wanted.emplace_back(by_rank_[i].example, i);
    }
    std::ranges::sort(wanted);
    std::vector<size_t> numbers;
    for (const auto& [number, row] : wanted) numbers.push_back(number);
    size_t next = 0;
    trace::visit_traces(path, numbers, [&](size_t, const trace::Trace& trace) {
      const size_t row = wanted[next++].second;
      if (attack::ExampleId{trace.index, trace.alternative}.key() == rows_[row].index)
        return fill(row, trace);
      throw Error(
          {.what = fmt::format("the example '{}' is not where it was before", rows_[row].index),
           .where = path.string(),
           .hint = "do not change a file while it is read"});
    });
  }

  void fill(size_t i, const trace::Trace& trace) {
    PageExample& row = rows_[i];
    if (trace.prompt) row.question = shortened(*trace.prompt, text_);
    if (trace.text) row.answer = shortened(*trace.text, text_);
    if (!is_detailed_[i]) return;
    row.tokens = tokens_of(trace, lowest_share_, tokens_);
    if (trace.logprob) {
      row.tokens_left_out = static_cast<int64_t>(trace.logprob->size() - row.tokens.size());
    }
  }

  const MiaExampleOptions& options_;
  std::vector<PageExample>& rows_;
  double lowest_share_ = 0;
  const std::vector<RankedExample>& by_rank_;
  const std::vector<bool>& is_detailed_;
  int64_t text_ = 0;    // bytes of one text
  int64_t tokens_ = 0;  // of one example
};

void add_record_tests(const attack::MiaReport& report, const attack::AttackOutcome& outcome,
                      ScoredExamples& scored) {
  const attack::RecordTests& records = outcome.stronger_rates().records;
  scored.recognised = records.recognised;
  scored.q_values = records.q_values;
  // Of a reversed attack, files keep the q-values of recognised records alone.
  if (outcome.reversed) {
    scored.q_values.assign(report.forget.size(), std::nullopt);
    for (const size_t i : records.recognised) scored.q_values[i] = records.q_values[i];
  }
  scored.reversed = outcome.reversed.has_value();
  scored.rate = report.false_discovery_rate;
}

// Which records a test recognised, in words: how many, which, and by what.
std::string recognised_words(const ScoredExamples& examples) {
  constexpr size_t kMaxNamed = 20;
  const auto& [attack, scored] = examples.attacks[examples.ranking];
  const size_t count = examples.recognised.size();
  const int64_t tested = scored->forget.defined();
  std::string text = fmt::format(
      "{} of {} forget records {} {} one by one by {} (false discovery rate {:g}%)",
      count == 0 ? "None" : std::to_string(count), tested, count == 1 ? "is" : "are",
      examples.reversed ? "conspicuously unfamiliar" : "recognised", attack, 100 * examples.rate);
  for (size_t i = 0; i < std::min(count, kMaxNamed); ++i)
    text += (i == 0 ? ": " : ", ") + scored->forget.keys[examples.recognised[i]];
  if (count > kMaxNamed) text += fmt::format(" and {} more", count - kMaxNamed);
  text += ".";
  const int64_t needed = attack::holdout_for_one_record(tested, examples.rate);
  if (count == 0 && std::ssize(scored->holdout.scores) < needed)
    text += fmt::format(" One record alone could stand out only with {} holdout examples.", needed);
  return text;
}

bool is_share(double value) {
  return value > 0 && value <= 1;
}

// The k that the audit's record states for all attacks that have one ("k, p": "0.2, 2"), whether or
// not such an attack was run.
std::optional<double> recorded_share(const std::vector<PageEntry>& run) {
  const auto word = [](std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text;
  };
  for (const PageEntry& entry : run) {
    const std::vector<std::string_view> names = split(entry.title, ',');
    const std::vector<std::string_view> values = split(entry.text, ',');
    for (size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
      if (word(names[i]) == "k") return share_from_text(word(values[i]));
    }
  }
  return std::nullopt;
}

std::optional<double> share_of_min_k(const attack::MiaReport& report,
                                     const std::vector<PageEntry>& run) {
  for (const attack::AttackOutcome& outcome : report.outcomes) {
    if (!is_min_k(outcome.attack)) continue;
    for (const auto& [name, value] : outcome.parameters) {
      if (name == "k" && is_share(value)) return value;
    }
  }
  return recorded_share(run);
}

PageExample row_of(const ScoredExamples& scored, const RankedExample& ranked) {
  const bool is_forget = ranked.set == PageSet::kForget;
  const attack::ScoredAttack& ranking = *scored.attacks[scored.ranking].scored;
  PageExample row{.index = scores_of(ranking, ranked.set).keys[ranked.example], .set = ranked.set};
  for (const NamedScores& attack : scored.attacks)
    row.scores.push_back(scores_of(*attack.scored, ranked.set).scores[ranked.example]);
  if (is_forget && ranked.example < scored.q_values.size())
    row.q_value = scored.q_values[ranked.example];
  row.is_recognised = is_forget && std::ranges::binary_search(scored.recognised, ranked.example);
  return row;
}

}  // namespace

std::string shortened(const std::string& text, int64_t bytes) {
  auto end = static_cast<size_t>(std::max<int64_t>(bytes, 0));
  if (text.size() <= end) return text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

bool is_min_k(std::string_view attack) {
  return attack == "min_k" || attack == "min_k_plus_plus";
}

std::optional<double> share_from_text(std::string_view text) {
  double share = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, share);
  const bool is_number = code == std::errc() && stop == end;
  return is_number && is_share(share) ? std::optional(share) : std::nullopt;
}

PageExamples page_examples(const ScoredExamples& scored, const MiaExampleOptions& options) {
  PALIMPSEST_CHECK(scored.ranking < scored.attacks.size());
  PageExamples examples{.ranking = scored.ranking, .lowest_share = scored.lowest_share};
  if (!scored.q_values.empty()) examples.recognised = recognised_words(scored);
  for (const NamedScores& attack : scored.attacks) examples.attacks.push_back(attack.name);
  std::vector<RankedExample> by_rank = ranked(*scored.attacks[scored.ranking].scored);
  examples.note = drop_middle(by_rank, options.limits.rows);
  const auto with_score = std::ranges::count_if(
      by_rank, [](const RankedExample& ranked) { return ranked.score.has_value(); });
  std::vector<bool> is_detailed(by_rank.size());
  for (int64_t i = 0; i < with_score; ++i) {
    is_detailed[static_cast<size_t>(i)] =
        i < options.limits.detailed || i >= with_score - options.limits.detailed;
  }
  for (const RankedExample& ranked : by_rank) examples.rows.push_back(row_of(scored, ranked));
  TraceFiller filler(options, examples, by_rank, is_detailed);
  filler.read(PageSet::kForget, options.traces.forget);
  filler.read(PageSet::kHoldout, options.traces.holdout);
  return examples;
}

PageExamples mia_examples(const attack::MiaReport& report, size_t ranking,
                          const MiaExampleOptions& options, const std::vector<PageEntry>& run) {
  PALIMPSEST_CHECK(ranking < report.outcomes.size());
  ScoredExamples scored{.ranking = ranking};
  for (const attack::AttackOutcome& outcome : report.outcomes)
    scored.attacks.push_back({outcome.title.empty() ? outcome.name : outcome.title, &outcome});
  if (report.answer.verdict != attack::AnswerVerdict::kVoid)
    add_record_tests(report, report.outcomes[ranking], scored);
  if (const auto share = share_of_min_k(report, run)) scored.lowest_share = *share;
  return page_examples(scored, options);
}

}  // namespace palimpsest::report
