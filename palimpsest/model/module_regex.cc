#include "palimpsest/model/internal/module_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <array>
#include <new>

#include "palimpsest/base/error.h"

namespace palimpsest::model {
namespace {

// Far more than a sensible expression needs for a name of a hundred characters.
constexpr uint32_t kMaxSteps = 100'000;

PCRE2_SPTR code_units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

[[noreturn]] void fail_regex(std::string_view expression, int code, const std::string& where) {
  std::array<PCRE2_UCHAR, 256> message{};
  pcre2_get_error_message(code, message.data(), message.size());
  throw Error({.what = fmt::format("the regular expression '{}' cannot be used: {}",
                                   expression.substr(0, 200),
                                   reinterpret_cast<const char*>(message.data())),
               .where = where});
}

}  // namespace

struct ModuleRegex::Compiled {
  Compiled(std::string_view text, std::string location)
      : expression(text), where(std::move(location)) {
    int failure = 0;
    size_t offset = 0;
    code = pcre2_compile(code_units(text), text.size(),
                         PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_NEVER_BACKSLASH_C, &failure,
                         &offset, nullptr);
    if (code == nullptr) fail_regex(text, failure, where);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { pcre2_code_free(code); }

  // Calls use(group) with the text of the first group ("" where there is none) if there is a match.
  template <class Use>
  bool match(std::string_view name, uint32_t options, Use use) const {
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
        pcre2_match_data_create(2, nullptr), &pcre2_match_data_free);
    const std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> context(
        pcre2_match_context_create(nullptr), &pcre2_match_context_free);
    if (data == nullptr || context == nullptr) throw std::bad_alloc();
    pcre2_set_match_limit(context.get(), kMaxSteps);
    const int result =
        pcre2_match(code, code_units(name), name.size(), 0, options, data.get(), context.get());
    if (result == PCRE2_ERROR_NOMATCH) return false;
    if (result < 0) fail_regex(expression, result, where);
    const size_t* ends = pcre2_get_ovector_pointer(data.get());
    const bool has_group = result != 1 && ends[2] != PCRE2_UNSET && ends[2] <= ends[3];
    use(has_group ? name.substr(ends[2], ends[3] - ends[2]) : std::string_view());
    return true;
  }

  std::string expression;
  std::string where;
  pcre2_code* code = nullptr;
};

ModuleRegex::ModuleRegex(std::string_view expression, const std::string& where)
    : compiled_(std::make_shared<const Compiled>(expression, where)) {}

bool ModuleRegex::matches(std::string_view module) const {
  return compiled_->match(module, PCRE2_ENDANCHORED, [](std::string_view) {});
}

std::optional<std::string> ModuleRegex::first_group(std::string_view module) const {
  std::optional<std::string> group;
  compiled_->match(module, 0, [&](std::string_view found) { group = found; });
  return group;
}

}  // namespace palimpsest::model
