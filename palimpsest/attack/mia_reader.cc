#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/stat/internal/optional_json.h"

namespace palimpsest::attack {
namespace {

std::optional<double> number_at(const Json& object, const char* key) {
  return number_from_json(object.at(key));
}

double infinite_number_at(const Json& object, const char* key) {
  const std::optional<double> number = number_at(object, key);
  if (!number) throw Error({.what = fmt::format("'{}' is not a number", key)});
  return *number;
}

std::optional<stat::Interval> interval_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return stat::interval_from_json(*found).value();
}

// Lists that belong together are of one length: whoever reads one goes by the length of another.
void require_equal(size_t size, size_t expected, const char* what) {
  if (size != expected) throw std::out_of_range(fmt::format("a different number of {}", what));
}

// The numbers of examples by their keys.
using ExampleNumbers = std::map<std::string, size_t>;

class MiaReader {
 public:
  explicit MiaReader(const Json& file) : file_(file), audit_(file.at("audit")) {}

  MiaReport read() {
    read_settings();
    for (const auto& [name, entry] : file_.items()) {
      if (name == "audit" || !entry.is_object()) continue;
      if (report_.outcomes.empty()) read_examples(entry);
      report_.outcomes.push_back(read_outcome(name, entry));
    }
    read_groups();
    read_clusters();
    read_blind();
    read_comparisons();
    report_.highest_auc = attack_at("highest_auc");
    report_.best_decision = attack_at("best_decision");
    // Files of older versions have no flags.
    report_.flags = audit_.contains("flags") ? flags_from_json(to_text(audit_.at("flags")), "flags")
                                             : red_flags(flag_facts(report_));
    return std::move(report_);
  }

 private:
  void read_settings() {
    report_.answer = answer_from_json(to_text(audit_.at("answer")), "answer");
    audit_.at("model").get_to(report_.model);
    // Files of older versions have neither.
    if (audit_.contains("title")) audit_.at("title").get_to(report_.title);
    if (audit_.contains("model_name")) audit_.at("model_name").get_to(report_.model_name);
    audit_.at("baseline_model").get_to(report_.baseline_model);
    audit_.at("reference_model").get_to(report_.reference_model);
    if (!audit_.at("primary").is_null()) audit_.at("primary").get_to(report_.primary);
    report_.seed = whole_number<uint64_t>(audit_.at("seed"));
    report_.overlap.shared_holdout = whole_number<int64_t>(audit_.at("shared_texts"));
    audit_.at("costs").at("false_positive").get_to(report_.costs.false_positive);
    audit_.at("costs").at("false_negative").get_to(report_.costs.false_negative);
    audit_.at("validation_split").get_to(report_.validation_split);
    audit_.at("false_discovery_rate").get_to(report_.false_discovery_rate);
    audit_.at("notes").get_to(report_.notes);
    if (audit_.contains("warnings")) audit_.at("warnings").get_to(report_.warnings);
    for (const Json& method : audit_.at("methods")) {
      report_.methods.push_back({.attack = method.at("attack").get<std::string>(),
                                 .measures = method.at("measures").get<std::string>(),
                                 .paper = method.at("paper").get<std::string>()});
    }
  }

  // Every attack has the same ones, and was asked for the same rates.
  void read_examples(const Json& entry) {
    entry.at("confidence").get_to(report_.confidence);
    for (const Json& rate : entry.at("tpr_at_fpr"))
      report_.fprs.push_back(rate.at("fpr").get<double>());
    const auto read = [&](const char* set, ExampleNumbers& numbers) {
      std::vector<std::string> keys;
      for (const auto& [key, scores] : entry.at(set).at("value_by_index").items()) {
        numbers.emplace(key, keys.size());
        keys.push_back(key);
      }
      return keys;
    };
    report_.forget = read("forget", forget_);
    report_.holdout = read("holdout", holdout_);
  }

  static SetScores read_set(const Json& set, const ExampleKeys& keys) {
    require_equal(set.at("value_by_index").size(), keys.size(), "examples than the first attack's");
    ScoreColumn column;
    for (const auto& [key, entry] : set.at("value_by_index").items())
      column.push_back(number_at(entry, "score"));
    SetScores scores = set_scores(keys, std::move(column));
    scores.mean = number_at(set, "agg_value");
    return scores;
  }

  static std::optional<stat::TprAtFpr> read_rate(const Json& json) {
    if (json.at("tpr").is_null()) return std::nullopt;
    return stat::TprAtFpr{.requested_fpr = json.at("fpr").get<double>(),
                          .tpr = json.at("tpr").get<double>(),
                          .tpr_interval = interval_at(json, "tpr_ci").value(),
                          .realized_fpr = json.at("realized_fpr").get<double>(),
                          .expected_fpr = json.at("expected_fpr").get<double>(),
                          .threshold = flip_orientation(infinite_number_at(json, "score_at_most")),
                          .true_positives = whole_number<int64_t>(json.at("true_positives")),
                          .positives = whole_number<int64_t>(json.at("positives")),
                          .false_positives = whole_number<int64_t>(json.at("false_positives")),
                          .negatives = whole_number<int64_t>(json.at("negatives"))};
  }

  AttackRates read_rates(const Json& json) const {
    AttackRates rates{.tpr_at_fpr = {},
                      .advantage = number_at(json, "advantage"),
                      .best_accuracy = number_at(json, "best_accuracy"),
                      .records = {}};
    for (const Json& rate : json.at("tpr_at_fpr")) rates.tpr_at_fpr.push_back(read_rate(rate));
    require_equal(rates.tpr_at_fpr.size(), report_.fprs.size(), "rates than the first attack's");
    rates.records.p_values.resize(report_.forget.size());
    rates.records.q_values.resize(report_.forget.size());
    for (const Json& record : json.at("recognised")) {
      const size_t i = forget_.at(record.at("index").get<std::string>());
      rates.records.recognised.push_back(i);
      rates.records.p_values[i] = number_at(record, "p_value");
      rates.records.q_values[i] = number_at(record, "q_value");
    }
    return rates;
  }

  AttackOutcome read_outcome(const std::string& name, const Json& json) const {
    AttackOutcome outcome{{.name = name, .attack = row_named_in(name)},
                          json.at("title").get<std::string>()};
    for (const auto& [key, value] : json.at("parameters").items())
      outcome.parameters.emplace_back(key, number_from_json(value).value());
    json.at("in_family").get_to(outcome.in_family);
    outcome.auc = number_at(json, "auc");
    outcome.auc_ci = interval_at(json, "auc_ci");
    outcome.auc_ci_simultaneous = interval_at(json, "auc_ci_simultaneous");
    outcome.auc_ci_equivalence = interval_at(json, "auc_ci_equivalence");
    outcome.auc_ci_bootstrap = interval_at(json, "auc_ci_bootstrap");
    outcome.auc_ci_delong = interval_at(json, "auc_ci_delong");
    outcome.forget = read_set(json.at("forget"), report_.forget);
    outcome.holdout = read_set(json.at("holdout"), report_.holdout);
    outcome.rates = read_rates(json);
    size_t i = 0;
    for (const auto& [key, entry] : json.at("forget").at("value_by_index").items()) {
      outcome.rates.records.p_values[i] = number_at(entry, "p_value");
      outcome.rates.records.q_values[i++] = number_at(entry, "q_value");
    }
    if (json.contains("reversed")) outcome.reversed = read_rates(json.at("reversed"));
    for (const Json& group : json.at("groups"))
      outcome.groups.push_back({number_at(group, "auc"), interval_at(group, "auc_ci")});
    read_decision(json.at("decision"), outcome);
    const Json& baseline = json.at("against_baseline");
    if (!baseline.is_null()) {
      outcome.against_baseline = BaselineDifference{
          read_pair(baseline), interval_at(baseline, "difference_ci_simultaneous")};
    }
    if (json.contains("clusters")) {
      for (const Json& cluster : json.at("clusters"))
        outcome.clusters.push_back({cluster.at("cluster").get<std::string>(),
                                    whole_number<int64_t>(cluster.at("examples")),
                                    cluster.at("auc").get<double>()});
    }
    return outcome;
  }

  static PairedAuc read_pair(const Json& json) {
    return {.auc_a = json.at("auc").get<double>(),
            .auc_b = json.at("other_auc").get<double>(),
            .difference = interval_at(json, "difference_ci").value(),
            .p_value = json.at("p_value").get<double>()};
  }

  static void read_decision(const Json& json, AttackOutcome& outcome) {
    if (json.is_null()) return;
    outcome.decision =
        Decision{.validation_auc = json.at("validation_auc").get<double>(),
                 .validation_cost = json.at("validation_cost").get<double>(),
                 .score_at_most = infinite_number_at(json, "score_at_most"),
                 .counts = {.true_positives = whole_number<int64_t>(json.at("true_positives")),
                            .false_negatives = whole_number<int64_t>(json.at("false_negatives")),
                            .false_positives = whole_number<int64_t>(json.at("false_positives")),
                            .true_negatives = whole_number<int64_t>(json.at("true_negatives"))},
                 .tpr = json.at("tpr").get<double>(),
                 .fpr = json.at("fpr").get<double>(),
                 .tpr_interval = interval_at(json, "tpr_ci").value(),
                 .fpr_interval = interval_at(json, "fpr_ci").value(),
                 .cost = json.at("cost").get<double>()};
  }

  void read_groups() {
    const auto numbers = [](const Json& keys, const ExampleNumbers& of) {
      std::vector<size_t> members;
      for (const Json& key : keys) members.push_back(of.at(key.get<std::string>()));
      return members;
    };
    for (const Json& group : audit_.at("groups")) {
      report_.groups.push_back({.by = group.at("by").get<std::string>(),
                                .name = group.at("group").get<std::string>(),
                                .meaning = group.at("meaning").get<std::string>(),
                                .forget = numbers(group.at("forget"), forget_),
                                .holdout = numbers(group.at("holdout"), holdout_)});
    }
    for (const AttackOutcome& outcome : report_.outcomes)
      require_equal(outcome.groups.size(), report_.groups.size(), "groups than the audit's");
  }

  void read_clusters() {
    const Json& json = audit_.at("clusters");
    if (json.is_null()) return;
    ExampleClusters& clusters = report_.clusters;
    json.at("key").get_to(clusters.name);
    std::map<std::string, int64_t> numbers;
    const auto read = [&](const char* set, std::vector<int64_t>& of_examples) {
      for (const auto& [key, name] : json.at(set).items()) {
        const auto next = static_cast<int64_t>(numbers.size());
        const auto [entry, is_new] = numbers.try_emplace(name.get<std::string>(), next);
        if (is_new) clusters.names.push_back(entry->first);
        of_examples.push_back(entry->second);
      }
    };
    read("forget", clusters.forget);
    read("holdout", clusters.holdout);
    if (report_.outcomes.empty()) return;  // then the file holds no examples
    require_equal(clusters.forget.size(), report_.forget.size(), "examples in clusters");
    require_equal(clusters.holdout.size(), report_.holdout.size(), "examples in clusters");
  }

  void read_blind() {
    const Json& json = audit_.at("blind_baseline");
    if (json.is_null()) return;
    BlindBaseline blind{.auc = json.at("auc").get<double>(),
                        .p_value = json.at("p_value").get<double>(),
                        .null_range = interval_at(json, "null_range").value(),
                        .forget_texts = whole_number<int64_t>(json.at("forget_texts")),
                        .holdout_texts = whole_number<int64_t>(json.at("holdout_texts"))};
    for (const Json& word : json.at("telling")) {
      blind.informative.push_back({.name = word.at("feature").get<std::string>(),
                                   .side = word.at("side").get<std::string>()});
    }
    report_.blind = std::move(blind);
  }

  std::optional<size_t> attack_called(const Json& json) const {
    const std::string name = json.is_string() ? json.get<std::string>() : "";
    const auto found = std::ranges::find(report_.outcomes, name, &AttackOutcome::name);
    if (found == report_.outcomes.end()) return std::nullopt;
    return static_cast<size_t>(found - report_.outcomes.begin());
  }
  std::optional<size_t> attack_at(const char* key) const { return attack_called(audit_.at(key)); }

  void read_comparisons() {
    for (const Json& pair : audit_.at("comparisons")) {
      AttackComparison comparison{.a = attack_called(pair.at("attack")).value(),
                                  .b = attack_called(pair.at("other")).value(),
                                  .test = {},
                                  .holm_p_value = number_at(pair, "holm_p_value")};
      if (!pair.at("test").is_null()) comparison.test = read_pair(pair.at("test"));
      report_.comparisons.push_back(comparison);
    }
  }

  const Json& file_;
  const Json& audit_;
  ExampleNumbers forget_;
  ExampleNumbers holdout_;
  MiaReport report_;
};

}  // namespace

std::optional<MiaFile> mia_from_json(const std::string& text, const std::string& where) {
  const Json file = parse_json(text, where);
  const auto damaged = [&](const std::string& why) {
    return Error({.what = "this is not what `palimpsest mia` writes",
                  .where = where,
                  .found = why,
                  .hint = "run `palimpsest mia` again"});
  };
  if (!file.is_object()) throw damaged(describe(file));
  const auto audit = file.find("audit");
  if (audit == file.end() || !audit->contains("palimpsest_mia")) return std::nullopt;
  require_version((*audit)["palimpsest_mia"], kMiaFileVersion, "mia.json", where);
  try {
    MiaFile read{.report = MiaReader(file).read(), .record = {}};
    for (const auto& [name, value] : file.at("audit").at("record").items())
      read.record.emplace_back(name, value.get<std::string>());
    return read;
  } catch (const Json::exception& error) {
    throw damaged(reason_of(error));
  } catch (const Error& error) {
    throw damaged(error.what());
  } catch (const std::out_of_range& error) {
    throw damaged(error.what());
  } catch (const std::bad_optional_access&) {
    throw damaged("a number that is missing");
  }
}

}  // namespace palimpsest::attack
