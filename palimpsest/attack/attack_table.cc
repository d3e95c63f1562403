#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/loss.h"
#include "palimpsest/attack/min_k.h"
#include "palimpsest/attack/min_k_plus_plus.h"
#include "palimpsest/attack/zlib.h"
#include "palimpsest/base/error.h"

namespace palimpsest {

const TraceNeed kNeedsLoss = {"'avg_loss' or 'logprob'", [](const Trace& t) {
                                return t.num_labels == 0 || avg_loss(t).has_value();
                              }};
const TraceNeed kNeedsLogprob = {
    "'logprob'", [](const Trace& t) { return t.num_labels == 0 || t.logprob.has_value(); }};
const TraceNeed kNeedsMoments = {
    "'mean' and 'var'", [](const Trace& t) { return t.num_labels == 0 || (t.mean && t.var); }};
const TraceNeed kNeedsText = {
    "'text'", [](const Trace& t) { return t.num_labels == 0 || t.text.has_value(); }};

const AttackTable& default_attack_table() {
  static const AttackTable table = {
      {.name = "loss",
       .measures = "average negative log-probability of the labelled tokens",
       .cost = "one forward pass",
       .parameters = "",
       .use = "the baseline; misled by texts that are easy or hard for every model",
       .needs = {kNeedsLoss},
       .score = loss_score},
      {.name = "min_k",
       .measures = "the same over the k least likely tokens",
       .cost = "one forward pass",
       .parameters = "k = 0.2",
       .use = "longer texts, where a few rare words give membership away; weak below ten tokens",
       .needs = {kNeedsLogprob},
       .score = min_k_score},
      {.name = "min_k_plus_plus",
       .measures = "Min-K on log-probabilities standardised by the model's own distribution",
       .cost = "one forward pass",
       .parameters = "k = 0.2",
       .use =
           "usually the strongest without a reference model; needs mean and variance in the traces",
       .needs = {kNeedsLogprob, kNeedsMoments},
       .score = min_k_plus_plus_score},
      {.name = "zlib",
       .measures = "average loss over the compressed size of the text in bytes",
       .cost = "one forward pass",
       .parameters = "",
       .use = "texts of very different complexity; favours long texts, so compare equal lengths",
       .needs = {kNeedsLoss, kNeedsText},
       .score = zlib_score},
  };
  return table;
}

AttackTable select_attacks(const AttackTable& table, std::string_view names) {
  if (names == "all") return table;
  AttackTable selected;
  while (true) {
    const size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Attack& attack) { return attack.name == name; });
    if (found == table.end()) {
      std::vector<std::string_view> known;
      for (const Attack& attack : table) known.push_back(attack.name);
      throw Error({.what = fmt::format("unknown attack '{}'", name),
                   .expected = fmt::format("all or some of {}", fmt::join(known, ", "))});
    }
    const bool again = std::any_of(selected.begin(), selected.end(),
                                   [&](const Attack& attack) { return attack.name == name; });
    if (!again) selected.push_back(*found);
    if (comma == std::string_view::npos) return selected;
    names.remove_prefix(comma + 1);
  }
}

void require_valid(const AttackOptions& options) {
  if (options.k > 0 && options.k <= 1) return;
  throw Error({.what = fmt::format("k is {}", options.k),
               .expected = "a share of the tokens: greater than 0, at most 1"});
}

}  // namespace palimpsest
