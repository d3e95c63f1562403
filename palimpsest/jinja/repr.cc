#include "palimpsest/jinja/internal/repr.h"

#include <fmt/format.h>

#include <vector>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/loop.h"
#include "palimpsest/python_text/internal/repr.h"

namespace palimpsest::jinja {
namespace {

// Writes repr() into a text whose size the budget bounds.
class ReprWriter {
 public:
  explicit ReprWriter(Budget& budget) : budget_(budget) {}

  std::string finish() { return std::move(out_); }

  void write(const Value& value) {
    budget_.spend(1);
    switch (value.kind()) {
      case Kind::kMissing:
      case Kind::kUndefined:
        return append("Undefined");
      case Kind::kNone:
        return append("None");
      case Kind::kBool:
        return append(value.as_int() != 0 ? "True" : "False");
      case Kind::kInt:
        return append(std::to_string(value.as_int()));
      case Kind::kFloat:
        return append(python_text::real_to_text(value.as_double()));
      case Kind::kString:
        return write_string(value.string());
      case Kind::kList:
        return write_items("[", value.items(), "]");
      case Kind::kTuple:
        return write_items("(", value.items(), value.items().size() == 1 ? ",)" : ")");
      case Kind::kDict:
        return write_dict(value.dict());
      case Kind::kRange:
        return write_range(value.get<RangeObject>());
      case Kind::kView:
        return write_view(value.get<ViewObject>());
      case Kind::kMacro:
        return append(describe_macro(value));
      case Kind::kNamespace:
        return write_namespace(value.get<NamespaceObject>());
      case Kind::kLoop:
        return append(describe_loop(value));
      default:
        throw Error({.what = fmt::format("a {} cannot be written", type_name(value)),
                     .hint = value.is(Kind::kIterator) ? "make a list of it with |list"
                                                       : "was it meant to be called?"});
    }
  }

 private:
  void append(std::string_view text) { budget_.append(out_, text); }

  void write_string(const StringObject& string) {
    budget_.spend_bytes(string.text.size());
    append(string.markup ? "Markup(" + python_text::quote(string.text) + ")"
                         : python_text::quote(string.text));
  }

  void write_items(std::string_view open, const Values& items, std::string_view close) {
    append(open);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) append(", ");
      write(items[i]);
    }
    append(close);
  }

  void write_dict(const DictObject& dict) {
    append("{");
    bool first = true;
    for (const auto& [key, value] : dict.entries()) {
      if (!first) append(", ");
      first = false;
      write(key);
      append(": ");
      write(value);
    }
    append("}");
  }

  void write_range(const RangeObject& range) {
    append(fmt::format("range({}, {}", range.start, range.stop));
    append(range.step == 1 ? ")" : fmt::format(", {})", range.step));
  }

  void write_view(const ViewObject& view) {
    constexpr std::string_view kNames[] = {"dict_keys([", "dict_values([", "dict_items(["};
    append(kNames[static_cast<size_t>(view.view_kind)]);
    bool first = true;
    for (const auto& [key, value] : view.source.dict().entries()) {
      if (!first) append(", ");
      first = false;
      if (view.view_kind == ViewKind::kItems) {
        write_items("(", {key, value}, ")");
      } else {
        write(view.view_kind == ViewKind::kKeys ? key : value);
      }
    }
    append("])");
  }

  // A namespace may hold itself; Python then writes "{...}" for its attributes.
  void write_namespace(const NamespaceObject& space) {
    for (const NamespaceObject* open : open_) {
      if (open == &space) return append("<Namespace {...}>");
    }
    if (open_.size() >= kMaxNesting) throw Error("namespaces are nested too deep to be written");
    open_.push_back(&space);
    append("<Namespace {");
    bool first = true;
    for (const auto& [key, value] : space.attributes) {
      if (!first) append(", ");
      first = false;
      append(python_text::quote(key) + ": ");
      write(value);
    }
    append("}>");
    open_.pop_back();
  }

  Budget& budget_;
  std::string out_;
  std::vector<const NamespaceObject*> open_;
};

}  // namespace

std::string to_repr(const Value& value, Budget& budget) {
  ReprWriter writer(budget);
  writer.write(value);
  return writer.finish();
}

std::string to_text(const Value& value, Budget& budget) {
  if (value.is_string()) return value.text();
  if (value.is_undefined()) return "";
  return to_repr(value, budget);
}

}  // namespace palimpsest::jinja
