// Renders a parsed template.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/jinja/chat_template.h"
#include "palimpsest/jinja/internal/ast.h"
#include "palimpsest/jinja/internal/loop.h"

namespace palimpsest::jinja {

// Calls of macros and recursive loops that are nested deeper than this are stopped. Python stops
// them at about the same depth.
inline constexpr int kMaxCallDepth = 200;
// The largest number of statements and expressions that may be under evaluation at the same time.
inline constexpr int kMaxEvaluationDepth = 2500;

// The variables of one call of a function of the template.
struct Environment {
  Environment(const FunctionLayout& layout, Environment* outer, Budget& the_budget);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  Environment* parent;
  Values slots;
  Budget& budget;
};

// Collects output. The budget counts its bytes.
class Buffer {
 public:
  explicit Buffer(Budget& budget) : budget_(budget) {}
  ~Buffer() { budget_.release(static_cast<int64_t>(text_.size())); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void append(std::string_view text) {
    budget_.spend_bytes(text.size());
    budget_.acquire(static_cast<int64_t>(text.size()));
    text_ += text;
  }
  const std::string& text() const { return text_; }

 private:
  Budget& budget_;
  std::string text_;
};

class Interpreter {
 public:
  // The program, the runtime and the variables must outlive this object.
  Interpreter(const Program& program, Runtime& runtime,
              const std::map<std::string, Value>& variables);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Renders the template. If it throws Error, line() is the line in the template.
  std::string run();
  int line() const { return line_; }
  const std::vector<ChatSpan>& generations() const { return generations_; }

 private:
  enum class Flow : uint8_t { kNext, kBreak, kContinue };
  class EvaluationDepth;
  class Call;

  void write(std::string_view text);
  Flow execute(const Body& body);
  Flow execute(const Statement& statement);
  void execute_output(const Statement& statement);
  Flow execute_if(const Statement& statement);
  Flow execute_for(const Statement& statement);
  Flow run_loop(const Statement& statement, Value iterable, int64_t depth);
  Flow run_else(const Statement& statement);
  Value run_recursive_loop(const Statement& statement, Environment* closure, Value iterable,
                           int64_t depth);
  Value filtered(const Statement& statement, const Value& iterable);
  Flow execute_block(const Statement& statement);
  void execute_set(const Statement& statement);
  void execute_call_block(const Statement& statement);
  void execute_generation(const Statement& statement);

  Value make_macro(const Statement& statement);
  Value call_macro(const Statement& statement, Environment* closure, Arguments& arguments);
  void bind_parameters(const Statement& statement, Arguments& arguments);

  void enter(const FrameLayout& frame);
  void leave(const FrameLayout& frame);
  Value& variable(const Reference& reference);
  void assign(const Expression& target, const Value& value);
  Value resolve(const std::string& name);

  Value evaluate(const Expression& expression);
  Value evaluate_operation(const Expression& expression);
  Value evaluate_container(const Expression& expression);
  Value evaluate_compare(const Expression& expression);
  Value evaluate_call(const Expression& expression);
  Value evaluate_method(const Expression& expression, const Value* input);
  Arguments evaluate_arguments(const CallArguments& arguments);

  const Program& program_;
  Runtime& runtime_;
  const std::map<std::string, Value>& variables_;
  Environment* environment_ = nullptr;
  Buffer* output_ = nullptr;
  Buffer* root_output_ = nullptr;
  // Environments that macros may still refer to after the call has ended.
  std::vector<std::unique_ptr<Environment>> kept_;
  std::vector<ChatSpan> generations_;
  bool has_written_ = false;
  int line_ = 1;
  int depth_ = 0;
  int call_depth_ = 0;
};

}  // namespace palimpsest::jinja
