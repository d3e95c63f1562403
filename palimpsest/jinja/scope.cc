// resolve_names(): what each statement does to the names around it.
#include <fmt/format.h>

#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/lexer.h"
#include "palimpsest/jinja/internal/symbols.h"

namespace palimpsest::jinja {
namespace {

void load_names(const Expression* expression, Symbols& symbols) {
  if (expression == nullptr) return;
  if (expression->kind == ExpressionKind::kName) symbols.load(expression->name);
  for_each_part(*expression, [&](const Expression& part) { load_names(&part, symbols); });
}

void store_target(const Expression& target, Symbols& symbols) {
  if (target.kind == ExpressionKind::kName) symbols.store(target.name);
  if (target.kind == ExpressionKind::kNamespaceReference) symbols.load(target.name);
  for (const auto& item : target.items) store_target(*item, symbols);
}

void declare_target(const Expression& target, Symbols& symbols) {
  if (target.kind == ExpressionKind::kName) symbols.declare(target.name);
  for (const auto& item : target.items) declare_target(*item, symbols);
}

// What a statement does to the names of the frame that it stands in. Frames of its own are not
// looked into.
void note_names(const Statement& statement, Symbols& symbols);

void note_names(const Body& body, Symbols& symbols) {
  for (const auto& statement : body) note_names(*statement, symbols);
}

void note_if(const Statement& statement, Symbols& symbols) {
  load_names(statement.value.get(), symbols);
  std::vector<Symbols> branches;
  for (const Body* body : {&statement.body, &statement.elifs, &statement.else_body}) {
    Symbols branch = symbols;
    note_names(*body, branch);
    branches.push_back(std::move(branch));
  }
  symbols.merge_branches(branches);
}

void note_names(const Statement& statement, Symbols& symbols) {
  switch (statement.kind) {
    case StatementKind::kOutput:
      for (const auto& part : statement.parts) load_names(part.get(), symbols);
      break;
    case StatementKind::kIf:
      note_if(statement, symbols);
      break;
    case StatementKind::kSet:
      load_names(statement.value.get(), symbols);
      store_target(*statement.target, symbols);
      break;
    case StatementKind::kSetBlock:
      store_target(*statement.target, symbols);
      break;
    case StatementKind::kMacro:
      symbols.store(statement.name);
      break;
    case StatementKind::kFor:
    case StatementKind::kCallBlock:
    case StatementKind::kFilterBlock:
      load_names(statement.value.get(), symbols);
      break;
    case StatementKind::kWith:
      for (const auto& value : statement.defaults) load_names(value.get(), symbols);
      break;
    default:
      break;
  }
}

// Which of some special names (loop, caller …) a body reads before it sets them.
class ReadNames {
 public:
  explicit ReadNames(std::set<std::string> names) : names_(std::move(names)) {}

  const std::set<std::string>& visit(const Body& body) {
    for (const auto& statement : body) visit(*statement);
    return read_;
  }

 private:
  void visit(const Expression* expression) {
    if (expression == nullptr) return;
    if (expression->kind == ExpressionKind::kName && names_.count(expression->name) > 0) {
      read_.insert(expression->name);
    }
    for_each_part(*expression, [this](const Expression& part) { visit(&part); });
  }

  void set(const Expression* target) {
    if (target == nullptr) return;
    if (target->kind == ExpressionKind::kName) names_.erase(target->name);
    for (const auto& item : target->items) set(item.get());
  }

  void visit(const Statement& statement) {
    const bool value_first =
        statement.kind == StatementKind::kIf || statement.kind == StatementKind::kCallBlock;
    set(statement.target.get());
    if (value_first || statement.kind == StatementKind::kFor ||
        statement.kind == StatementKind::kSet || statement.kind == StatementKind::kSetBlock) {
      visit(statement.value.get());
    }
    for (const auto& part : statement.parts) visit(part.get());
    for (const auto& parameter : statement.parameters) set(parameter.get());
    for (const auto& value : statement.defaults) visit(value.get());
    visit(statement.body);
    visit(statement.elifs);
    visit(statement.else_body);
    if (statement.kind == StatementKind::kFilterBlock) visit(statement.value.get());
    visit(statement.test.get());
  }

  std::set<std::string> names_;
  std::set<std::string> read_;
};

// Refuses to set `loop` anywhere inside a loop.
void refuse_setting_loop(const Expression* target) {
  if (target == nullptr) return;
  if (target->kind == ExpressionKind::kName && target->name == "loop") {
    fail_at(target->line, "inside a for, the variable `loop` cannot be set");
  }
  for (const auto& item : target->items) refuse_setting_loop(item.get());
}

void refuse_setting_loop(const Statement& statement) {
  refuse_setting_loop(statement.target.get());
  for (const Body* body : {&statement.body, &statement.elifs, &statement.else_body}) {
    for (const auto& inner : *body) refuse_setting_loop(*inner);
  }
}

ExpressionPtr copy_target(const Expression& target) {
  auto copy = std::make_unique<Expression>();
  copy->kind = target.kind;
  copy->line = target.line;
  copy->depth = target.depth;
  copy->name = target.name;
  for (const auto& item : target.items) copy->items.push_back(copy_target(*item));
  return copy;
}

// What surrounds a statement.
struct StatementContext {
  bool soft = false;     // inside an if or an inline if: unknown filters fail only when they run
  bool in_loop = false;  // break and continue are allowed
};

class Resolver {
 public:
  void resolve(Body& body, Symbols& symbols, StatementContext context) {
    for (const auto& statement : body) resolve(*statement, symbols, context);
  }

 private:
  void resolve(Expression* expression, const Symbols& symbols, bool soft) {
    if (expression == nullptr) return;
    const ExpressionKind kind = expression->kind;
    if (kind == ExpressionKind::kName || kind == ExpressionKind::kNamespaceReference) {
      expression->reference = symbols.find(expression->name);
      if (expression->reference.slot < 0) {
        // Jinja has the same gap: it does not look for names in the filter of a block-set.
        fail_at(expression->line,
                fmt::format("the name '{}' cannot be used in this place", expression->name),
                "set a variable to the text first, then filter it");
      }
    }
    soft = soft || kind == ExpressionKind::kConditional;
    const bool named = kind == ExpressionKind::kFilter || kind == ExpressionKind::kTest;
    if (named && expression->method == nullptr && !soft) {
      fail_at(expression->line, unknown_method(kind == ExpressionKind::kFilter, expression->name));
    }
    for_each_part(*expression, [&](const Expression& part) {
      resolve(const_cast<Expression*>(&part), symbols, soft);
    });
  }

  void resolve(Statement& statement, Symbols& symbols, StatementContext context) {
    switch (statement.kind) {
      case StatementKind::kOutput:
        for (const auto& part : statement.parts) resolve(part.get(), symbols, context.soft);
        break;
      case StatementKind::kIf: {
        const StatementContext inside{.soft = true, .in_loop = context.in_loop};
        resolve(statement.value.get(), symbols, true);
        resolve(statement.body, symbols, inside);
        resolve(statement.elifs, symbols, inside);
        resolve(statement.else_body, symbols, inside);
        break;
      }
      case StatementKind::kFor:
        resolve_for(statement, symbols, context);
        break;
      case StatementKind::kSet:
        resolve(statement.value.get(), symbols, context.soft);
        resolve(statement.target.get(), symbols, context.soft);
        break;
      case StatementKind::kMacro:
        statement.macro = symbols.find(statement.name);
        resolve_macro(statement, symbols);
        break;
      case StatementKind::kGeneration:
        resolve_macro(statement, symbols);
        break;
      case StatementKind::kCallBlock:
        resolve_macro(statement, symbols);
        for (const auto& [name, value] : statement.value->arguments.named) {
          if (name == "caller") fail_at(statement.line, "the argument 'caller' is given twice");
        }
        resolve(statement.value.get(), symbols, context.soft);
        break;
      case StatementKind::kSetBlock:
      case StatementKind::kFilterBlock:
      case StatementKind::kWith:
        resolve_block(statement, symbols, context);
        break;
      case StatementKind::kBreak:
      case StatementKind::kContinue:
        if (!context.in_loop) fail_at(statement.line, "break or continue is outside a loop");
        break;
    }
  }

  // The blocks with a frame of their own that run in place.
  void resolve_block(Statement& statement, Symbols& symbols, StatementContext context) {
    Symbols inner(&symbols, symbols.function());
    if (statement.kind == StatementKind::kWith) {
      for (const auto& target : statement.parameters) declare_target(*target, inner);
    }
    note_names(statement.body, inner);
    if (statement.kind == StatementKind::kFilterBlock) load_names(statement.value.get(), inner);
    statement.frame = inner.layout();
    for (const auto& value : statement.defaults) resolve(value.get(), symbols, context.soft);
    for (const auto& target : statement.parameters) resolve(target.get(), inner, false);
    resolve(statement.body, inner, {.in_loop = context.in_loop});
    resolve(statement.target.get(), symbols, context.soft);
    resolve(statement.value.get(), inner, false);
  }

  void resolve_for(Statement& statement, Symbols& symbols, StatementContext context) {
    refuse_setting_loop(statement);
    FunctionScope own{.parent = symbols.function(), .layout = &statement.function};
    FunctionScope* function = symbols.function();
    if (statement.recursive) function = &own;
    Symbols body_symbols(&symbols, function);
    Symbols else_symbols(&symbols, function);
    const bool extended = statement.recursive || !ReadNames({"loop"}).visit(statement.body).empty();
    if (extended) body_symbols.declare("loop");
    declare_target(*statement.target, body_symbols);
    note_names(statement.body, body_symbols);
    note_names(statement.else_body, else_symbols);
    if (statement.test != nullptr) resolve_for_test(statement, symbols);
    statement.frame = body_symbols.layout();
    statement.else_frame = else_symbols.layout();
    if (extended) statement.loop = body_symbols.find("loop");
    resolve(statement.value.get(), symbols, context.soft);
    resolve(statement.target.get(), body_symbols, false);
    resolve(statement.body, body_symbols, {.in_loop = true});
    resolve(statement.else_body, else_symbols,
            {.in_loop = !statement.recursive && context.in_loop});
  }

  void resolve_for_test(Statement& statement, Symbols& symbols) {
    FunctionScope function{.parent = symbols.function(), .layout = &statement.test_function};
    Symbols inner(&symbols, &function);
    declare_target(*statement.target, inner);
    load_names(statement.test.get(), inner);
    statement.test_frame = inner.layout();
    statement.test_target = copy_target(*statement.target);
    resolve(statement.test_target.get(), inner, false);
    resolve(statement.test.get(), inner, false);
  }

  void resolve_macro(Statement& statement, Symbols& symbols) {
    symbols.function()->layout->has_macros = true;
    FunctionScope function{.parent = symbols.function(), .layout = &statement.function};
    Symbols inner(&symbols, &function);
    const auto note_all = [&] {
      for (const auto& parameter : statement.parameters) inner.declare(parameter->name);
      for (const auto& value : statement.defaults) load_names(value.get(), inner);
      note_names(statement.body, inner);
    };
    note_all();
    const std::set<std::string> read =
        ReadNames({"caller", "kwargs", "varargs"}).visit(statement.body);
    const auto special = [&](const char* name) {
      if (read.count(name) == 0) return Reference{};
      for (size_t i = 0; i < statement.parameters.size(); ++i) {
        if (statement.parameters[i]->name != name) continue;
        if (std::string_view(name) == "caller" &&
            i + statement.defaults.size() < statement.parameters.size()) {
          fail_at(statement.line, "a parameter named 'caller' needs a default");
        }
        return Reference{};
      }
      inner.declare(name);
      return inner.find(name);
    };
    statement.uses_caller = read.count("caller") > 0;
    statement.caller = special("caller");
    statement.keyword_rest = special("kwargs");
    statement.positional_rest = special("varargs");
    note_all();
    statement.frame = inner.layout();
    for (const auto& parameter : statement.parameters) resolve(parameter.get(), inner, false);
    for (const auto& value : statement.defaults) resolve(value.get(), inner, false);
    resolve(statement.body, inner, {});
  }
};

}  // namespace

void resolve_names(Program& program) {
  FunctionScope function{.layout = &program.function};
  Symbols symbols(nullptr, &function);
  note_names(program.body, symbols);
  Resolver().resolve(program.body, symbols, {});
  program.frame = symbols.layout();
}

}  // namespace palimpsest::jinja
