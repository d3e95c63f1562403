// Guards that the interpreter's sources share. Each undoes its effect when a scope is left, also by
// an exception. Only interpreter*.cc may include this header.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/jinja/internal/interpreter.h"

namespace palimpsest::jinja {

// Counts one level of evaluation.
class Interpreter::EvaluationDepth {
 public:
  explicit EvaluationDepth(Interpreter& interpreter) : depth_(interpreter.depth_) {
    if (++depth_ > kMaxEvaluationDepth) {
      --depth_;
      throw Error({.what = "the template is nested too deep to be evaluated",
                   .hint = "does a macro call itself without end?"});
    }
  }
  ~EvaluationDepth() { --depth_; }
  EvaluationDepth(const EvaluationDepth&) = delete;
  EvaluationDepth& operator=(const EvaluationDepth&) = delete;

 private:
  int& depth_;
};

// Runs a function of the template with new variables.
class Interpreter::Call {
 public:
  Call(Interpreter& interpreter, const FunctionLayout& layout, Environment* closure)
      : interpreter_(interpreter),
        layout_(layout),
        own_(std::make_unique<Environment>(layout, closure, interpreter.runtime_.budget)),
        before_(interpreter.environment_) {
    if (interpreter_.call_depth_ >= kMaxCallDepth) {
      throw Error({.what = "macros or loops call each other too deep",
                   .expected = fmt::format("at most {} calls", kMaxCallDepth),
                   .hint = "does one call itself without end?"});
    }
    // The entry is reserved now, because the destructor must not fail.
    if (layout_.has_macros) interpreter_.kept_.push_back(nullptr);
    kept_at_ = interpreter_.kept_.size();
    ++interpreter_.call_depth_;
    interpreter_.environment_ = own_.get();
  }
  ~Call() {
    --interpreter_.call_depth_;
    interpreter_.environment_ = before_;
    if (layout_.has_macros) interpreter_.kept_[kept_at_ - 1] = std::move(own_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Interpreter& interpreter_;
  const FunctionLayout& layout_;
  std::unique_ptr<Environment> own_;
  Environment* before_;
  size_t kept_at_ = 0;
};

// Gives a variable another value for a while.
template <class T>
class Restore {
 public:
  Restore(T& variable, T value) : variable_(variable), before_(std::exchange(variable, value)) {}
  ~Restore() { variable_ = before_; }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  T& variable_;
  T before_;
};

}  // namespace palimpsest::jinja
