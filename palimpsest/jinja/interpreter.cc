#include "palimpsest/jinja/internal/interpreter.h"

#include <fmt/format.h>

#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/interpreter_scopes.h"
#include "palimpsest/jinja/internal/repr.h"

namespace palimpsest::jinja {

Environment::Environment(const FunctionLayout& layout, Environment* outer, Budget& the_budget)
    : parent(outer), slots(static_cast<size_t>(layout.slots)), budget(the_budget) {
  budget.acquire(static_cast<int64_t>(64 + slots.size() * sizeof(Value)));
}

Environment::~Environment() {
  budget.release(static_cast<int64_t>(64 + slots.size() * sizeof(Value)));
}

Interpreter::Interpreter(const Program& program, Runtime& runtime,
                         const std::map<std::string, Value>& variables)
    : program_(program), runtime_(runtime), variables_(variables) {}

// Values may refer to each other through variables; emptying them one by one breaks the circles.
Interpreter::~Interpreter() {
  for (const auto& environment : kept_) {
    for (Value& value : environment->slots) value = Value();
  }
}

std::string Interpreter::run() {
  Buffer output(runtime_.budget);
  output_ = root_output_ = &output;
  const Call call(*this, program_.function, nullptr);
  enter(program_.frame);
  execute(program_.body);
  return output.text();
}

void Interpreter::enter(const FrameLayout& frame) {
  for (const Load& load : frame.loads) {
    Value& slot = environment_->slots[static_cast<size_t>(load.slot)];
    switch (load.action) {
      case Load::Action::kParameter:
        break;
      case Load::Action::kResolve:
        slot = resolve(load.name);
        break;
      case Load::Action::kAlias:
        slot = variable(load.outer);
        break;
      case Load::Action::kUndefined:
        slot = Value();
        break;
    }
  }
}

void Interpreter::leave(const FrameLayout& frame) {
  for (const Load& load : frame.loads) {
    environment_->slots[static_cast<size_t>(load.slot)] = Value();
  }
}

Value Interpreter::resolve(const std::string& name) {
  const auto found = variables_.find(name);
  return found != variables_.end() ? found->second : find_global(name, runtime_);
}

Value& Interpreter::variable(const Reference& reference) {
  Environment* environment = environment_;
  for (int i = 0; i < reference.hops; ++i) environment = environment->parent;
  return environment->slots[static_cast<size_t>(reference.slot)];
}

void Interpreter::assign(const Expression& target, const Value& value) {
  if (target.kind == ExpressionKind::kName) {
    variable(target.reference) = value;
    return;
  }
  if (target.kind == ExpressionKind::kNamespaceReference) {
    const Value& space = variable(target.reference);
    if (!space.is(Kind::kNamespace)) {
      throw Error({.what = fmt::format("'{}' is not a namespace, so its attributes cannot be set",
                                       target.name),
                   .hint = fmt::format("make it one: {{% set {} = namespace() %}}", target.name)});
    }
    space.get<NamespaceObject>().set(target.constant.text(), value);
    return;
  }
  const Values items = collect(value, runtime_.budget);
  if (items.size() != target.items.size()) {
    throw Error({.what = "a value cannot be unpacked into the names on its left",
                 .expected = fmt::format("{} items", target.items.size()),
                 .found = fmt::format("{}", items.size())});
  }
  for (size_t i = 0; i < items.size(); ++i) assign(*target.items[i], items[i]);
}

void Interpreter::write(std::string_view text) {
  output_->append(text);
  if (output_ == root_output_) has_written_ = true;
}

Interpreter::Flow Interpreter::execute(const Body& body) {
  for (const auto& statement : body) {
    const Flow flow = execute(*statement);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Interpreter::Flow Interpreter::execute(const Statement& statement) {
  const EvaluationDepth depth(*this);
  line_ = statement.line;
  runtime_.budget.spend(1);
  switch (statement.kind) {
    case StatementKind::kOutput:
      execute_output(statement);
      return Flow::kNext;
    case StatementKind::kIf:
      return execute_if(statement);
    case StatementKind::kFor:
      return execute_for(statement);
    case StatementKind::kSet:
      execute_set(statement);
      return Flow::kNext;
    case StatementKind::kMacro:
      variable(statement.macro) = make_macro(statement);
      return Flow::kNext;
    case StatementKind::kCallBlock:
      execute_call_block(statement);
      return Flow::kNext;
    case StatementKind::kGeneration:
      execute_generation(statement);
      return Flow::kNext;
    case StatementKind::kSetBlock:
    case StatementKind::kFilterBlock:
    case StatementKind::kWith:
      return execute_block(statement);
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNext;
}

void Interpreter::execute_output(const Statement& statement) {
  for (const auto& part : statement.parts) {
    if (part->kind == ExpressionKind::kConstant && part->constant.is_string()) {
      write(part->constant.text());
    } else {
      const Value value = evaluate(*part);
      write(value.is_string() ? value.text() : to_text(value, runtime_.budget));
    }
  }
}

Interpreter::Flow Interpreter::execute_if(const Statement& statement) {
  if (truth(evaluate(*statement.value))) return execute(statement.body);
  for (const auto& branch : statement.elifs) {
    line_ = branch->line;
    if (truth(evaluate(*branch->value))) return execute(branch->body);
  }
  return execute(statement.else_body);
}

void Interpreter::execute_set(const Statement& statement) {
  // Jinja looks at the namespace before it evaluates what is to be set.
  if (statement.target->kind == ExpressionKind::kNamespaceReference &&
      !variable(statement.target->reference).is(Kind::kNamespace)) {
    assign(*statement.target, Value::none());
  }
  const Value value = evaluate(*statement.value);
  assign(*statement.target, value);
}

// Set blocks, filter blocks and with: a frame of their own in the same function.
Interpreter::Flow Interpreter::execute_block(const Statement& statement) {
  if (statement.kind == StatementKind::kWith) {
    enter(statement.frame);
    for (size_t i = 0; i < statement.parameters.size(); ++i) {
      assign(*statement.parameters[i], evaluate(*statement.defaults[i]));
    }
    const Flow flow = execute(statement.body);
    leave(statement.frame);
    return flow;
  }
  Buffer buffer(runtime_.budget);
  enter(statement.frame);
  {
    const Restore redirect(output_, &buffer);
    const Flow flow = execute(statement.body);
    if (flow != Flow::kNext) return flow;
  }
  Value text = make_string(buffer.text(), &runtime_.budget);
  if (statement.value != nullptr) text = evaluate_method(*statement.value, &text);
  if (statement.kind == StatementKind::kSetBlock) {
    assign(*statement.target, text);
  } else {
    write(to_text(text, runtime_.budget));
  }
  leave(statement.frame);
  return Flow::kNext;
}

void Interpreter::execute_generation(const Statement& statement) {
  const Value body = make_macro(statement);
  Arguments arguments;
  const Value text = call_value(body, arguments, runtime_);
  // transformers does not record a block that nothing was written in front of.
  if (has_written_ || !generations_.empty()) {
    const size_t begin = root_output_->text().size();
    generations_.push_back({begin, begin + text.text().size()});
  }
  write(text.text());
}

}  // namespace palimpsest::jinja
