// The syntax tree of a parsed template. Names are resolved to slots when the template is parsed
// (symbols.h). So rendering looks up by name only the variables that the caller passes in.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/jinja/internal/attributes.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// How deep expressions and statements may be nested. Python's own compiler gives up at about the
// same depth.
inline constexpr int kMaxExpressionDepth = 200;
inline constexpr int kMaxStatementDepth = 100;

// Where a variable is kept: `hops` enclosing functions outwards, then the slot in that function.
struct Reference {
  int hops = 0;
  int slot = -1;
};

enum class ExpressionKind : uint8_t {
  kConstant,
  kName,
  kNamespaceReference,  // ns.attribute as the target of a set
  kTuple,
  kList,
  kDict,       // items: key, value, key, value …
  kAttribute,  // items[0].name
  kItem,       // items[0][items[1]]
  kSlice,      // items[0][items[1]:items[2]:items[3]]; null for an open bound
  kCall,       // items[0](…)
  kFilter,     // items[0] | name(…); items[0] is null in a filter block
  kTest,       // items[0] is name(…)
  kConcat,
  kArithmetic,  // items[0] op items[1]
  kCompare,     // items[0] ops[0] items[1] ops[1] items[2] …
  kAnd,
  kOr,
  kNot,
  kNegative,
  kPositive,
  kConditional,  // items[0] if items[1] else items[2]; the last may be null
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct CallArguments {
  std::vector<ExpressionPtr> positional = {};
  std::vector<std::pair<std::string, ExpressionPtr>> named = {};
  ExpressionPtr more_positional = {};  // *arguments
  ExpressionPtr more_named = {};       // **arguments
};

struct Expression {
  ExpressionKind kind = ExpressionKind::kConstant;
  int line = 1;
  int depth = 1;
  Value constant = {};
  std::string name = {};  // of a variable, an attribute, a filter or a test
  std::vector<ExpressionPtr> items = {};
  std::vector<Operator> operators = {};
  CallArguments arguments = {};
  Reference reference = {};
  Method method = nullptr;  // the filter or test; null if there is none with that name
};

// Calls `visit` with every part of an expression, in the order of the text as Jinja's tree has it.
template <class Visit>
void for_each_part(const Expression& expression, const Visit& visit) {
  const auto maybe = [&](const ExpressionPtr& part) {
    if (part != nullptr) visit(*part);
  };
  for (const auto& item : expression.items) maybe(item);
  for (const auto& item : expression.arguments.positional) maybe(item);
  for (const auto& [name, item] : expression.arguments.named) maybe(item);
  maybe(expression.arguments.more_positional);
  maybe(expression.arguments.more_named);
}

enum class StatementKind : uint8_t {
  kOutput,       // prints parts
  kIf,           // value, body, elifs, else_body
  kFor,          // target in value if test: body, else_body
  kSet,          // target = value
  kSetBlock,     // target = body, passed through the filter `value` if there is one
  kMacro,        // name(parameters): body; the last parameters have defaults
  kCallBlock,    // value is the call; parameters, defaults, body
  kFilterBlock,  // value is the filter
  kWith,         // parameters = defaults: body
  kGeneration,   // body
  kBreak,
  kContinue,
};

// The initialisation of one variable when a frame is entered. A frame is a block with its own
// variables.
struct Load {
  enum class Action : uint8_t {
    kParameter,  // none: the code that enters the frame sets it
    kResolve,    // takes the caller's variable with that name
    kAlias,      // copies the variable of an enclosing frame
    kUndefined,  // starts as undefined
  };
  Action action = Action::kUndefined;
  int slot = -1;
  Reference outer = {};
  std::string name = {};
};

struct FrameLayout {
  std::vector<Load> loads = {};
};

// A part of the template that runs with its own set of slots: the template, a macro, the body of a
// call, a recursive loop, or the condition of a loop.
struct FunctionLayout {
  int slots = 0;
  // Whether it contains macros. They refer to its variables, which must then outlive the call.
  bool has_macros = false;
};

struct Statement;
using StatementPtr = std::unique_ptr<Statement>;
using Body = std::vector<StatementPtr>;

struct Statement {
  StatementKind kind = StatementKind::kOutput;
  int line = 1;
  std::string name = {};
  ExpressionPtr target = {};
  ExpressionPtr value = {};
  ExpressionPtr test = {};
  ExpressionPtr test_target = {};  // a copy of the target that uses the variables of the test
  std::vector<ExpressionPtr> parts = {};
  std::vector<ExpressionPtr> parameters = {};
  std::vector<ExpressionPtr> defaults = {};
  Body body = {};
  Body elifs = {};
  Body else_body = {};
  bool recursive = false;

  // Filled in by resolve_names().
  FrameLayout frame = {};
  FrameLayout else_frame = {};
  FrameLayout test_frame = {};
  FunctionLayout function = {};
  FunctionLayout test_function = {};
  Reference macro = {};  // where a macro is stored
  Reference loop = {};   // slot -1: the body does not use `loop`
  bool uses_caller = false;
  Reference caller = {};           // of a macro; slot -1: not used, or one of its parameters
  Reference keyword_rest = {};     // the variable `kwargs` of a macro
  Reference positional_rest = {};  // the variable `varargs` of a macro
};

struct Program {
  Body body = {};
  FrameLayout frame = {};
  FunctionLayout function = {};
};

}  // namespace palimpsest::jinja
