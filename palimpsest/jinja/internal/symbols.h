// The names that one frame of a template knows while the template is resolved.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "palimpsest/jinja/internal/ast.h"

namespace palimpsest::jinja {

// A function of the template: its variables, one slot each. Frames inside it share the slots of
// variables of the same name at the same level.
struct FunctionScope {
  FunctionScope* parent = nullptr;
  FunctionLayout* layout = nullptr;
  std::map<std::pair<int, std::string>, int> slots = {};

  int slot(int level, const std::string& name);
};

class Symbols {
 public:
  Symbols(Symbols* parent, FunctionScope* function);

  // The name is read, set, or a parameter of this frame.
  void load(const std::string& name);
  void store(const std::string& name);
  void declare(const std::string& name);

  // Takes in what the branches of an `if` did: copies of this object that each went on alone.
  void merge_branches(const std::vector<Symbols>& branches);

  // Where a name lives, seen from this frame's function; slot -1 if no frame knows it.
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
