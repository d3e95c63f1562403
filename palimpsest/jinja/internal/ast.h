// A parsed template: expressions and statements as trees. Names are resolved to slots when the
// template is parsed (scope.h), so that rendering looks nothing up by name but the
// variables that come from outside.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/jinja/internal/attributes.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// How deep expressions and statements may be nested; Python's own compiler gives up there too.
inline constexpr int kMaxExpressionDepth = 200;
inline constexpr int kMaxStatementDepth = 100;

// Where a variable lives: `hops` functions outwards, then the slot.
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
  kSlice,      // items[0][items[1]:items[2]:items[3]], null where open
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
  kConditional,  // items[0] if items[1] else items[2], which may be null
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
  Method method = nullptr;  // the filter or test; null if there is none of that name
};

enum class StatementKind : uint8_t {
  kOutput,       // parts
  kIf,           // value, body, elifs, else_body
  kFor,          // target in value if test: body, else_body
  kSet,          // target = value
  kSetBlock,     // target = body, through the filter `value` if there is one
  kMacro,        // name(parameters, the last ones with defaults): body
  kCallBlock,    // value is the call; parameters, defaults, body
  kFilterBlock,  // value is the filter
  kWith,         // parameters = defaults: body
  kGeneration,   // body
  kBreak,
  kContinue,
};

// What a frame does to its variables when it is entered.
struct Load {
  enum class Action : uint8_t {
    kParameter,  // nothing: set by whoever enters
    kResolve,    // takes the variable of that name from outside
    kAlias,      // copies the variable of an enclosing frame
    kUndefined,  // nothing yet
  };
  Action action = Action::kUndefined;
  int slot = -1;
  Reference outer = {};
  std::string name = {};
};

struct FrameLayout {
  std::vector<Load> loads = {};
};

// A piece that runs with variables of its own: the template, a macro, the body of a call, a
// recursive loop, the condition of a loop.
struct FunctionLayout {
  int slots = 0;
  bool has_macros = false;  // macros inside refer to its variables, which must outlive the call
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
  ExpressionPtr test_target = {};  // the target once more, in the variables of the test
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
  Reference caller = {};  // of a macro; slot -1: not used, or one of its parameters
  Reference keyword_rest = {};
  Reference positional_rest = {};
};

struct Program {
  Body body = {};
  FrameLayout frame = {};
  FunctionLayout function = {};
};

}  // namespace palimpsest::jinja
