// One key for all spellings of a name: "Min-K%++", "MIN_K_plus_plus" and "minkplusplus" have the
// same. Papers, open-unlearning, fedjax and MIMIR spell the same attacks and metrics differently.
#pragma once

#include <string>
#include <string_view>

namespace palimpsest {

// The letters and digits in lower case, with "plus" for each +; everything else is left out.
std::string name_key(std::string_view name);

// The entry of that name, or the first one with the same key. Returns nullptr if there is none.
// Entries have a member `name`.
template <class Table>
auto find_by_name(Table& table, std::string_view name) -> decltype(&*table.begin()) {
  for (auto& entry : table) {
    if (entry.name == name) return &entry;
  }
  const std::string key = name_key(name);
  for (auto& entry : table) {
    if (!key.empty() && name_key(entry.name) == key) return &entry;
  }
  return nullptr;
}

}  // namespace palimpsest
