#include "palimpsest/trace/internal/fast_trace_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "palimpsest/base/internal/json.h"

namespace palimpsest::trace {
namespace {

constexpr int64_t kMaxDigits = 18;  // that surely fit 64 bits, with their sign
constexpr uint64_t kLargestExact = uint64_t{1} << 53;
constexpr std::array<double, kMaxDigits + 1> kPowersOfTen = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

// Every function reads one thing at the cursor and says whether it was there.
class FastTraceReader {
 public:
  FastTraceReader(std::string_view line, TraceParts parts)
      : at_(line.data()), end_(at_ + line.size()), parts_(parts) {}

  bool read(Trace& trace) {
    const bool whole = members([&](std::string_view key) { return member(key, trace); });
    skip_space();
    constexpr unsigned kRequired = 0b11;  // the first two known members
    // A wrong number of tokens is for the general reader to report.
    const bool fits =
        !tokens_passed_ || (trace.logprob && *tokens_passed_ == std::ssize(*trace.logprob));
    return whole && fits && at_ == end_ && (seen_ & kRequired) == kRequired;
  }

 private:
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
    struct KnownMember {
      std::string_view key;
      bool (*read)(FastTraceReader& in, Trace& trace);
    };
    // The first two must be there.
    static constexpr KnownMember kMembers[] = {
        {"index", [](auto& in, Trace& t) { return in.text_or_whole(t.index); }},
        {"num_labels", [](auto& in, Trace& t) { return in.number(t.num_labels); }},
        {"alternative", [](auto& in, Trace& t) { return in.number(t.alternative); }},
        {"prompt", [](auto& in, Trace& t) { return in.text(t.prompt.emplace()); }},
        {"text", [](auto& in, Trace& t) { return in.text(t.text.emplace()); }},
        {"avg_loss", [](auto& in, Trace& t) { return in.number(t.given_avg_loss.emplace()); }},
        {"logprob", [](auto& in, Trace& t) { return in.list(t.logprob, t); }},
        {"mean", [](auto& in, Trace& t) { return in.list(t.mean, t); }},
        {"var", [](auto& in, Trace& t) { return in.list(t.var, t); }},
        {"argmax", [](auto& in, Trace& t) { return in.list(t.argmax, t); }},
        {"label", [](auto& in, Trace& t) { return in.list(t.label, t); }},
        {"tokens", [](auto& in, Trace& t) { return in.tokens(t); }},
        {"groups", [](auto& in, Trace& t) { return in.groups(t); }},
        {"grad_norm", [](auto& in, Trace& t) { return in.grad_norm(t); }},
    };
    for (size_t i = 0; i < std::size(kMembers); ++i) {
      if (kMembers[i].key != key) continue;
      const unsigned bit = 1U << i;
      const bool again = (seen_ & bit) != 0;
      seen_ |= bit;
      return !again && kMembers[i].read(*this, trace);
    }
    return false;
  }

  // A string. One with escapes or beyond ASCII is left to the library, which checks UTF-8.
  bool text(std::string& value) {
    if (!take('"')) return false;
    const void* const quote = std::memchr(at_, '"', static_cast<size_t>(end_ - at_));
    if (quote == nullptr) return false;
    const char* const stop = static_cast<const char*>(quote);
    if (!is_unescaped_ascii(at_, stop)) return text_with_escapes(value);
    value.assign(at_, stop);
    at_ = stop + 1;
    return true;
  }

  // ASCII without control characters and escapes. Without a branch, so that the compiler looks at
  // many bytes at once; what is beyond ASCII is negative.
  static bool is_unescaped_ascii(const char* begin, const char* end) {
    bool odd = false;
    for (const char* c = begin; c < end; ++c) odd |= static_cast<int8_t>(*c) < ' ' || *c == '\\';
    return !odd;
  }

  // Behind the opening quote.
  bool text_with_escapes(std::string& value) {
    const char* const begin = at_ - 1;
    for (; at_ < end_ && *at_ != '"'; ++at_) {
      if (*at_ == '\\' && ++at_ == end_) return false;
    }
    if (at_ == end_) return false;
    ++at_;
    Json parsed = Json::parse(begin, at_, nullptr, false);
    if (!parsed.is_string()) return false;
    value = std::move(parsed.get_ref<std::string&>());
    return true;
  }

  // Appends the digits at the cursor to the number; false if there are none.
  bool digits(uint64_t& number) {
    const char* const first = at_;
    for (; at_ < end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      number = number * 10 + static_cast<uint64_t>(*at_ - '0');
    }
    return at_ > first;
  }

  // The part of a number that all have: "-12".
  bool whole_part(bool& negative, uint64_t& number) {
    negative = at_ < end_ && *at_ == '-';
    if (negative) ++at_;
    const char* const first = at_;
    return digits(number) && (*first != '0' || at_ - first == 1);
  }

  bool number(int64_t& value) {
    skip_space();
    const char* const begin = at_;
    bool negative = false;
    uint64_t magnitude = 0;
    if (!whole_part(negative, magnitude) || at_ - begin > kMaxDigits) return false;
    value = negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
    return true;
  }

  // std::from_chars takes "inf", "01" and "1." too, so the spelling is checked here; and since that
  // has gathered the digits already, a number of few digits is made of them: both the digits and
  // the power of ten are exact in a double, so that their quotient is the nearest number.
  bool number(double& value) {
    skip_space();
    const char* const begin = at_;
    bool negative = false;
    uint64_t mantissa = 0;
    if (!whole_part(negative, mantissa)) return false;
    const char* const point = at_;
    if (at_ < end_ && *at_ == '.') {
      ++at_;
      if (!digits(mantissa)) return false;
    }
    const int64_t decimals = std::max<int64_t>(0, at_ - point - 1);
    bool few = at_ - begin <= kMaxDigits && mantissa <= kLargestExact;
    if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
      few = false;
      ++at_;
      if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      uint64_t exponent = 0;
      if (!digits(exponent)) return false;
    }
    if (!few) return std::from_chars(begin, at_, value).ec == std::errc();
    const double magnitude =
        static_cast<double>(mantissa) / kPowersOfTen[static_cast<size_t>(decimals)];
    value = negative ? -magnitude : magnitude;
    return true;
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

  bool tokens(Trace& trace) {
    if (parts_ == TraceParts::kAll) return list(trace.tokens, trace);
    std::string token;
    tokens_passed_ = 0;
    return take('[') && items(']', [&] { return ++*tokens_passed_ > 0 && text(token); });
  }
  bool groups(Trace& trace) {
    return members([&](const std::string& key) {
      const auto [entry, added] = trace.groups.try_emplace(key);
      return added && text_or_whole(entry->second);
    });
  }
  bool grad_norm(Trace& trace) {
    return members([&](const std::string& key) {
      const auto [entry, added] = trace.grad_norm.try_emplace(key);
      return added && number(entry->second);
    });
  }

  const char* at_;
  const char* end_;
  TraceParts parts_;
  std::optional<int64_t> tokens_passed_;  // the number of tokens that were passed over
  unsigned seen_ = 0;                     // a bit for each known member
};

}  // namespace

bool read_trace_fast(std::string_view line, Trace& trace, TraceParts parts) {
  trace = {};
  if (!FastTraceReader(line, parts).read(trace)) return false;
  round_to_float32(trace);
  return true;
}

}  // namespace palimpsest::trace
