// Decides at parse time where every variable of a template is stored, by the rules of Jinja's
// compiler. `if` shares the variables around it. for, with, filter, call, macro and block-set have
// their own frame, in which a name that is set starts as a copy of the outer variable. A macro sees
// the variables around it with the values that they have when the macro runs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "palimpsest/jinja/internal/ast.h"

namespace palimpsest::jinja {

// Fills in the references and layouts of a parsed template. Throws Error, which names the line, for
// an unknown filter or test, a break outside a loop, and similar mistakes.
void resolve_names(Program& program);

// A function of the template with one slot per variable. Frames inside it that are at the same
// nesting level share the slot of a name.
struct FunctionScope {
  FunctionScope* parent = nullptr;
  FunctionLayout* layout = nullptr;
  std::map<std::pair<int, std::string>, int> slots = {};

  int slot(int level, const std::string& name);
};

// The names that a frame of the template knows, while names are being resolved.
class Symbols {
 public:
  Symbols(Symbols* parent, FunctionScope* function);

  // Records that this frame reads a name, sets it, or has it as a parameter.
  void load(const std::string& name);
  void store(const std::string& name);
  void declare(const std::string& name);

  // Merges the effects of the branches of an `if`. Each branch is a copy of this object that
  // continued separately.
  void merge_branches(const std::vector<Symbols>& branches);

  // Where a variable is kept, seen from this frame's function; slot -1 if no frame knows the name.
  Reference find(const std::string& name) const;
  FrameLayout layout() const;
  FunctionScope* function() const { return function_; }

 private:
  const Symbols* owner(const std::string& name) const;
  Reference reference_to(const Symbols& owner, const std::string& name) const;
  void define(const std::string& name, Load load);

  Symbols* parent_;
  FunctionScope* function_;
  int level_;
  std::map<std::string, int> slots_;
  std::map<int, Load> loads_;
  std::set<std::string> stores_;
};

}  // namespace palimpsest::jinja
