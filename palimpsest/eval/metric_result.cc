#include "palimpsest/eval/metric_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/truth_ratio.h"

namespace palimpsest::eval {
namespace {

// The same field of several alternatives as a list.
Field listed(const std::vector<Fields>& alternatives, size_t field) {
  if (std::holds_alternative<std::string>(alternatives.front()[field].second)) {
    std::vector<std::string> texts;
    for (const Fields& fields : alternatives) {
      texts.push_back(std::get<std::string>(fields[field].second));
    }
    return texts;
  }
  std::vector<Number> numbers;
  for (const Fields& fields : alternatives) {
    numbers.push_back(std::get<Number>(fields[field].second));
  }
  return numbers;
}

}  // namespace

const Field* IndexedValue::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Fields::value_type::first);
  return found == fields.end() ? nullptr : &found->second;
}

void IndexedValues::add(const std::string& index, Fields fields) {
  const auto [item, fresh] = item_of_.try_emplace(index, items_.size());
  if (fresh) items_.emplace_back(index, std::vector<Fields>());
  items_[item->second].second.push_back(std::move(fields));
}

std::vector<IndexedValue> IndexedValues::take() {
  const bool several =
      std::ranges::any_of(items_, [](const auto& item) { return item.second.size() > 1; });
  std::vector<IndexedValue> values;
  for (auto& [index, alternatives] : items_) {
    IndexedValue value{.index = index};
    if (several) {
      for (size_t i = 0; i < alternatives.front().size(); ++i) {
        value.fields.emplace_back(alternatives.front()[i].first, listed(alternatives, i));
      }
    } else {
      value.fields = std::move(alternatives.front());
    }
    values.push_back(std::move(value));
  }
  items_.clear();
  item_of_.clear();
  return values;
}

Number field_mean(const Field& field) {
  if (const auto* number = std::get_if<Number>(&field)) return *number;
  if (const auto* numbers = std::get_if<std::vector<Number>>(&field)) return mean_of(*numbers);
  return std::nullopt;
}

Number mean_of(std::span<const Number> values) {
  double sum = 0;
  int64_t count = 0;
  for (const Number& value : values) {
    if (!value) continue;
    sum += *value;
    ++count;
  }
  return count == 0 ? std::nullopt : Number(sum / static_cast<double>(count));
}

std::vector<std::string> indices_of(const MetricResult& result) {
  std::vector<std::string> indices;
  for (const IndexedValue& value : result.value_by_index) indices.push_back(value.index);
  return indices;
}

std::vector<Number> column(const MetricResult& result, std::string_view field,
                           const std::string& metric) {
  std::vector<Number> values;
  for (const IndexedValue& value : result.value_by_index) {
    const Field* found = value.find(field);
    if (found == nullptr) {
      throw Error(
          {.what = fmt::format("the example {} has no '{}'", value.index, field), .where = metric});
    }
    values.push_back(field_mean(*found));
  }
  return values;
}

void require_keys(const MetricResult& result, const std::string& handler) {
  for (const std::optional<attack::ScoredAttack>* scored : {&result.scored, &result.reference}) {
    if (!*scored) continue;
    for (const auto& [name, set] :
         {std::pair("forget", &(*scored)->forget), std::pair("holdout", &(*scored)->holdout)}) {
      if (set->has_keys()) continue;
      throw Error(
          {.what = fmt::format("the metric handler '{}' returns scores without the keys of "
                               "their examples",
                               handler),
           .expected = fmt::format("one key per score of '{}'", name),
           .found = fmt::format("{} keys and {} scores", set->keys.size(), set->scores.size()),
           .hint = "make the set with attack::set_scores()"});
    }
  }
}

MetricResult to_logged_set(const attack::SetScores& set) {
  PALIMPSEST_CHECK(set.has_keys());
  MetricResult logged{.agg_value = set.mean};
  for (size_t i = 0; i < set.scores.size(); ++i)
    logged.value_by_index.push_back({set.keys[i], {{"score", set.scores[i]}}});
  return logged;
}

attack::SetScores from_logged_set(const MetricResult& logged) {
  attack::ScoreColumn scores;
  for (const IndexedValue& value : logged.value_by_index) {
    const Field* score = value.find("score");
    scores.push_back(score != nullptr ? field_mean(*score) : std::nullopt);
  }
  attack::SetScores set = attack::set_scores(indices_of(logged), std::move(scores));
  set.mean = logged.agg_value;
  return set;
}

std::vector<Number> averaged_values(const MetricResult& result, const AveragedField& averaged,
                                    const std::string& metric) {
  std::vector<Number> values = column(result, averaged.field, metric);
  for (Number& value : values) {
    if (value) value = stat::truth_ratio_form(*value, averaged.form);
  }
  return values;
}

void set_mean(MetricResult& result, std::span<const Number> values) {
  result.agg_value = mean_of(values);
  result.examples =
      std::ranges::count_if(values, [](const Number& value) { return value.has_value(); });
}

}  // namespace palimpsest::eval
