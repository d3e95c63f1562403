#include "palimpsest/tokenizer/internal/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <array>
#include <new>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::tokenizer {
namespace {

constexpr uint32_t kHeapLimitKiB = 256 * 1024;
constexpr size_t kJitStackStart = size_t{32} * 1024;
constexpr size_t kJitStackLimit = size_t{1024} * 1024;

template <auto free>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};

using Code = std::unique_ptr<pcre2_code, Free<pcre2_code_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Free<pcre2_match_data_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Free<pcre2_match_context_free>>;
using CompileContext = std::unique_ptr<pcre2_compile_context, Free<pcre2_compile_context_free>>;
using JitStack = std::unique_ptr<pcre2_jit_stack, Free<pcre2_jit_stack_free>>;

// What a thread needs to run matches: not shareable, and costly enough to keep.
struct Matcher {
  Matcher()
      : data(pcre2_match_data_create(1, nullptr)),
        stack(pcre2_jit_stack_create(kJitStackStart, kJitStackLimit, nullptr)),
        context(pcre2_match_context_create(nullptr)) {
    if (data == nullptr || stack == nullptr || context == nullptr) throw std::bad_alloc();
    pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
    pcre2_set_heap_limit(context.get(), kHeapLimitKiB);
  }

  MatchData data;
  JitStack stack;
  MatchContext context;
};

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

PCRE2_SPTR units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

struct Pattern::Compiled {
  Code code;
  std::string expression;
  bool jit = false;

  // False if there is no further match.
  bool find(std::string_view text, size_t from, ByteSpan& match) const {
    thread_local Matcher matcher;
    int result = PCRE2_ERROR_JIT_STACKLIMIT;
    if (jit) {
      result = pcre2_jit_match(code.get(), units(text), text.size(), from, PCRE2_NO_UTF_CHECK,
                               matcher.data.get(), matcher.context.get());
    }
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
      result =
          pcre2_match(code.get(), units(text), text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                      matcher.data.get(), matcher.context.get());
    }
    if (result == PCRE2_ERROR_NOMATCH) return false;
    if (result < 0) {
      throw Error({.what = fmt::format("the pattern '{}' could not be matched: {}",
                                       shown_pattern(expression), message_of(result)),
                   .where = fmt::format("byte {} of the text", from)});
    }
    const size_t* ends = pcre2_get_ovector_pointer(matcher.data.get());
    if (ends[0] < from || ends[1] < ends[0]) {  // \K inside a look-around can do that
      throw Error(fmt::format("the pattern '{}' matches backwards", shown_pattern(expression)));
    }
    match = {static_cast<uint32_t>(ends[0]), static_cast<uint32_t>(ends[1])};
    return true;
  }
};

Pattern Pattern::regex(std::string_view expression, const std::string& where) {
  const std::string translated = pcre2_from_oniguruma(expression, where);
  CompileContext context(pcre2_compile_context_create(nullptr));
  if (context == nullptr) throw std::bad_alloc();
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int code = 0;
  size_t offset = 0;
  Code compiled(pcre2_compile(units(translated), translated.size(),
                              PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C,
                              &code, &offset, context.get()));
  if (compiled == nullptr) {
    throw Error({.what = fmt::format("the pattern '{}' is not supported: {}",
                                     shown_pattern(expression), message_of(code)),
                 .where = where});
  }
  // JIT is a matter of speed: where the platform has none the interpreter gives the same matches.
  const bool jit = pcre2_jit_compile(compiled.get(), PCRE2_JIT_COMPLETE) == 0;
  Pattern pattern;
  pattern.compiled_ =
      std::make_shared<const Compiled>(Compiled{std::move(compiled), std::string(expression), jit});
  return pattern;
}

Pattern Pattern::literal(std::string_view text) {
  Pattern pattern;
  pattern.literal_ = text;
  return pattern;
}

bool Pattern::can_match_empty() const {
  if (compiled_ == nullptr) return literal_.empty();
  uint32_t result = 0;
  pcre2_pattern_info(compiled_->code.get(), PCRE2_INFO_MATCHEMPTY, &result);
  return result != 0;
}

void Pattern::find_all(std::string_view text, std::vector<ByteSpan>& matches) const {
  matches.clear();
  if (compiled_ == nullptr && !literal_.empty()) {
    for (size_t at = 0; (at = text.find(literal_, at)) != std::string_view::npos;) {
      const size_t end = at + literal_.size();
      matches.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
      at = end;
    }
    return;
  }
  for (size_t from = 0; from <= text.size();) {
    ByteSpan match{static_cast<uint32_t>(from), static_cast<uint32_t>(from)};
    if (compiled_ != nullptr && !compiled_->find(text, from, match)) return;
    if (match.begin == match.end && !matches.empty() && matches.back().end == match.end) {
      from += from < text.size() ? text::utf8_length(text[from]) : 1;
      continue;
    }
    matches.push_back(match);
    from = match.end;
  }
}

}  // namespace palimpsest::tokenizer
