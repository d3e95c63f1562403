#include "palimpsest/attack/mia_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "palimpsest/base/internal/csv.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/stat/internal/optional_json.h"

namespace palimpsest::attack {
namespace {

Json recognised_to_json(const RecordTests& records, const ExampleKeys& keys) {
  Json list = Json::array();
  for (size_t i : records.recognised) {
    list.push_back({{"index", keys[i]},
                    {"p_value", stat::optional_to_json(records.p_values[i])},
                    {"q_value", stat::optional_to_json(records.q_values[i])}});
  }
  return list;
}

// The threshold is turned back: an example is recognised where its score is at most this.
Json tpr_to_json(double fpr, const std::optional<stat::TprAtFpr>& point) {
  if (!point) return {{"fpr", fpr}, {"tpr", nullptr}};
  return {{"fpr", fpr},
          {"tpr", point->tpr},
          {"tpr_ci", stat::interval_to_json(point->tpr_interval)},
          {"realized_fpr", point->realized_fpr},
          {"expected_fpr", point->expected_fpr},
          {"score_at_most", number_to_json(flip_orientation(point->threshold))},
          {"true_positives", point->true_positives},
          {"positives", point->positives},
          {"false_positives", point->false_positives},
          {"negatives", point->negatives}};
}

// The difference is of the first AUC minus the second.
Json paired_to_json(const PairedAuc& pair) {
  return {{"auc", pair.auc_a},
          {"other_auc", pair.auc_b},
          {"difference", pair.difference_value()},
          {"difference_ci", stat::interval_to_json(pair.difference)},
          {"p_value", pair.p_value}};
}

Json baseline_to_json(const std::optional<BaselineDifference>& baseline) {
  if (!baseline) return nullptr;
  Json json = paired_to_json(baseline->paired);
  json["difference_ci_simultaneous"] = stat::interval_to_json(baseline->simultaneous);
  return json;
}

Json groups_to_json(const AttackOutcome& outcome, const std::vector<Subgroup>& groups) {
  Json list = Json::array();
  for (size_t i = 0; i < groups.size(); ++i) {
    list.push_back({{"by", groups[i].by},
                    {"group", groups[i].name},
                    {"forget", groups[i].forget.size()},
                    {"holdout", groups[i].holdout.size()},
                    {"auc", stat::optional_to_json(outcome.groups[i].auc)},
                    {"auc_ci", stat::interval_to_json(outcome.groups[i].auc_ci)}});
  }
  return list;
}

Json decision_to_json(const std::optional<Decision>& decision) {
  if (!decision) return nullptr;
  return {{"score_at_most", number_to_json(decision->score_at_most)},
          {"validation_auc", decision->validation_auc},
          {"validation_cost", decision->validation_cost},
          {"tpr", decision->tpr},
          {"tpr_ci", stat::interval_to_json(decision->tpr_interval)},
          {"fpr", decision->fpr},
          {"fpr_ci", stat::interval_to_json(decision->fpr_interval)},
          {"cost", decision->cost},
          {"true_positives", decision->counts.true_positives},
          {"false_negatives", decision->counts.false_negatives},
          {"false_positives", decision->counts.false_positives},
          {"true_negatives", decision->counts.true_negatives}};
}

// What an attacker achieves; `records` with those that stand out one by one.
Json rates_to_json(const AttackRates& rates, const MiaReport& report) {
  Json tprs = Json::array();
  for (size_t i = 0; i < report.fprs.size(); ++i)
    tprs.push_back(tpr_to_json(report.fprs[i], rates.tpr_at_fpr[i]));
  return {{"tpr_at_fpr", std::move(tprs)},
          {"advantage", stat::optional_to_json(rates.advantage)},
          {"best_accuracy", stat::optional_to_json(rates.best_accuracy)},
          {"recognised", recognised_to_json(rates.records, report.forget)}};
}

Json ranking_to_json(const std::vector<RankedCluster>& clusters) {
  Json list = Json::array();
  for (const RankedCluster& cluster : clusters)
    list.push_back(
        {{"cluster", cluster.name}, {"examples", cluster.examples}, {"auc", cluster.auc}});
  return list;
}

Json outcome_to_json(const AttackOutcome& outcome, const MiaReport& report) {
  Json parameters = Json::object();
  for (const auto& [name, value] : outcome.parameters) parameters[name] = number_to_json(value);
  Json json = {{"title", outcome.title},
               {"auc", stat::optional_to_json(outcome.auc)},
               {"agg_value", stat::optional_to_json(outcome.auc)},
               {"parameters", std::move(parameters)},
               {"confidence", report.confidence},
               {"auc_ci", stat::interval_to_json(outcome.auc_ci)},
               {"in_family", outcome.in_family},
               {"auc_ci_simultaneous", stat::interval_to_json(outcome.auc_ci_simultaneous)},
               {"auc_ci_equivalence", stat::interval_to_json(outcome.auc_ci_equivalence)}};
  if (outcome.auc_ci_bootstrap)
    json["auc_ci_bootstrap"] = stat::interval_to_json(outcome.auc_ci_bootstrap);
  if (outcome.auc_ci_delong) json["auc_ci_delong"] = stat::interval_to_json(outcome.auc_ci_delong);
  json.update(rates_to_json(outcome.rates, report));
  if (outcome.reversed) json["reversed"] = rates_to_json(*outcome.reversed, report);
  json["groups"] = groups_to_json(outcome, report.groups);
  if (!outcome.clusters.empty()) json["clusters"] = ranking_to_json(outcome.clusters);
  json["decision"] = decision_to_json(outcome.decision);
  json["against_baseline"] = baseline_to_json(outcome.against_baseline);
  return json;
}

// Collects a text and passes it on in pieces of some size.
class PieceWriter {
 public:
  explicit PieceWriter(const TextSink& write) : write_(write) {}
  ~PieceWriter() = default;
  PieceWriter(const PieceWriter&) = delete;
  PieceWriter& operator=(const PieceWriter&) = delete;

  std::string& text() { return text_; }
  void pass_on_if_long() {
    constexpr size_t kPiece = size_t{1} << 20;
    if (text_.size() >= kPiece) pass_on();
  }
  void pass_on() {
    write_(text_);
    text_.clear();
  }

 private:
  const TextSink& write_;
  std::string text_;
};

void append_number(const std::optional<double>& value, std::string& text) {
  text += to_line(stat::optional_to_json(value));
}

// A member of an outcome: one set's scores, as to_text() would write them. The forget set's entries
// carry the test of each record, too. There is an entry per example, so no document is made of
// them.
void append_set(const std::string& name, const SetScores& set, const RecordTests* records,
                PieceWriter& out) {
  const ExampleKeys& keys = set.keys;
  std::string& text = out.text();
  text += ",\n    \"" + name + "\": {\n      \"agg_value\": ";
  append_number(set.mean, text);
  text += ",\n      \"value_by_index\": {";
  for (size_t i = 0; i < keys.size(); ++i) {
    text += i == 0 ? "\n        " : ",\n        ";
    text += to_line(keys[i]) + ": {\"score\": ";
    append_number(set.scores[i], text);
    if (records != nullptr) {
      text += ", \"p_value\": ";
      append_number(records->p_values[i], text);
      text += ", \"q_value\": ";
      append_number(records->q_values[i], text);
    }
    text += "}";
    out.pass_on_if_long();
  }
  text += keys.size() == 0 ? "}\n    }" : "\n      }\n    }";
}

// A member of the file, as to_text() writes it, without the brackets and line breaks around it.
std::string member_text(const std::string& name, Json value) {
  constexpr std::string_view kOpening = "{\n";
  constexpr std::string_view kClosing = "\n}\n";
  Json file = Json::object();
  file[name] = std::move(value);
  std::string text = to_text(file);
  text.resize(text.size() - kClosing.size());
  return text.substr(kOpening.size());
}

Json blind_to_json(const std::optional<BlindBaseline>& blind, double margin) {
  if (!blind) return nullptr;
  Json telling = Json::array();
  for (const InformativeFeature& feature : blind->informative)
    telling.push_back({{"feature", feature.name}, {"side", feature.side}});
  return {{"auc", blind->auc},
          {"p_value", blind->p_value},
          {"null_range", stat::interval_to_json(blind->null_range)},
          {"separates", blind->separates(margin)},
          {"telling", std::move(telling)},
          {"forget_texts", blind->forget_texts},
          {"holdout_texts", blind->holdout_texts}};
}

// Which cluster each example belongs to, so that `report` can count clusters, too.
Json clusters_to_json(const MiaReport& report) {
  const ExampleClusters& clusters = report.clusters;
  if (!clusters.is_given()) return nullptr;
  auto by_example = [&](const ExampleKeys& keys, const std::vector<int64_t>& numbers) {
    Json json = Json::object();
    auto& entries = json.get_ref<Json::object_t&>();
    for (size_t i = 0; i < keys.size(); ++i)
      entries.emplace_back(keys[i], clusters.names[static_cast<size_t>(numbers[i])]);
    return json;
  };
  return {{"key", clusters.name},
          {"forget", by_example(report.forget, clusters.forget)},
          {"holdout", by_example(report.holdout, clusters.holdout)}};
}

Json keys_of(const std::vector<size_t>& members, const ExampleKeys& examples) {
  Json keys = Json::array();
  for (size_t i : members) keys.push_back(examples[i]);
  return keys;
}

// What concerns all attacks together.
Json audit_to_json(const MiaReport& report, const MiaRecord& record_entries) {
  Json record = Json::object();
  for (const auto& [name, text] : record_entries) record[name] = text;
  auto attack_name = [&](const std::optional<size_t>& attack) {
    return attack ? Json(report.outcomes[*attack].name) : Json(nullptr);
  };
  Json pairs = Json::array();
  for (const AttackComparison& pair : report.comparisons) {
    Json entry = {{"attack", report.outcomes[pair.a].name},
                  {"other", report.outcomes[pair.b].name},
                  {"test", pair.test ? paired_to_json(*pair.test) : Json(nullptr)},
                  {"holm_p_value", stat::optional_to_json(pair.holm_p_value)}};
    pairs.push_back(std::move(entry));
  }
  Json groups = Json::array();
  for (const Subgroup& group : report.groups) {
    groups.push_back({{"by", group.by},
                      {"group", group.name},
                      {"meaning", group.meaning},
                      {"forget", keys_of(group.forget, report.forget)},
                      {"holdout", keys_of(group.holdout, report.holdout)}});
  }
  Json methods = Json::array();
  for (const AttackMethod& method : report.methods) {
    methods.push_back(
        {{"attack", method.attack}, {"measures", method.measures}, {"paper", method.paper}});
  }
  return {{"palimpsest_mia", kMiaFileVersion},
          {"answer", parse_json(answer_to_json(report.answer), "the answer")},
          {"flags", parse_json(flags_to_json(report.flags), "the flags")},
          {"record", record},
          {"title", report.title},
          {"model_name", report.model_name},
          {"model", report.model},
          {"baseline_model", report.baseline_model},
          {"reference_model", report.reference_model},
          {"primary", report.primary.empty() ? Json(nullptr) : Json(report.primary)},
          {"seed", report.seed},
          {"forget", report.forget.size()},
          {"holdout", report.holdout.size()},
          {"clusters", clusters_to_json(report)},
          {"shared_texts", report.overlap.shared_holdout},
          {"blind_baseline", blind_to_json(report.blind, report.answer.margin)},
          {"highest_auc", attack_name(report.highest_auc)},
          {"costs",
           {{"false_positive", report.costs.false_positive},
            {"false_negative", report.costs.false_negative}}},
          {"validation_split", report.validation_split},
          {"best_decision", attack_name(report.best_decision)},
          {"false_discovery_rate", report.false_discovery_rate},
          {"groups", std::move(groups)},
          {"methods", std::move(methods)},
          {"comparisons", std::move(pairs)},
          {"notes", report.notes}};
}

// The groups of every example for one way of splitting.
struct GroupColumn {
  std::string by;
  std::vector<std::string> forget;  // empty where an example is in none
  std::vector<std::string> holdout;
};

std::vector<GroupColumn> group_columns(const MiaReport& report) {
  std::vector<GroupColumn> columns;
  for (const Subgroup& group : report.groups) {
    auto column = std::find_if(columns.begin(), columns.end(),
                               [&](const GroupColumn& c) { return c.by == group.by; });
    if (column == columns.end()) {
      columns.push_back({group.by, std::vector<std::string>(report.forget.size()),
                         std::vector<std::string>(report.holdout.size())});
      column = columns.end() - 1;
    }
    for (size_t i : group.forget) column->forget[i] = group.name;
    for (size_t i : group.holdout) column->holdout[i] = group.name;
  }
  return columns;
}

// A column of the data may be called like one of ours.
std::string column_name(const std::string& by) {
  constexpr std::string_view kTaken[] = {"label",     "score",  "prediction", "dataset",
                                         "generator", "attack", "target_id",  "sensitive_attribute",
                                         "index"};
  const bool taken = std::find(std::begin(kTaken), std::end(kTaken), by) != std::end(kTaken);
  return taken ? "group_" + by : by;
}

}  // namespace

bool texts_are_left_out(const MiaRecord& record) {
  return std::ranges::find(record, MiaRecord::value_type(kTextsLeftOut)) != record.end();
}

void write_mia_json(const MiaReport& report, const MiaRecord& record, const TextSink& write) {
  PieceWriter out(write);
  out.text() = "{\n";
  for (const AttackOutcome& outcome : report.outcomes) {
    constexpr std::string_view kClosing = "\n  }";
    std::string text = member_text(outcome.name, outcome_to_json(outcome, report));
    text.resize(text.size() - kClosing.size());
    out.text() += text;
    append_set("forget", outcome.forget, &outcome.rates.records, out);
    append_set("holdout", outcome.holdout, nullptr, out);
    out.text() += "\n  },\n";
  }
  Json audit = audit_to_json(report, record);
  if (!report.warnings.empty()) audit["warnings"] = report.warnings;
  out.text() += member_text("audit", audit) + "\n}\n";
  out.pass_on();
}

std::string mia_to_json(const MiaReport& report, const MiaRecord& record) {
  std::string text;
  write_mia_json(report, record, [&](std::string_view piece) { text += piece; });
  return text;
}

void write_mia_csv(const MiaReport& report, bool safe, const TextSink& write) {
  const auto cell = safe ? csv_safe_cell : csv_cell;
  const std::string model = report.model.empty() ? "" : cell(report.model) + ",";
  PieceWriter out(write);
  std::string& text = out.text();
  text = report.model.empty() ? "label,score,attack,index" : "label,score,generator,attack,index";
  const std::vector<GroupColumn> columns = group_columns(report);
  for (const GroupColumn& column : columns) text += "," + cell(column_name(column.by));
  text += "\n";
  auto add = [&](bool is_forget, const AttackOutcome& outcome) {
    const SetScores& set = is_forget ? outcome.forget : outcome.holdout;
    const std::string attack = cell(outcome.name);
    for (size_t i = 0; i < set.scores.size(); ++i) {
      if (!set.scores[i]) continue;
      fmt::format_to(std::back_inserter(text), "{},{},{}{},{}", is_forget ? 1 : 0,
                     flip_orientation(*set.scores[i]), model, attack, cell(set.keys[i]));
      for (const GroupColumn& column : columns) {
        text += "," + cell((is_forget ? column.forget : column.holdout)[i]);
      }
      text += "\n";
      out.pass_on_if_long();
    }
  };
  for (const AttackOutcome& outcome : report.outcomes) {
    add(true, outcome);
    add(false, outcome);
  }
  out.pass_on();
}

std::string mia_to_csv(const MiaReport& report, bool safe) {
  std::string text;
  write_mia_csv(report, safe, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace palimpsest::attack
