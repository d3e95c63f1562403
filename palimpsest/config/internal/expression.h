// The syntax tree of an OmegaConf interpolation such as "saves/${mode}/${oc.env:NAME,none}".
// Parsing looks nothing up; config/internal/resolver.h does that. The syntax covers ${a.b},
// ${a[0]}, ${.x}, ${..x}, nested ${a.${b}}, resolvers with arguments (texts, numbers, lists, maps,
// interpolations), and \${ for a literal ${.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

struct Expression {
  enum class Kind {
    kLiteral,   // the value is `literal`
    kText,      // the concatenation of `parts` as texts
    kNode,      // a reference to another value; `parts` form its path
    kResolver,  // a call of a resolver; `name` forms its name, `parts` are its arguments
    kList,      // a list of `parts`
    kMap,       // a map with as many `keys` as `parts`
  };
  Kind kind = Kind::kLiteral;
  Value literal = {};
  std::vector<Expression> parts = {};
  std::vector<Expression> name = {};
  std::vector<std::string> keys = {};
};

// Parses a text that contains ${…}. Throws Error with the position of the mistake.
Expression parse_interpolation(std::string_view text);

// Parses one value in the syntax of resolver arguments, as ${oc.decode:…} does.
Expression parse_element(std::string_view text);

// Parses every interpolation in the value, so that a syntax error is reported where it was written.
void check_interpolations(const Value& value);

}  // namespace palimpsest::config
