#include "palimpsest/config/internal/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/key_index.h"
#include "palimpsest/config/internal/scalar.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::config {
namespace {

constexpr size_t kMaxYamlBytes = size_t{16} << 20;
constexpr size_t kMaxYamlDepth = 200;
constexpr int64_t kMaxYamlValues = 100'000;

// The value of a scalar with its tag: "?" plain, "!" quoted, else explicit.
Value tagged_scalar(const std::string& tag, const std::string& text) {
  constexpr std::string_view kCore = "tag:yaml.org,2002:";
  if (tag == "!" || tag == "tag:yaml.org,2002:str") return Value(text);
  if (tag == "?" || tag.empty()) return resolve_scalar(text);
  const std::string_view kind =
      std::string_view(tag).starts_with(kCore) ? std::string_view(tag).substr(kCore.size()) : "";
  Value value = resolve_scalar(text);
  if (kind == "int" && value.is_int()) return value;
  if (kind == "float" && (value.is_int() || value.is_real())) return Value(value.as_real());
  if (kind == "bool" && value.is_bool()) return value;
  if (kind == "null") return Value();
  throw Error({.what = "the tag does not fit or is not supported",
               .expected = "!!str, !!int, !!float, !!bool or !!null",
               .found = fmt::format("{} before '{}'", tag, text),
               .hint = "leave the tag out"});
}

void require_basic_tag(const std::string& tag, std::string_view basic, const std::string& where) {
  if (tag.empty() || tag == "?" || tag == "!" || tag == basic) return;
  throw Error({.what = "the tag is not supported",
               .where = where,
               .found = tag,
               .hint = "leave the tag out"});
}

// Builds the Value from yaml-cpp's events. Aliases are copies, counted before they are made.
class YamlBuilder : public YAML::EventHandler {
 public:
  YamlBuilder(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(Value(), mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw Error({.what = "an alias is inside the value that it names", .where = where(mark)});
    }
    count(found->second.size, mark);
    Value copy = found->second.value;
    finish(std::move(copy), mark, found->second.size);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Frame* frame = stack_.empty() ? nullptr : &stack_.back();
    if (frame != nullptr && frame->wants_key() && text == "<<" && tag == "?") {
      frame->merging = true;
      frame->key = text;
      return;
    }
    if (tag == "!") require_closed(mark);
    const std::string content = tag == "!" && text.empty() ? only_breaks(mark) : text;
    add(at(mark, [&] { return tagged_scalar(tag, content); }), mark, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    require_basic_tag(tag, "tag:yaml.org,2002:seq", where(mark));
    open(Value(Value::List{}), mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    require_basic_tag(tag, "tag:yaml.org,2002:map", where(mark));
    open(Value(Value::Map{}), mark, anchor);
  }
  void OnMapEnd() override { close(); }

  Value take() { return std::move(root_); }

 private:
  struct Anchored {
    Value value;
    int64_t size;
  };
  struct Frame {
    Value value;
    YAML::Mark mark;
    YAML::anchor_t anchor = YAML::NullAnchor;
    int64_t size = 1;  // values in it, itself included
    std::optional<std::string> key = std::nullopt;
    std::set<std::string> keys = {};  // those seen
    bool merging = false;             // the key is <<
    Value::Map merged = {};           // what << brings; the map's own keys win
    bool wants_key() const { return value.is_map() && !key; }
  };

  std::string where(const YAML::Mark& mark) const {
    return mark.is_null() ? name_ : fmt::format("{}:{}", name_, mark.line + 1);
  }

  // What `read()` returns; its errors get the place.
  template <class Read>
  std::invoke_result_t<Read> at(const YAML::Mark& mark, Read read) const {
    try {
      return read();
    } catch (const Error& error) {
      throw error.located(where(mark));
    }
  }

  // The text from the quotation mark on; empty if a tag or an anchor stands before the mark.
  std::string_view quoted_at(const YAML::Mark& mark) const {
    if (mark.is_null() || mark.pos < 0 || static_cast<size_t>(mark.pos) >= text_.size()) return "";
    const std::string_view rest = text_.substr(static_cast<size_t>(mark.pos));
    return rest.starts_with('\'') || rest.starts_with('"') ? rest : "";
  }

  void count(int64_t values, const YAML::Mark& mark) {
    total_ += values;
    if (total_ > kMaxYamlValues) {
      throw Error({.what = fmt::format("the file holds more than {} values", kMaxYamlValues),
                   .where = where(mark),
                   .hint = "aliases (*name) count as often as they are used"});
    }
  }

  void add(Value value, const YAML::Mark& mark, YAML::anchor_t anchor) {
    count(1, mark);
    value.locate(where(mark), "");
    if (anchor != YAML::NullAnchor) anchors_.insert_or_assign(anchor, Anchored{value, 1});
    finish(std::move(value), mark, 1);
  }

  void open(Value value, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (stack_.size() >= kMaxYamlDepth) {
      throw Error({.what = fmt::format("lists and maps are nested deeper than {}", kMaxYamlDepth),
                   .where = where(mark)});
    }
    if (!stack_.empty() && stack_.back().wants_key()) {
      throw Error({.what = "a key is not a text or a number", .where = where(mark)});
    }
    count(1, mark);
    value.locate(where(mark), "");
    stack_.push_back({.value = std::move(value), .mark = mark, .anchor = anchor});
  }

  void close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    if (!frame.merged.empty()) {
      // The merged keys come first, as in PyYAML.
      Value whole{std::move(frame.merged)};
      whole.locate(frame.value.location(), "");
      KeyIndex index(whole);
      for (auto& [key, value] : frame.value.as_map()) index.set(key, std::move(value));
      frame.value = std::move(whole);
    }
    if (frame.anchor != YAML::NullAnchor) {
      // An anchored value is copied once here and once for every use.
      count(frame.size, frame.mark);
      anchors_.insert_or_assign(frame.anchor, Anchored{frame.value, frame.size});
    }
    finish(std::move(frame.value), frame.mark, frame.size);
  }

  // Puts a whole value where it belongs.
  void finish(Value value, const YAML::Mark& mark, int64_t size) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = stack_.back();
    frame.size += size;
    if (frame.value.is_list()) {
      frame.value.as_list().push_back(std::move(value));
    } else if (!frame.key) {
      frame.key = at(mark, [&] { return key_text(value); });
      if (!frame.keys.insert(*frame.key).second) {
        throw Error({.what = fmt::format("the key '{}' occurs twice", *frame.key),
                     .where = where(mark),
                     .hint = "remove one of the two"});
      }
    } else if (std::exchange(frame.merging, false)) {
      merge(frame, value, mark);
      frame.key.reset();
    } else {
      frame.value.as_map().emplace_back(std::move(*frame.key), std::move(value));
      frame.key.reset();
    }
  }

  // << takes a map or a list of maps, of which the first ones win.
  void merge(Frame& frame, const Value& value, const YAML::Mark& mark) {
    if (value.is_list()) {
      const Value::List& maps = value.as_list();
      for (size_t i = maps.size(); i > 0; --i) merge_map(frame, maps[i - 1], mark);
    } else {
      merge_map(frame, value, mark);
    }
  }

  void merge_map(Frame& frame, const Value& value, const YAML::Mark& mark) {
    if (!value.is_map()) {
      throw Error({.what = "<< needs a map or a list of maps",
                   .where = where(mark),
                   .found = std::string(value.kind())});
    }
    Value merged(std::move(frame.merged));
    KeyIndex index(merged);
    for (const auto& [key, entry] : value.as_map()) index.set(key, entry);
    frame.merged = std::move(merged.as_map());
  }

  // yaml-cpp takes the end of the file for a closing quotation mark; a file that lost its mark
  // would lose everything behind it.
  void require_closed(const YAML::Mark& mark) const {
    const std::string_view text = quoted_at(mark);
    if (text.empty()) return;
    const char quote = text[0];
    for (size_t i = 1; i < text.size(); ++i) {
      const bool is_escape = quote == '"'
                                 ? text[i] == '\\'
                                 : text[i] == quote && text.substr(i + 1).starts_with(quote);
      if (is_escape) {
        ++i;
      } else if (text[i] == quote) {
        return;
      }
    }
    throw Error(
        {.what = fmt::format("the quotation mark {} is not closed", quote), .where = where(mark)});
  }

  // What stands between quotation marks where that is nothing but line breaks: all of them but the
  // first, which folds. yaml-cpp takes them all for nothing.
  std::string only_breaks(const YAML::Mark& mark) const {
    const std::string_view text = quoted_at(mark);
    if (text.empty()) return "";
    const std::string_view inside = text.substr(1);
    const std::string_view blank = inside.substr(0, inside.find_first_not_of(" \t\r\n"));
    const auto breaks = std::ranges::count(blank, '\n');
    return std::string(breaks > 1 ? static_cast<size_t>(breaks - 1) : 0, '\n');
  }

  std::string_view text_;
  const std::string& name_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  Value root_;
  int64_t total_ = 0;
};

// Control characters are no YAML, and a NUL would make yaml-cpp guess at UTF-16.
void require_text(std::string_view text, const std::string& name) {
  if (text.size() > kMaxYamlBytes) {
    throw Error({.what = fmt::format("the file is larger than {} MiB", kMaxYamlBytes >> 20),
                 .where = name});
  }
  const auto line_of = [&](size_t offset) {
    return fmt::format("{}:{}", name, 1 + std::ranges::count(text.substr(0, offset), '\n'));
  };
  if (const std::optional<size_t> offset = text::find_invalid_utf8(text)) {
    throw Error({.what = "the text is not valid UTF-8", .where = line_of(*offset)});
  }
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
      throw Error({.what = fmt::format("the text holds the control character {:#04x}", byte),
                   .where = line_of(i)});
    }
  }
}

}  // namespace

Value read_yaml(std::string_view text, const std::string& name) {
  require_text(text, name);
  std::istringstream stream{std::string(text)};
  YamlBuilder builder(text, name);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    Value value = builder.take();
    YamlBuilder second(text, name);
    if (parser.HandleNextDocument(second)) {
      throw Error({.what = "the file holds more than one document", .where = name});
    }
    return value;
  } catch (const YAML::Exception& error) {
    throw Error(
        {.what = "the text is not valid YAML: " + error.msg,
         .where = error.mark.is_null() ? name : fmt::format("{}:{}", name, error.mark.line + 1)});
  }
}

}  // namespace palimpsest::config
