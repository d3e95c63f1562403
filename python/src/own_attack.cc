#include "python/src/own_attack.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <optional>
#include <string>

#include "palimpsest/base/error.h"
#include "python/src/bindings.h"
#include "python/src/held.h"

namespace palimpsest::python {
namespace {

namespace nb = nanobind;

// A row of the attack table for a Python function of a trace, which it gets as a dict.
attack::Attack own_attack(const nb::object& given) {
  const Held function{nb::object(given.attr("score"))};
  const auto name = nb::cast<std::string>(given.attr("name"));
  return {.name = name,
          .measures = nb::cast<std::string>(given.attr("measures")),
          .score = [function, name](const trace::Trace& trace,
                                    const attack::ParameterValues&) -> std::optional<double> {
            const nb::gil_scoped_acquire acquired;
            const nb::object found = function.get()(trace_to_python(trace));
            std::optional<double> score;
            if (!nb::try_cast(found, score) || (score && !std::isfinite(*score))) {
              throw Error({.what = "the attack returned something else than a score",
                           .where = name,
                           .expected = "a finite number, or None where it is undefined",
                           .found = nb::repr(found).c_str()});
            }
            return score;
          }};
}

}  // namespace

void add_own_attacks(const Keywords& keywords, attack::AttackTable& attacks) {
  if (!keywords.has("own_attacks")) return;
  for (nb::handle own : nb::cast<nb::list>(keywords.at("own_attacks")))
    attacks.push_back(own_attack(nb::borrow(own)));
}

}  // namespace palimpsest::python
