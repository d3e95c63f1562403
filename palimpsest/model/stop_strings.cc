#include "palimpsest/model/internal/stop_strings.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::model {
namespace {

using Ids = std::span<const int64_t>;

// A character is at most four bytes, and so at most four tokens that mean nothing alone.
constexpr size_t kTokensOfCharacter = 4;
// Up to here decoding everything is as cheap.
constexpr size_t kShort = 32;

class StopStrings {
 public:
  StopStrings(std::vector<std::string> strings, std::function<std::string(Ids)> decode)
      : strings_(std::move(strings)), decode_(std::move(decode)) {
    for (const std::string& string : strings_) {
      if (string.empty()) throw Error("a stop string is empty");
      longest_ = std::max(longest_, string.size());
    }
  }

  bool operator()(Ids ids) const {
    if (strings_.empty() || ids.empty()) return false;
    if (ids.size() > kShort) {
      const std::optional<std::string> end = settled_end(ids);
      // What the first tokens of a tail look like alone may hold a string that is not in the text.
      if (end && !holds_one(*end)) return false;
    }
    return holds_one(decode_(ids));
  }

 private:
  bool holds_one(std::string_view text) const {
    return std::any_of(strings_.begin(), strings_.end(), [&](const std::string& string) {
      return text.find(string) != std::string_view::npos;
    });
  }

  // The end of the text, long enough to hold any string that the last token completed. Tokens may
  // decode differently where a tail begins (a space is lost, a character is cut, with byte fallback
  // a whole run of bytes is), so a tail is believed only if starting it up to three tokens earlier
  // gives the same end: one of these starts is the start of a character. Nothing: take the whole
  // text.
  std::optional<std::string> settled_end(Ids ids) const {
    const size_t last = decode_(ids.last(kTokensOfCharacter)).size();
    const size_t needed = longest_ + last + kTokensOfCharacter;
    for (size_t tokens = kShort / 2; tokens + kTokensOfCharacter <= ids.size(); tokens *= 2) {
      std::optional<std::string> end;
      bool settled = true;
      for (size_t more = 0; more < kTokensOfCharacter && settled; ++more) {
        const std::string text = decode_(ids.last(tokens + more));
        settled = text.size() >= needed;
        if (!settled) break;
        std::string tail = text.substr(text.size() - needed);
        settled = !end || *end == tail;
        end = std::move(tail);
      }
      if (settled) return end;
    }
    return std::nullopt;
  }

  std::vector<std::string> strings_;
  std::function<std::string(Ids)> decode_;
  size_t longest_ = 0;
};

}  // namespace

std::function<bool(std::span<const int64_t>)> stop_at(
    std::vector<std::string> strings, std::function<std::string(std::span<const int64_t>)> decode) {
  return StopStrings(std::move(strings), std::move(decode));
}

}  // namespace palimpsest::model
