#include "palimpsest/trace/plain_trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <type_traits>

#include "palimpsest/base/json.h"

namespace palimpsest {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Every function reads one thing at the cursor and says whether it was there.
class PlainReader {
 public:
  explicit PlainReader(std::string_view line) : at_(line.data()), end_(at_ + line.size()) {}

  bool read(Trace& trace) {
    const bool whole = members([&](std::string_view key) { return member(key, trace); });
    skip_space();
    constexpr unsigned kRequired = 0b11;  // the first two of kMembers
    return whole && at_ == end_ && (seen_ & kRequired) == kRequired;
  }

 private:
  using Member = bool (PlainReader::*)(Trace&);

  void skip_space() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  // The items of an array or object behind its opening bracket, up to and with the closing one.
  template <class Item>
  bool items(char close, const Item& item) {
    if (take(close)) return true;
    do {
      if (!item()) return false;
    } while (take(','));
    return take(close);
  }

  template <class Value>
  bool members(const Value& value) {
    if (!take('{')) return false;
    std::string key;
    return items('}', [&] { return text(key) && take(':') && value(key); });
  }

  bool member(std::string_view key, Trace& trace) {
    for (size_t i = 0; i < kMembers.size(); ++i) {
      if (kMembers[i].key != key) continue;
      const unsigned bit = 1U << i;
      const bool again = (seen_ & bit) != 0;
      seen_ |= bit;
      return !again && (this->*kMembers[i].read)(trace);
    }
    return false;
  }

  // A string. One with escapes or beyond ASCII is left to the library, which checks UTF-8.
  bool text(std::string& value) {
    if (!take('"')) return false;
    const char* const begin = at_;
    bool plain = true;
    for (; at_ < end_ && *at_ != '"'; ++at_) {
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte < 0x20) return false;
      if (byte != '\\' && byte < 0x80) continue;
      plain = false;
      if (byte == '\\' && ++at_ == end_) return false;
    }
    if (at_ == end_) return false;
    ++at_;
    if (plain) {
      value.assign(begin, at_ - 1);
      return true;
    }
    Json parsed = Json::parse(begin - 1, at_, nullptr, false);
    if (!parsed.is_string()) return false;
    value = std::move(parsed.get_ref<std::string&>());
    return true;
  }

  // The text of a number as JSON spells it; empty if there is none. std::from_chars would take
  // "inf", "01" and "1." too.
  std::string_view number_text(bool whole) {
    skip_space();
    const char* const begin = at_;
    const char* next = at_;
    auto digits = [&] {
      const char* const first = next;
      while (next < end_ && is_digit(*next)) ++next;
      return next > first;
    };
    if (next < end_ && *next == '-') ++next;
    const bool leading_zero = next < end_ && *next == '0';
    const char* const first = next;
    if (!digits() || (leading_zero && next - first > 1)) return {};
    if (!whole && next < end_ && *next == '.') {
      ++next;
      if (!digits()) return {};
    }
    if (!whole && next < end_ && (*next == 'e' || *next == 'E')) {
      ++next;
      if (next < end_ && (*next == '+' || *next == '-')) ++next;
      if (!digits()) return {};
    }
    at_ = next;
    return {begin, static_cast<size_t>(next - begin)};
  }

  template <class Number>
  bool number(Number& value) {
    const std::string_view text = number_text(std::is_integral_v<Number>);
    const char* const stop = text.data() + text.size();
    const auto [read_to, code] = std::from_chars(text.data(), stop, value);
    return code == std::errc() && read_to == stop && !text.empty();
  }

  // A whole number, kept as it is spelled, which is how the general reader spells it.
  bool whole_text(std::string& value) {
    const char* const begin = at_;
    int64_t ignored = 0;
    if (!number(ignored)) return false;
    value.assign(begin, at_);
    return value != "-0";
  }

  bool text_or_whole(std::string& value) {
    skip_space();
    return at_ < end_ && *at_ == '"' ? text(value) : whole_text(value);
  }

  template <class T>
  bool list(std::optional<std::vector<T>>& values, const Trace& trace) {
    if (!take('[')) return false;
    values.emplace();
    // No more than the rest of the line can hold, whatever num_labels says.
    const int64_t most = (end_ - at_) / 2 + 1;
    values->reserve(static_cast<size_t>(std::clamp<int64_t>(trace.num_labels, 0, most)));
    return items(']', [&] {
      T value{};
      if constexpr (std::is_same_v<T, std::string>) {
        if (!text(value)) return false;
      } else {
        if (!number(value)) return false;
      }
      values->push_back(std::move(value));
      return true;
    });
  }

  bool index(Trace& trace) { return text_or_whole(trace.index); }
  bool num_labels(Trace& trace) { return number(trace.num_labels); }
  bool alternative(Trace& trace) { return number(trace.alternative); }
  bool labelled_text(Trace& trace) { return text(trace.text.emplace()); }
  bool avg_loss(Trace& trace) { return number(trace.given_avg_loss.emplace()); }
  bool logprob(Trace& trace) { return list(trace.logprob, trace); }
  bool mean(Trace& trace) { return list(trace.mean, trace); }
  bool var(Trace& trace) { return list(trace.var, trace); }
  bool argmax(Trace& trace) { return list(trace.argmax, trace); }
  bool label(Trace& trace) { return list(trace.label, trace); }
  bool tokens(Trace& trace) { return list(trace.tokens, trace); }
  bool groups(Trace& trace) {
    return members([&](const std::string& key) {
      const auto [place, added] = trace.groups.try_emplace(key);
      return added && text_or_whole(place->second);
    });
  }
  bool grad_norm(Trace& trace) {
    return members([&](const std::string& key) {
      const auto [place, added] = trace.grad_norm.try_emplace(key);
      return added && number(place->second);
    });
  }

  struct KnownMember {
    std::string_view key;
    Member read;
  };
  static constexpr std::array<KnownMember, 13> kMembers = {{
      {"index", &PlainReader::index},
      {"num_labels", &PlainReader::num_labels},
      {"alternative", &PlainReader::alternative},
      {"text", &PlainReader::labelled_text},
      {"avg_loss", &PlainReader::avg_loss},
      {"logprob", &PlainReader::logprob},
      {"mean", &PlainReader::mean},
      {"var", &PlainReader::var},
      {"argmax", &PlainReader::argmax},
      {"label", &PlainReader::label},
      {"tokens", &PlainReader::tokens},
      {"groups", &PlainReader::groups},
      {"grad_norm", &PlainReader::grad_norm},
  }};

  const char* at_;
  const char* end_;
  unsigned seen_ = 0;  // a bit for each of kMembers
};

}  // namespace

bool read_plain_trace(std::string_view line, Trace& trace) {
  trace = {};
  return PlainReader(line).read(trace);
}

}  // namespace palimpsest
