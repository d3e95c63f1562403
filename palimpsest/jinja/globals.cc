// The functions that every template may call.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/repr.h"
#include "palimpsest/python_text/time.h"

namespace palimpsest::jinja {
namespace {

// As in Jinja's sandbox.
constexpr int64_t kMaxRange = 100'000;

Value range(Runtime& runtime, Arguments& arguments) {
  const Parameters p("range", arguments, {"", "", ""}, 1);
  const int64_t start = p.has(1) ? p.integer(0, 0) : 0;
  const int64_t stop = p.has(1) ? p.integer(1, 0) : p.integer(0, 0);
  const int64_t step = p.integer(2, 1);
  if (step == 0) throw Error("the step of a range cannot be zero");
  auto object = std::make_shared<RangeObject>(start, stop, step, &runtime.budget);
  if (object->length() > kMaxRange) {
    throw Error(
        fmt::format("a range has more than {} items, which templates may not make", kMaxRange));
  }
  return Value::object(Kind::kRange, std::move(object));
}

std::vector<DictObject::Entry> pairs_of(const Value& source, Runtime& runtime) {
  if (source.is_dict()) return source.dict().entries();
  std::vector<DictObject::Entry> entries;
  Cursor cursor(source, runtime.budget);
  for (Value item; cursor.next(item);) {
    const Values pair = collect(item, runtime.budget);
    if (pair.size() != 2) throw Error("dict needs pairs of a key and a value");
    entries.emplace_back(pair[0], pair[1]);
  }
  return entries;
}

Value dict(Runtime& runtime, Arguments& arguments) {
  if (arguments.positional.size() > 1) throw Error("dict takes at most one positional argument");
  std::vector<DictObject::Entry> entries;
  if (!arguments.positional.empty()) entries = pairs_of(arguments.positional[0], runtime);
  std::ranges::move(named_entries(arguments, &runtime.budget), std::back_inserter(entries));
  return make_dict(std::move(entries), &runtime.budget);
}

Value make_namespace(Runtime& runtime, Arguments& arguments) {
  auto space = std::make_shared<NamespaceObject>(&runtime.budget);
  runtime.namespaces.push_back(space);
  const Value attributes = dict(runtime, arguments);
  for (const auto& [key, value] : attributes.dict().entries()) {
    if (!key.is_string()) throw Error("the names of a namespace's attributes must be texts");
    space->set(key.text(), value);
  }
  return Value::object(Kind::kNamespace, std::move(space));
}

Value cycler(Runtime& runtime, Arguments& arguments) {
  if (!arguments.named.empty()) throw Error("cycler takes no named arguments");
  if (arguments.positional.empty()) throw Error("cycler needs at least one item");
  Value items = make_tuple(arguments.positional, &runtime.budget);
  return Value::object(Kind::kCycler,
                       std::make_shared<CyclerObject>(std::move(items), &runtime.budget));
}

Value joiner(Runtime& runtime, Arguments& arguments) {
  const Parameters p("joiner", arguments, {"sep"}, 0);
  Value separator = p.has(0) ? p[0] : make_string(", ", &runtime.budget);
  return Value::object(Kind::kJoiner,
                       std::make_shared<JoinerObject>(std::move(separator), &runtime.budget));
}

Value raise_exception(Runtime& runtime, Arguments& arguments) {
  const Parameters p("raise_exception", arguments, {"message"}, 1);
  throw Error({.what = to_text(p[0], runtime.budget),
               .hint = "the template itself refuses this conversation"});
}

Value strftime_now(Runtime& runtime, Arguments& arguments) {
  const Parameters p("strftime_now", arguments, {"format"}, 1);
  if (runtime.now == nullptr) {
    throw Error({.what = "the template asks for the time of day, which it was not given",
                 .hint = "say what time it is, or set the date that the template uses"});
  }
  return make_string(python_text::format_time(*runtime.now, p.text(0)), &runtime.budget);
}

Value lipsum(Runtime&, Arguments&) {
  throw Error("lipsum, which makes random text, is not supported");
}

struct Global {
  std::string_view name;
  Value (*function)(Runtime&, Arguments&);
};

constexpr Global kGlobals[] = {
    {"cycler", cycler},
    {"dict", dict},
    {"joiner", joiner},
    {"lipsum", lipsum},
    {"namespace", make_namespace},
    {"raise_exception", raise_exception},
    {"range", range},
    {"strftime_now", strftime_now},
};

}  // namespace

Value find_global(std::string_view name, Runtime& runtime) {
  for (const Global& global : kGlobals) {
    if (global.name == name) {
      return make_function(std::string(name), global.function, 0, &runtime.budget);
    }
  }
  return Value();
}

}  // namespace palimpsest::jinja
