#include "palimpsest/metric/metric_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/internal/name_key.h"
#include "palimpsest/metric/internal/class_metrics.h"
#include "palimpsest/metric/internal/metric_of.h"
#include "palimpsest/metric/internal/target_metrics.h"
#include "palimpsest/metric/internal/token_metrics.h"

namespace palimpsest::metric {
namespace {

// Calls visit(name, meaning, required, field) for each option that the definition has. An option
// that occurs in several metrics is named and explained once, here.
template <class Definition, class Visit>
void for_each_option(Definition& o, Visit visit) {
  constexpr bool kRequired = true;
  constexpr bool kOptional = false;
  if constexpr (requires { o.k; }) {
    visit("k", "how many of the greatest logits count", kRequired, o.k);
  }
  if constexpr (requires { o.num_classes; }) {
    visit("num_classes", "number of classes, which is the number of logits", kRequired,
          o.num_classes);
  }
  if constexpr (requires { o.eos_target_value; }) {
    visit("eos_target_value", "target that ends a sequence", kRequired, o.eos_target_value);
  }
  if constexpr (requires { o.oov_target_values; }) {
    visit("oov_target_values", "targets outside the vocabulary", kRequired, o.oov_target_values);
  }
  visit("target_key", "key of the targets", kOptional, o.target_key);
  if constexpr (requires { o.pred_key; }) {
    visit("pred_key", "key of the predicted logits", kOptional, o.pred_key);
  }
  if constexpr (requires { o.masked_target_values; }) {
    visit("masked_target_values", "targets that do not count", kOptional, o.masked_target_values);
  }
  if constexpr (requires { o.logits_mask; }) {
    visit("logits_mask", "added to the logits; -inf rules a class out", kOptional, o.logits_mask);
  }
  if constexpr (requires { o.per_position; }) {
    visit("per_position", "a value for each position", kOptional, o.per_position);
  }
}

std::string type_of(const std::string&) {
  return "text";
}
std::string type_of(int64_t) {
  return "integer";
}
std::string type_of(bool) {
  return "true or false";
}
std::string type_of(const std::vector<int64_t>&) {
  return "integers";
}
std::string type_of(const std::vector<double>&) {
  return "numbers";
}

// The default as it would be written in a spec.
template <class Field>
std::string text_of(const Field& field) {
  return fmt::format("{}", field);
}
std::string text_of(const std::string& key) {
  return key.empty() ? "pred" : key;  // records hold the single prediction under this key
}
template <class Number>
std::string text_of(const std::vector<Number>& list) {
  return fmt::format("[{}]", fmt::join(list, ","));
}

template <class Definition>
MetricKind kind(std::string name, std::string summary) {
  MetricKind kind{.name = std::move(name), .summary = std::move(summary), .args = {}, .make = {}};
  Definition defaults;
  for_each_option(defaults, [&](const char* arg, const char* meaning, bool required, auto& field) {
    kind.args.push_back({.name = arg,
                         .type = type_of(field),
                         .default_value = required ? "" : text_of(field),
                         .meaning = meaning});
  });
  kind.make = [](const MetricArgs& args) -> MetricPtr {
    Definition definition;
    for_each_option(definition, [&](const char* arg, const char*, bool, auto& field) {
      args.read(arg, field);
    });
    return std::make_shared<MetricOf<Definition>>(std::move(definition));
  };
  return kind;
}

std::vector<std::string> names_of(const auto& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

void require_known_args(const MetricKind& kind, const MetricArgs& args) {
  const std::vector<std::string> known = names_of(kind.args);
  for (const std::string& arg : args.given()) {
    if (std::find(known.begin(), known.end(), arg) != known.end()) continue;
    throw Error({.what = fmt::format("there is no argument '{}'", arg),
                 .expected = fmt::format("{}", fmt::join(known, ", "))});
  }
  for (const MetricArg& arg : kind.args) {
    if (!arg.default_value.empty() || args.has(arg.name)) continue;
    throw Error({.what = fmt::format("the argument '{}' is missing", arg.name),
                 .hint = fmt::format("write {}:{}=…", kind.name, arg.name)});
  }
}

}  // namespace

const MetricTable& default_metric_table() {
  static const MetricTable table = {
      kind<CrossEntropyLoss>("cross_entropy_loss",
                             "cross-entropy of a class, mean over the examples"),
      kind<Accuracy>("accuracy", "share of examples whose greatest logit is the target's"),
      kind<TopKAccuracy>("top_k_accuracy",
                         "share of examples whose target is among the k greatest logits"),
      kind<ConfusionMatrix>("confusion_matrix",
                            "counts of examples by target (rows) and predicted class (columns)"),
      kind<SequenceTokenCrossEntropyLoss>("sequence_token_cross_entropy_loss",
                                          "cross-entropy of a token, mean over the tokens"),
      kind<SequenceCrossEntropyLoss>(
          "sequence_cross_entropy_loss",
          "cross-entropy of a sequence, summed over its tokens, mean over the sequences"),
      kind<SequenceTokenAccuracy>("sequence_token_accuracy",
                                  "share of tokens whose greatest logit is the target's"),
      kind<SequenceTokenTopKAccuracy>(
          "sequence_token_top_k_accuracy",
          "share of tokens whose target is among the k greatest logits"),
      kind<SequenceTokenCount>("sequence_token_count", "number of tokens"),
      kind<SequenceCount>("sequence_count", "number of sequences"),
      kind<SequenceTruncationRate>("sequence_truncation_rate",
                                   "share of sequences without the end-of-sequence target"),
      kind<SequenceTokenOovRate>("sequence_token_oov_rate",
                                 "share of tokens that are out of the vocabulary"),
      kind<SequenceLength>("sequence_length", "number of tokens of a sequence, mean"),
  };
  return table;
}

MetricPtr make_metric(std::string_view spec, const MetricTable& table) {
  try {
    const MetricArgs args = MetricArgs::parse(spec);
    if (const MetricKind* kind = find_by_name(table, args.name())) {
      require_known_args(*kind, args);
      return kind->make(args);
    }
    throw Error({.what = fmt::format("there is no metric '{}'", args.name()),
                 .expected = fmt::format("one of {}", fmt::join(names_of(table), ", "))});
  } catch (const Error& error) {
    throw error.located(fmt::format("metric '{}'", spec));
  }
}

}  // namespace palimpsest::metric
