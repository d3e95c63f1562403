#include "palimpsest/base/internal/name_key.h"

namespace palimpsest {

std::string name_key(std::string_view name) {
  std::string key;
  for (const char c : name) {
    if (c == '+') {
      key += "plus";
    } else if (c >= 'A' && c <= 'Z') {
      key += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      key += c;
    }
  }
  return key;
}

}  // namespace palimpsest
