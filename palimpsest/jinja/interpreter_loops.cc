// The interpreter's loops and macros.
#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/interpreter.h"
#include "palimpsest/jinja/internal/interpreter_scopes.h"
#include "palimpsest/jinja/internal/repr.h"

namespace palimpsest::jinja {
namespace {

// Closes a loop when its `for` ends, however it ends.
class LoopGuard {
 public:
  explicit LoopGuard(LoopObject* loop) : loop_(loop) {}
  ~LoopGuard() {
    if (loop_ != nullptr) loop_->close();
  }
  LoopGuard(const LoopGuard&) = delete;
  LoopGuard& operator=(const LoopGuard&) = delete;

 private:
  LoopObject* loop_;
};

Value take_named(Arguments& arguments, std::string_view name) {
  const auto found = std::find_if(arguments.named.begin(), arguments.named.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  if (found == arguments.named.end()) return Value();
  Value value = std::move(found->second);
  arguments.named.erase(found);
  return value;
}

}  // namespace

// The items that pass the condition of a `for`, which is evaluated only as the loop advances. The
// condition has variables of its own, so that looking ahead does not disturb the loop's.
Value Interpreter::filtered(const Statement& statement, const Value& iterable) {
  auto cursor = std::make_shared<Cursor>(iterable, runtime_.budget);
  auto own = std::make_shared<Environment>(statement.test_function, environment_, runtime_.budget);
  auto entered = std::make_shared<bool>(false);
  auto next = [this, &statement, cursor, own, entered](Value& item) {
    const Restore inside(environment_, own.get());
    if (!std::exchange(*entered, true)) enter(statement.test_frame);
    while (cursor->next(item)) {
      assign(*statement.test_target, item);
      if (!truth(evaluate(*statement.test))) continue;
      item = evaluate(*statement.test_target);
      return true;
    }
    return false;
  };
  return make_iterator(std::move(next), 1, &runtime_.budget);
}

Interpreter::Flow Interpreter::execute_for(const Statement& statement) {
  Value iterable = evaluate(*statement.value);
  if (!statement.recursive) return run_loop(statement, std::move(iterable), 0);
  const Value text = run_recursive_loop(statement, environment_, std::move(iterable), 0);
  write(text.text());
  return Flow::kNext;
}

Value Interpreter::run_recursive_loop(const Statement& statement, Environment* closure,
                                      Value iterable, int64_t depth) {
  Buffer buffer(runtime_.budget);
  const Restore redirect(output_, &buffer);
  const Call call(*this, statement.function, closure);
  run_loop(statement, std::move(iterable), depth);
  return make_string(buffer.text(), &runtime_.budget);
}

Interpreter::Flow Interpreter::run_loop(const Statement& statement, Value iterable, int64_t depth) {
  if (statement.test != nullptr) {
    // A recursive loop's condition sees the variables around the loop, not those of the loop.
    const Restore around(environment_, statement.recursive ? environment_->parent : environment_);
    iterable = filtered(statement, iterable);
  }
  const bool extended = statement.loop.slot >= 0;
  std::shared_ptr<LoopObject> loop;
  std::optional<Cursor> cursor;
  if (extended) {
    loop = std::make_shared<LoopObject>(std::move(iterable), depth, runtime_);
    if (statement.recursive) {
      loop->recurse = [this, &statement, closure = environment_->parent](Runtime&, Arguments& a) {
        return run_recursive_loop(statement, closure, a.positional[0], a.positional[1].as_int());
      };
    }
  } else {
    cursor.emplace(std::move(iterable), runtime_.budget);
  }
  const LoopGuard guard(loop.get());
  bool ran = false;  // whether a round went through to its end; see run_else()
  Value item;
  while (extended ? loop->advance(item) : cursor->next(item)) {
    runtime_.budget.spend(1);
    assign(*statement.target, item);
    if (extended) variable(statement.loop) = Value::object(Kind::kLoop, loop);
    enter(statement.frame);
    const Flow flow = execute(statement.body);
    if (flow == Flow::kBreak) break;
    if (flow == Flow::kNext) ran = true;
  }
  leave(statement.frame);
  return ran ? Flow::kNext : run_else(statement);
}

// Jinja notes at the end of a round that there was one, so `else` runs also if every round was cut
// short by break or continue.
Interpreter::Flow Interpreter::run_else(const Statement& statement) {
  if (statement.else_body.empty()) return Flow::kNext;
  enter(statement.else_frame);
  const Flow flow = execute(statement.else_body);
  leave(statement.else_frame);
  return flow;
}

Value Interpreter::make_macro(const Statement& statement) {
  auto macro = std::make_shared<MacroObject>(&runtime_.budget);
  if (statement.kind == StatementKind::kMacro) macro->name = statement.name;
  for (const auto& parameter : statement.parameters) macro->parameters.push_back(parameter->name);
  macro->catches_keywords = statement.keyword_rest.slot >= 0;
  macro->catches_positional = statement.positional_rest.slot >= 0;
  macro->uses_caller = statement.uses_caller;
  macro->call = [this, &statement, closure = environment_](Runtime&, Arguments& arguments) {
    return call_macro(statement, closure, arguments);
  };
  return Value::object(Kind::kMacro, std::move(macro));
}

Value Interpreter::call_macro(const Statement& statement, Environment* closure,
                              Arguments& arguments) {
  const int line = line_;
  Buffer buffer(runtime_.budget);
  const Restore redirect(output_, &buffer);
  const Call call(*this, statement.function, closure);
  bind_parameters(statement, arguments);
  enter(statement.frame);
  const size_t required = statement.parameters.size() - statement.defaults.size();
  for (size_t i = 0; i < statement.parameters.size(); ++i) {
    Value& slot = variable(statement.parameters[i]->reference);
    if (!slot.is_missing()) continue;
    const std::string& name = statement.parameters[i]->name;
    Value value = i >= required
                      ? evaluate(*statement.defaults[i - required])
                      : make_undefined(fmt::format("the parameter '{}' was not given", name),
                                       &runtime_.budget);
    variable(statement.parameters[i]->reference) = std::move(value);
  }
  execute(statement.body);
  line_ = line;
  return make_string(buffer.text(), &runtime_.budget);
}

void Interpreter::bind_parameters(const Statement& statement, Arguments& arguments) {
  const std::string name = statement.kind == StatementKind::kMacro
                               ? fmt::format("the macro '{}'", statement.name)
                               : "the body of the call";
  const size_t count = statement.parameters.size();
  const size_t given = std::min(count, arguments.positional.size());
  bool found_caller = false;
  for (size_t i = 0; i < count; ++i) {
    const Expression& parameter = *statement.parameters[i];
    const bool named = i >= given;
    variable(parameter.reference) =
        named ? take_named(arguments, parameter.name) : arguments.positional[i];
    if (parameter.name == "caller" && (named || given == count)) found_caller = true;
  }
  if (statement.caller.slot >= 0 && !found_caller) {
    Value caller = take_named(arguments, "caller");
    if (caller.is_missing() || caller.is_none()) {
      caller = make_undefined("no caller is defined: the macro was not used by a call block",
                              &runtime_.budget);
    }
    variable(statement.caller) = std::move(caller);
  }
  if (statement.keyword_rest.slot >= 0) {
    variable(statement.keyword_rest) =
        make_dict(named_entries(arguments, &runtime_.budget), &runtime_.budget);
  } else if (!arguments.named.empty()) {
    throw Error(fmt::format("{} takes no argument named '{}'", name, arguments.named[0].first));
  }
  if (statement.positional_rest.slot >= 0) {
    Values rest(arguments.positional.begin() + static_cast<ptrdiff_t>(given),
                arguments.positional.end());
    variable(statement.positional_rest) = make_tuple(std::move(rest), &runtime_.budget);
  } else if (arguments.positional.size() > count) {
    throw Error({.what = fmt::format("{} is given too many arguments", name),
                 .expected = fmt::format("at most {}", count),
                 .found = fmt::format("{}", arguments.positional.size())});
  }
}

void Interpreter::execute_call_block(const Statement& statement) {
  const Value caller = make_macro(statement);
  const Value callee = evaluate(*statement.value->items[0]);
  Arguments arguments = evaluate_arguments(statement.value->arguments);
  arguments.named.emplace_back("caller", caller);
  const Value result = call_value(callee, arguments, runtime_);
  write(to_text(result, runtime_.budget));
}

}  // namespace palimpsest::jinja
