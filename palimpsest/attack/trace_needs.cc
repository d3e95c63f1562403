#include "palimpsest/attack/internal/trace_needs.h"

#include <fmt/format.h>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {
namespace {

// Met by a trace without any labelled token.
template <class IsThere>
TraceNeed need(const char* name, IsThere is_there) {
  return {.name = name, .is_met = [is_there](const trace::Trace& t, const ParameterValues&) {
            return t.num_labels == 0 || is_there(t);
          }};
}

}  // namespace

std::string grad_norm_key(double p) {
  return fmt::format("{}", p);
}

TraceNeed needs_loss() {
  return need("'avg_loss' or 'logprob'",
              [](const trace::Trace& t) { return trace::avg_loss(t).has_value(); });
}

TraceNeed needs_logprob() {
  return need("'logprob'", [](const trace::Trace& t) { return t.logprob.has_value(); });
}

TraceNeed needs_mean() {
  return need("'mean'", [](const trace::Trace& t) { return t.mean.has_value(); });
}

TraceNeed needs_moments() {
  return need("'mean' and 'var'", [](const trace::Trace& t) { return t.mean && t.var; });
}

TraceNeed needs_argmax() {
  return need("'argmax' and 'label'", [](const trace::Trace& t) { return t.argmax && t.label; });
}

TraceNeed needs_text_size() {
  return need("'text'", [](const trace::Trace& t) { return t.text || t.zlib_size; });
}

TraceNeed needs_grad_norm() {
  const auto key = [](const ParameterValues& values) {
    return grad_norm_key(parameter_value(values, "p"));
  };
  return {.name = "'grad_norm' for the requested p",
          // An example that has no token before the last has no gradient either.
          .is_met =
              [key](const trace::Trace& t, const ParameterValues& values) {
                return trace::num_tokens(t) == 0 || t.grad_norm.contains(key(values));
              },
          .gradient_norm = key};
}

}  // namespace palimpsest::attack
