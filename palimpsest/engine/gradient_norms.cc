#include "palimpsest/engine/internal/gradient_norms.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/engine/internal/scorer.h"
#include "palimpsest/kernels/internal/gram.h"

namespace palimpsest::engine {

GradientNorms::GradientNorms(const model::Architecture& architecture,
                             std::vector<model::NormOrder> orders, int64_t examples)
    : orders_(std::move(orders)),
      only_two_norm_(std::ranges::all_of(
          orders_, [](model::NormOrder o) { return o == model::NormOrder::kTwo; })) {
  for (const model::Parameter& parameter : model::parameters(architecture)) {
    numbers_.emplace(parameter.name, static_cast<int64_t>(numbers_.size()));
  }
  sums_.assign(static_cast<size_t>(examples), std::vector<Sums>(numbers_.size()));
}

int64_t GradientNorms::parameter(const std::string& name) const {
  const auto found = numbers_.find(name);
  PALIMPSEST_CHECK(found != numbers_.end());
  return found->second;
}

bool GradientNorms::asks_for(model::NormOrder order) const {
  return std::ranges::find(orders_, order) != orders_.end();
}

void GradientNorms::add(int64_t example, int64_t parameter, std::span<const float> gradient) {
  Sums& sums = sums_[static_cast<size_t>(example)][static_cast<size_t>(parameter)];
  const float* data = gradient.data();
  const auto n = static_cast<int64_t>(gradient.size());
  if (asks_for(model::NormOrder::kOne)) sums.absolutes += kernels::absolute_sum(data, n);
  if (asks_for(model::NormOrder::kTwo)) sums.squares += kernels::sum_of_squares(data, n);
  if (asks_for(model::NormOrder::kInfinity)) {
    const double max = kernels::absolute_max(data, n);
    if (max > sums.max || std::isnan(max)) sums.max = max;
  }
}

void GradientNorms::add_square(int64_t example, int64_t parameter, double square) {
  sums_[static_cast<size_t>(example)][static_cast<size_t>(parameter)].squares += square;
}

std::vector<std::vector<double>> GradientNorms::norms(int64_t example) const {
  std::vector<std::vector<double>> result;
  for (const model::NormOrder order : orders_) {
    std::vector<double>& row = result.emplace_back();
    for (const Sums& sums : sums_[static_cast<size_t>(example)]) {
      switch (order) {
        case model::NormOrder::kOne:
          row.push_back(sums.absolutes);
          break;
        case model::NormOrder::kTwo:
          row.push_back(std::sqrt(sums.squares < 0 ? 0 : sums.squares));
          break;
        case model::NormOrder::kInfinity:
          row.push_back(sums.max);
          break;
      }
      require_finite_output(std::isfinite(row.back()));
    }
  }
  return result;
}

}  // namespace palimpsest::engine
