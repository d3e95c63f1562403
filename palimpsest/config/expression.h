// OmegaConf's interpolations as a tree: "saves/${mode}/${oc.env:NAME,none}". Parsing looks nothing
// up; resolver.h does. Understood: ${a.b}, ${a[0]}, ${.x}, ${..x}, nested ${a.${b}}, resolvers with
// arguments (texts, numbers, lists, maps, interpolations), and \${ for a literal ${.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

struct Expression {
  enum class Kind {
    kLiteral,   // `literal`
    kText,      // `parts` as texts, one behind the other
    kNode,      // a value of the configuration; `parts` make up its path
    kResolver,  // `name` makes up the resolver's name; `parts` are the arguments
    kList,      // `parts`
    kMap,       // `keys` and, as many, `parts`
  };
  Kind kind = Kind::kLiteral;
  Value literal = {};
  std::vector<Expression> parts = {};
  std::vector<Expression> name = {};
  std::vector<std::string> keys = {};
};

// A configuration text that holds ${…}. Throws Error with the place of the mistake.
Expression parse_interpolation(std::string_view text);

// One value in the syntax of a resolver's arguments: what ${oc.decode:…} reads.
Expression parse_element(std::string_view text);

// Parses every interpolation in the value, so that mistakes are found where they were written.
void check_interpolations(const Value& value);

}  // namespace palimpsest::config
