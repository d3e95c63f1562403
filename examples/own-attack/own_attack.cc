// An attack of one's own, beside those that ship: copy the default table, add a row, pass it on.
//
//   own_attack FORGET_TRACES HOLDOUT_TRACES
//
// The attack: the loss of the one token that surprises the model most.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia_text.h"

namespace {

// Higher means less likely a member, as for every attack. nullopt: undefined.
std::optional<double> worst_token(const palimpsest::trace::Trace& trace,
                                  const palimpsest::attack::ParameterValues&) {
  const auto tokens = palimpsest::trace::token_logprobs(trace);
  if (tokens.empty()) return std::nullopt;
  return -*std::min_element(tokens.begin(), tokens.end());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: own_attack FORGET HOLDOUT\n"), 2;
  try {
    palimpsest::attack::AttackTable attacks = palimpsest::attack::default_attack_table();
    attacks.push_back({.name = "worst_token",
                       .measures = "loss of the least likely token",
                       .needs = {palimpsest::attack::needs_logprob()},
                       .score = worst_token});
    const auto forget = palimpsest::attack::score_traces(argv[1], attacks, {});
    const auto holdout = palimpsest::attack::score_traces(argv[2], attacks, {});
    const auto report =
        palimpsest::attack::mia({.attacks = attacks, .forget = forget, .holdout = holdout}, {});
    std::fputs(palimpsest::attack::mia_to_text(report, {}).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "own_attack: %s\n", error.what());
    return 1;
  }
}
