#include "palimpsest/jinja/internal/symbols.h"

namespace palimpsest::jinja {

int FunctionScope::slot(int level, const std::string& name) {
  const auto [entry, added] = slots.try_emplace({level, name}, layout->slots);
  if (added) ++layout->slots;
  return entry->second;
}

Symbols::Symbols(Symbols* parent, FunctionScope* function)
    : parent_(parent), function_(function), level_(parent == nullptr ? 0 : parent->level_ + 1) {}

const Symbols* Symbols::owner(const std::string& name) const {
  const Symbols* scope = this;
  while (scope != nullptr && scope->slots_.count(name) == 0) scope = scope->parent_;
  return scope;
}

Reference Symbols::reference_to(const Symbols& owner, const std::string& name) const {
  Reference reference{0, owner.slots_.at(name)};
  for (const FunctionScope* f = function_; f != owner.function_; f = f->parent) ++reference.hops;
  return reference;
}

Reference Symbols::find(const std::string& name) const {
  const Symbols* found = owner(name);
  return found == nullptr ? Reference{} : reference_to(*found, name);
}

void Symbols::define(const std::string& name, Load load) {
  load.slot = function_->slot(level_, name);
  load.name = name;
  slots_[name] = load.slot;
  loads_[load.slot] = std::move(load);
}

void Symbols::load(const std::string& name) {
  if (owner(name) == nullptr) define(name, {.action = Load::Action::kResolve});
}

void Symbols::store(const std::string& name) {
  stores_.insert(name);
  if (slots_.count(name) > 0) return;
  const Symbols* outer = parent_ == nullptr ? nullptr : parent_->owner(name);
  if (outer == nullptr) return define(name, {.action = Load::Action::kUndefined});
  define(name, {.action = Load::Action::kAlias, .outer = reference_to(*outer, name)});
}

void Symbols::declare(const std::string& name) {
  stores_.insert(name);
  define(name, {.action = Load::Action::kParameter});
}

void Symbols::merge_branches(const std::vector<Symbols>& branches) {
  std::set<std::string> set_in_branches;
  for (const Symbols& branch : branches) {
    for (const std::string& name : branch.stores_) {
      if (stores_.count(name) == 0) set_in_branches.insert(name);
    }
  }
  for (const Symbols& branch : branches) {
    for (const auto& [name, slot] : branch.slots_) slots_[name] = slot;
    for (const auto& [slot, load] : branch.loads_) loads_[slot] = load;
    stores_.insert(branch.stores_.begin(), branch.stores_.end());
  }
  // A name that only some branch sets has its outer value if that branch does not run.
  for (const std::string& name : set_in_branches) {
    const Symbols* outer = parent_ == nullptr ? nullptr : parent_->owner(name);
    Load load{.action = Load::Action::kResolve, .slot = slots_.at(name), .name = name};
    if (outer != nullptr) {
      load.action = Load::Action::kAlias;
      load.outer = reference_to(*outer, name);
    }
    loads_[load.slot] = std::move(load);
  }
}

FrameLayout Symbols::layout() const {
  FrameLayout result;
  for (const auto& [slot, load] : loads_) result.loads.push_back(load);
  return result;
}

}  // namespace palimpsest::jinja
